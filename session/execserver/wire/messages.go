package wire

import (
	"encoding/json"
	"time"
)

// The methods of requests. Those after MethodInfo are extensions.
const (
	MethodInitialize = "initialize"
	MethodStart      = "process/start"
	MethodRead       = "process/read"
	MethodWrite      = "process/write"
	MethodSignal     = "process/signal"
	MethodTerminate  = "process/terminate"
	MethodStatus     = "environment/status"
	MethodInfo       = "environment/info"

	MethodCloseStdin = "process/closeStdin"
	MethodStop       = "process/stop"
	MethodTree       = "process/tree"
	MethodKillOne    = "process/killOne"
	MethodEnd        = "session/end"
)

// The notifications. All but NoteInitialized come from the server; those after NoteClosed are
// extensions.
const (
	NoteInitialized = "initialized"
	NoteOutput      = "process/output"
	NoteExited      = "process/exited"
	NoteClosed      = "process/closed"

	NoteWriteFailed = "process/writeFailed"
	NoteNotice      = "process/notice"
)

// The names of streams.
const (
	Stdout = "stdout"
	Stderr = "stderr"
	pty    = "pty" // both, through a terminal
)

// The signals. Interrupt is known to every server.
const (
	Interrupt = "interrupt"
	Terminate = "terminate"
	Kill      = "kill"
)

// The statuses of a write.
const (
	Accepted       = "accepted"
	Starting       = "starting"
	UnknownProcess = "unknownProcess"
	StdinClosed    = "stdinClosed"
)

// Limits of every client and server.
const (
	// MaxWrite is the maximum number of bytes in one write.
	MaxWrite = 1 << 20
	// MaxMessage is the maximum size of a message that a client reads.
	MaxMessage = 64 << 20
	// MaxAhead and MaxAheadBytes are how many events, and bytes of output, a client holds that are
	// ahead of the sequence.
	MaxAhead      = 256
	MaxAheadBytes = 1 << 20
	// AttachedRetry is how long a client tries to resume a session that is attached to a
	// connection which was just lost.
	AttachedRetry = 2 * time.Second
	// KeepSlack is how much longer than the session the guard of a process, and the lease of a
	// server, may last.
	KeepSlack = 10 * time.Second
)

// Capabilities are the extensions that a server announces in Environment.Capabilities. A
// client uses none that is not announced.
type Capabilities struct {
	// CloseStdin: process/closeStdin ends standard input after all earlier writes.
	CloseStdin bool `json:"processCloseStdin,omitempty"`
	// Signals: process/signal knows terminate and kill.
	Signals bool `json:"processSignals,omitempty"`
	// Detail: the start's result has the pid, process/exited the signal, process/closed whether
	// a stream was cut, and errors of a start have a StartFailure.
	Detail bool `json:"processDetail,omitempty"`
	// Stop: process/stop, process/tree, process/killOne, the report of process/terminate,
	// Leave and Policy of a start, and the notifications process/writeFailed and process/notice.
	Stop bool `json:"processStop,omitempty"`
	// OrderedWrites: writes of one connection are executed in their order.
	OrderedWrites bool `json:"orderedWrites,omitempty"`
	// Concurrent: no request waits for another one, nor holds one.
	Concurrent bool `json:"concurrentRequests,omitempty"`
	// End: session/end ends all processes of the session, and the session.
	End bool `json:"sessionEnd,omitempty"`
	// Takeover: a resume with the token replaces a connection that is still attached.
	Takeover bool `json:"sessionTakeover,omitempty"`
}

// InitializeParams are the first message of a connection.
type InitializeParams struct {
	ClientName      string `json:"clientName"`
	ResumeSessionID string `json:"resumeSessionId,omitempty"`
	ResumeToken     string `json:"resumeToken,omitempty"` // extension: with Takeover
}

// InitializeResult is the response to it.
type InitializeResult struct {
	SessionID   string      `json:"sessionId"`
	Environment Environment `json:"environmentInfo"`
	ResumeToken string      `json:"resumeToken,omitempty"` // extension: with Takeover
	// KeepSeconds is how long the session outlives its connection (extension).
	KeepSeconds int `json:"keepSeconds,omitempty"`
}

