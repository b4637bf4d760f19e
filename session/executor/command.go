package executor

import "time"

// A Command describes the process to start.
type Command struct {
	// ID is the logical id; if it is empty, the executor assigns the next
	// mcp-stdio-N of this program run.
	ID   string
	Argv []string // Argv[0] is the program, looked up where it runs
	// Dir is the working directory; empty means the caller's own (local) or the
	// login directory (SSH, where relative paths are refused).
	Dir       string
	EnvPolicy EnvPolicy
	Env       []EnvVar // added to what the policy passes
	// NoStdin gives the process the null device as standard input.
	NoStdin bool
	// Leave names programs (the base name of argv[0], or the kernel's name)
	// whose processes are spared when the server is ended, with all processes
	// that they started: daemons that are meant to stay.
	Leave []string
	// Pinned says that a pinned subscriber will follow: until then no output is
	// evicted, and the process has to wait when DefaultPinLimit bytes are
	// retained.
	Pinned bool
	// OnPhase, if set, is called on Start's goroutine for each step of the
	// start as it ends, in order.
	OnPhase func(Phase)
	// OnBegin, if set, is called on Start's goroutine for each step as it
	// begins, with a zero End.
	OnBegin func(Phase)
}

// An EnvVar is a named variable. Its value is never logged.
type EnvVar struct {
	Name, Value string
}

// EnvPolicy selects the variables of the caller that a local process gets.
type EnvPolicy uint8

// The policies. Over SSH only named variables are passed, whatever the policy.
const (
	EnvInherit EnvPolicy = iota // all of them
	EnvClient                   // only what MCP clients pass on
	EnvNone                     // none
)

var envPolicyNames = []string{"inherit", "client", "none"}

// String returns the policy as the command line spells it.
func (p EnvPolicy) String() string { return nameOf(envPolicyNames, p) }

// EnvReport lists the variables that a process got. It holds names only.
type EnvReport struct {
	Policy  EnvPolicy
	Named   []string // set by name
	Passed  []string // inherited from the caller
	Omitted []string // set in the caller, but not in the process
	Added   []string // set by the executor itself, such as MCPDBG_MARK
	Unknown bool     // the inherited ones are unknown
}

// A Phase is one timed step of a start: "resolve", "spawn"; over SSH each hop,
// host key, login. Phases are reported in order.
type Phase struct {
	Name   string
	Detail string // such as the hop and the result; may be untrusted text
	Begin  time.Time
	End    time.Time
	Err    error
}

// A Notice is a remark about a successful start, such as login noise or a
// degraded mode.
type Notice struct {
	Code string // such as run.noise, mode.plain, mode.no-heartbeat, mode.no-proc, config.ignored
	Text string // our words
	Said string // what SaidBy said, at most 4 KiB, untrusted text
	// SaidBy is the speaker of Said.
	SaidBy Speaker
	Hint   string
}

// NoticeLeftover is the code of the notice about processes that startup files
// left on a host. They may hold the streams of the server.
const NoticeLeftover = "run.leftover"

// The codes of the notices about the place that a prefix leads to.
const (
	NoticeInside = "via.inside" // a guard there is in charge
	NoticeUnseen = "via.unseen" // the processes there are unknown
)

// A LinkState is the state of the connection to a host.
type LinkState string

// The link states.
const (
	LinkUp      LinkState = "up"
	LinkStalled LinkState = "stalled" // a reply is overdue
	// LinkRecovering: the connection is lost, and another one is tried. The process goes on.
	LinkRecovering LinkState = "recovering"
	LinkLost       LinkState = "lost"
)

// LinkInfo is the connection to the host where a process runs.
type LinkInfo struct {
	State     LinkState
	Hops      []string      // user@host:port each; the last is where the process runs
	Transport string        // native, master or binary
	RTT       time.Duration // of the last round trip to the guard; 0: not measured yet
	Heard     time.Time     // when the last bytes were received
	Server    string        // the server's version line, untrusted text
	Kex       string        // algorithms of the last hop; empty if another program holds the connection
	HostKey   string
	Cipher    string
	MAC       string
	Client    string // version of the local ssh program, if it was used
	Err       error  // LinkLost, LinkRecovering
	// Of an exec server: its session, which lasts for Keep without a connection, and when
	// the state began.
	Session string
	Keep    time.Duration
	Since   time.Time
}