// Environment describes the place where a server starts processes. Folders are file URIs.
type Environment struct {
	Version      string       `json:"executorVersion,omitempty"`
	Provider     string       `json:"providerId,omitempty"`
	CWD          string       `json:"cwd,omitempty"`
	Home         string       `json:"userHomeDir,omitempty"`
	Temp         string       `json:"tempDir,omitempty"`
	OS           string       `json:"platformOs,omitempty"`
	Shell        *Shell       `json:"shell,omitempty"`
	Capabilities Capabilities `json:"capabilities"`
}

// A Shell is that of the user.
type Shell struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// StartParams start a process. Codex requires all members without omitempty.
type StartParams struct {
	ProcessID string            `json:"processId"`
	Argv      []string          `json:"argv"`
	CWD       string            `json:"cwd"` // a file URI
	Env       map[string]string `json:"env"`
	EnvPolicy *EnvPolicy        `json:"envPolicy,omitempty"` // nil: nothing is inherited
	TTY       bool              `json:"tty"`
	PipeStdin bool              `json:"pipeStdin"`
	Arg0      string            `json:"arg0,omitempty"`

	// Extensions, with Stop. Policy (inherit, client or none) replaces EnvPolicy.
	Policy string   `json:"policy,omitempty"`
	Leave  []string `json:"leave,omitempty"` // programs whose processes are spared
}

// An EnvPolicy selects variables of the server. All members are required.
type EnvPolicy struct {
	Inherit        string            `json:"inherit"` // core, all or none
	IgnoreExcludes bool              `json:"ignoreDefaultExcludes"`
	Exclude        []string          `json:"exclude"`
	Set            map[string]string `json:"set"`
	IncludeOnly    []string          `json:"includeOnly"`
}

// StartResult is the response to a start.
type StartResult struct {
	ProcessID string `json:"processId"`

	// Extensions, with Detail.
	PID     int        `json:"pid,omitempty"`
	Program string     `json:"program,omitempty"`
	Env     *EnvReport `json:"envReport,omitempty"`
	// CannotTell are the reasons why the server may miss processes.
	CannotTell []string `json:"cannotTell,omitempty"`
}

// An EnvReport lists the names of variables, as executor.EnvReport does.
type EnvReport struct {
	Named   []string `json:"named,omitempty"`
	Passed  []string `json:"passed,omitempty"`
	Omitted []string `json:"omitted,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// A StartFailure is the data of the error of a start (extension: with Detail).
type StartFailure struct {
	Code  string `json:"code"` // an executor.StartCode
	Phase string `json:"phase,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// Process names a process: the params of process/terminate, process/closeStdin and
// process/tree.
type Process struct {
	ProcessID string `json:"processId"`
}

// ReadParams read output after a number.
type ReadParams struct {
	ProcessID string `json:"processId"`
	AfterSeq  uint64 `json:"afterSeq"`
	MaxBytes  *int   `json:"maxBytes,omitempty"`
	WaitMS    *int   `json:"waitMs,omitempty"`
}

// ReadResult is the response to a read.
type ReadResult struct {
	Chunks   []Chunk `json:"chunks"`
	NextSeq  uint64  `json:"nextSeq"`
	Exited   bool    `json:"exited"`
	ExitCode *int    `json:"exitCode"`
	Closed   bool    `json:"closed"`
	Failure  *string `json:"failure"`

	// Extensions, with Detail. ExitSeq is the number of the exit, 0 before it.
	ExitSeq uint64 `json:"exitSeq,omitempty"`
	Exit    *Exit  `json:"exit,omitempty"`
	Cut     bool   `json:"cut,omitempty"`
}

// A Chunk is one piece of output.
type Chunk struct {
	Seq    uint64 `json:"seq"`
	Stream string `json:"stream"`
	Chunk  []byte `json:"chunk"`
}

// WriteParams write to standard input. WriteID is not empty, and makes the write idempotent.
type WriteParams struct {
	ProcessID string `json:"processId"`
	Chunk     []byte `json:"chunk"`
	WriteID   string `json:"writeId"`
}

// WriteResult is the response to a write.
type WriteResult struct {
	Status string `json:"status"`
}

// CloseStdinResult is the response to process/closeStdin.
type CloseStdinResult struct {
	Status string `json:"status"`
}

// SignalParams send a signal to the group of a process.
type SignalParams struct {
	ProcessID string `json:"processId"`
	Signal    string `json:"signal"`
}

// TerminateResult is the response to process/terminate.
type TerminateResult struct {
	Running bool        `json:"running"`
	Report  *StopReport `json:"report,omitempty"` // extension: with Stop
}

// StopParams take one step of a shutdown (extension). Step and Scope are spelled as
// executor.Step prints them, and leader, group or tree.
type StopParams struct {
	ProcessID string `json:"processId"`
	Step      string `json:"step"`
	Scope     string `json:"scope"`
}

// A StopReport is executor.StopReport: the response to process/stop.
type StopReport struct {
	Running    bool         `json:"running"`
	Signalled  []Descendant `json:"signalled,omitempty"`
	Survivors  []Descendant `json:"survivors,omitempty"`
	Spared     []Descendant `json:"spared,omitempty"`
	CannotTell []string     `json:"cannotTell,omitempty"`
}

// TreeResult is the response to process/tree.
type TreeResult struct {
	Processes []Descendant `json:"processes"`
}

// KillOneParams kill one process of a tree (extension). The result is its Descendant, or the
// error ErrNotInTree.
type KillOneParams struct {
	ProcessID string `json:"processId"`
	PID       int    `json:"pid"`
}

// A Descendant is executor.Descendant.
type Descendant struct {
	PID     int       `json:"pid"`
	PPID    int       `json:"ppid,omitempty"`
	Command string    `json:"command,omitempty"`
	RSS     int64     `json:"rss,omitempty"`
	Started time.Time `json:"started,omitzero"`
	CPUNS   int64     `json:"cpuNs,omitempty"`
}

// StatusResult is the response to environment/status.
type StatusResult struct {
	Status string `json:"status"` // ready
}

// Output is one chunk of output, in order of the sequence.
type Output struct {
	ProcessID string `json:"processId"`
	Seq       uint64 `json:"seq"`
	Stream    string `json:"stream"`
	Chunk     []byte `json:"chunk"`
}

// Exited reports the exit of the leader.
type Exited struct {
	ProcessID string `json:"processId"`
	Seq       uint64 `json:"seq"`
	ExitCode  *int   `json:"exitCode"`
	Exit      *Exit  `json:"exit,omitempty"` // extension: with Detail
}

// An Exit is executor.Exit.
type Exit struct {
	Kind   string `json:"kind"` // code, signal or unknown
	Code   int    `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"`
	Core   bool   `json:"core,omitempty"`
	By     string `json:"by,omitempty"` // an executor.EndedBy
	Why    string `json:"why,omitempty"`
}

// Closed reports that no more output will come.
type Closed struct {
	ProcessID string `json:"processId"`
	Seq       uint64 `json:"seq"`
	Cut       bool   `json:"cut,omitempty"` // extension: with Detail
}

// WriteFailed reports that only a part of an accepted write reached the process (extension:
// with Stop). It has no number.
type WriteFailed struct {
	ProcessID string `json:"processId"`
	WriteID   string `json:"writeId"`
	Bytes     uint64 `json:"bytes"`
	Error     string `json:"error"`
}

// Notice is an executor.Notice after the start (extension: with Stop). It has no number.
type Notice struct {
	ProcessID string `json:"processId"`
	Code      string `json:"code"`
	Text      string `json:"text"`
	Said      string `json:"said,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

// The codes of errors.
const (
	ErrRequest  = -32600 // order of the handshake; an id that is unknown, or in use
	ErrMethod   = -32601
	ErrParams   = -32602
	ErrInternal = -32603 // the start, or standard input, has failed
	ErrAttached = -32010 // the session is attached to another connection
	// ErrNotInTree: the process is not one of the tree (extension).
	ErrNotInTree = -32020
)

// An Error is the error of a response.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }
