package executor

import (
	"context"
	"time"
)

// An Executor starts processes in one place (this machine, a host over SSH)
// and keeps them by their logical id. All methods may be called from any
// goroutine.
type Executor interface {
	// Start starts cmd and returns once it runs. The id is taken before the
	// spawn, so of two concurrent starts with one id exactly one succeeds. On
	// any failure the error is a *StartError, no entry and no event is left,
	// and the id can be used again. Cancelling ctx cancels the start only; a
	// process that was started is ended by Stop, Terminate or Close.
	Start(ctx context.Context, cmd Command) (Process, error)

	// Process returns a handle for id, whether or not such a process exists:
	// an unknown id is a handle whose Info says StateUnknown, whose Read fails
	// with ErrUnknownProcess, whose writes answer UnknownProcess and whose
	// Terminate answers that nothing ran. A start under way has StateStarting.
	Process(id string) Process

	// Close terminates every process, waits until each is reaped, and refuses
	// further starts. It is safe to call it twice.
	Close() error
}

// A Process is a handle for one process of an Executor. All methods may be
// called from any goroutine.
type Process interface {
	// ID is the logical id, such as mcp-stdio-1. It is never an OS pid.
	ID() string

	// Info is the state at this moment.
	Info() Info

	// Subscribe delivers the retained history and then live events, without
	// gap or repeat at the seam. See SubscribeOptions.
	Subscribe(SubscribeOptions) (*Subscription, error)

	// Read returns retained output after sequence number after: at most max
	// bytes (0: no limit) but at least one chunk if there is one. With wait > 0
	// and nothing to return it waits for output, for Closed, or for an exit
	// that is news to this cursor, until the wait or ctx is over.
	Read(ctx context.Context, after uint64, max int, wait time.Duration) (ReadResult, error)

	// Write hands p to the process's standard input: straight to the pipe when
	// nothing is queued, else behind what is queued. It blocks only while the
	// queue is full (WriteQueueLimit). p is not kept. A non-empty writeID that
	// was accepted before is accepted again without a second write. What fails
	// after acceptance is told by a WriteFailed event.
	Write(ctx context.Context, writeID string, p []byte) (WriteResult, error)

	// CloseStdin closes standard input once what is queued has been written.
	CloseStdin() WriteStatus

	// Stop takes one step against the processes of scope and returns at once;
	// the exit is told by events. A group or process that is gone is no error.
	Stop(ctx context.Context, step Step, scope Scope) (StopReport, error)

	// Terminate kills leader, group and tree, cuts held streams, reaps, and
	// returns when that is done. It is idempotent; the first caller learns
	// Running. A start under way is cancelled. After an error it may be tried
	// again. Descendants that outlived an exited leader are killed too, once
	// SettleTime is over since its end: without Running, Signalled is whom it
	// left behind.
	Terminate(ctx context.Context) (StopReport, error)

	// Tree lists the live processes that belong to this one: leader, group,
	// descendants, and daemonised descendants where the platform can find them.
	Tree(ctx context.Context) ([]Descendant, error)
}

// Limits of every executor.
const (
	// DefaultRetain is how many bytes of output that every pinned subscriber
	// has taken are kept for late readers.
	DefaultRetain = 1 << 20
	// MaxChunks is how many chunks of taken output are kept at most.
	MaxChunks = 50_000
	// MaxChunk is the largest chunk: one read of one pipe.
	MaxChunk = 64 << 10
	// QueueLen is how many events a subscriber may be behind.
	QueueLen = 256
	// DefaultPinLimit is how many bytes a pinned subscriber may be behind
	// before the pump is held (or, with OverrunDrop, drops).
	DefaultPinLimit = 8 << 20
	// WriteQueueLimit is how many bytes may wait for the process to read its
	// standard input; a larger single write is taken when the queue is empty.
	WriteQueueLimit = 16 << 20
	// MaxQueuedWrites is how many writes may wait for it at most.
	MaxQueuedWrites = 4096
	// MaxWriteIDs is how many accepted write ids are remembered.
	MaxWriteIDs = 4096
	// Retention is how long a process can be read after Closed.
	Retention = 30 * time.Second
	// MinHold is the shortest hold that is worth an event.
	MinHold = 10 * time.Millisecond
)

// A State is where a process is in its life. The zero value is StateUnknown.
type State uint8

// The states of a process, in their order.
const (
	StateUnknown  State = iota // no such process
	StateStarting              // the id is taken, the spawn is not finished
	StateRunning
	StateExited // the leader has ended, a stream is still open
	StateClosed // ended, and both streams are at their end
	StateFailed // lost: how it ended is not known
)

// String returns the state's name in lower case.
func (s State) String() string {
	switch s {
	case StateStarting:
		return "starting"
	case StateRunning:
		return "running"
	case StateExited:
		return "exited"
	case StateClosed:
		return "closed"
	case StateFailed:
		return "failed"
	default:
		return "unknown"
	}
}

// Info is what is known of a process at one moment.
type Info struct {
	ID        string
	State     State
	PID       int    // of the leader, on the machine where it runs
	Placement string // "local", or the host
	Argv      []string
	Dir       string
	Env       EnvReport
	Started   time.Time
	Exit      *Exit  // set from StateExited on
	Failure   error  // set in StateFailed
	NextSeq   uint64 // the number the next event will take
	StdinOpen bool
	Unwritten int // bytes accepted that the process has not read into its pipe yet
	// UnwrittenSince is when the pipe last took any of them, or when they came if
	// it took none; zero without any. A write over 64 KiB counts in pieces of that.
	UnwrittenSince time.Time
	HeldSince      time.Time // not zero while a pump is held
	Link           *LinkInfo // nil on this machine
	Notices        []Notice  // of the start, and later ones behind them
}

// ExitKind tells the three endings apart. The zero value is ExitUnknown.
type ExitKind uint8

// The kinds of ending.
const (
	ExitUnknown ExitKind = iota // lost: never to be shown as a clean exit
	ExitCode
	ExitSignal
)

// Exit is how a process ended.
type Exit struct {
	Kind   ExitKind
	Code   int    // ExitCode
	Signal string // ExitSignal: the POSIX name without SIG, such as KILL
	Core   bool   // a core was dumped
	// By names who ended the process. An executor sets it only where it holds
	// evidence of its own: the guard's written reason, or the watchdog's death.
	// The session, which knows the steps that were taken, fills in the rest.
	By  EndedBy
	Why string // details for By, such as "no contact for 10 s (lease 10 s)"; our words
}

// EndedBy names the party that ended a process. The zero value is EndedUnknown.
type EndedBy uint8

// The parties that can end a process.
const (
	EndedUnknown    EndedBy = iota // cannot tell
	EndedByServer                  // the server itself: it exited, or crashed
	EndedByUs                      // the shutdown sequence of the session
	EndedByPerson                  // a person, or a script in their place, sent a signal or asked for the end
	EndedByLease                   // the remote guard: no contact for the lease
	EndedByGuard                   // the remote guard: its channel closed
	EndedByWatchdog                // the local watchdog ended, and the server with it
	EndedBySignal                  // a signal that mcpdbg did not send; the sender is unknown
	endedCount
)

var endedNames = [endedCount]string{"unknown", "server", "shutdown", "person", "lease", "guard", "watchdog", "signal"}

// String returns the party as recordings spell it.
func (b EndedBy) String() string {
	if b < endedCount {
		return endedNames[b]
	}
	return endedNames[EndedUnknown]
}

// ParseEndedBy is the inverse of EndedBy.String. A name that it does not know
// is EndedUnknown.
func ParseEndedBy(name string) EndedBy {
	for b, known := range endedNames {
		if known == name {
			return EndedBy(b)
		}
	}
	return EndedUnknown
}

// A Stream is one of the two output streams.
type Stream uint8

// The streams.
const (
	Stdout Stream = iota
	Stderr
)

// String returns "stdout" or "stderr".
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// EventKind is what an Event tells.
type EventKind uint8

// The kinds of event. Output, Exited and Closed take a sequence number, the
// rest do not.
const (
	// Output is one chunk of one stream, as one read of the pipe gave it.
	Output EventKind = iota + 1
	// Exited comes once, when the leader has ended; output may follow.
	Exited
	// Closed comes once and last: ended, and both streams at their end.
	Closed
	// Failed comes at most once, instead of Closed, and ends delivery.
	Failed
	// Lagged: N events fell out of this subscriber's queue. Output among them
	// is recovered by Read after the last number seen; what Read and the queue
	// then both give is dropped by number.
	Lagged
	// Gap: output with sequence numbers Gap.From to Gap.To is lost to this
	// subscriber.
	Gap
	// Held: a pump did not read its pipe, because the pinned subscriber was
	// PinLimit behind. Told at its end; and after a second, with a zero End, if
	// it still lasts.
	Held
	// WriteFailed: of the write WriteID only N bytes reached the pipe.
	WriteFailed
	// Survivors: processes that an ending found still alive, and what became
	// of them.
	Survivors
	// Link: the connection has stalled, or is up again. Its loss is told by
	// Failed.
	Link
	// Noticed: Info.Notices has one more, Notice. A subscriber that came later
	// finds it there.
	Noticed
)

// An Event is one thing that happened to a process.
type Event struct {
	Kind    EventKind
	Stream  Stream // Output
	Seq     uint64 // Output, Exited, Closed
	N       uint64 // Lagged: events; WriteFailed: bytes written
	Data    []byte // Output: never changed afterwards, may be kept
	WriteID string // WriteFailed
	Exit    Exit   // Exited
	Err     error  // Failed, WriteFailed
	Cut     bool   // Closed: Terminate gave up a stream that something still held open
	Gap     *GapInfo
	Hold    *HoldInfo
	Procs   []Descendant // Survivors
	Link    *LinkInfo    // Link
	Notice  *Notice      // Noticed
}

// GapInfo is a range of lost output.
type GapInfo struct {
	From, To uint64 // sequence numbers, inclusive
	Bytes    uint64 // 0 when it is not known: the reader began behind evicted output
	Stdout   bool   // the range may hold stdout; false only when it is known not to
	Stderr   bool
}

// HoldInfo is a time in which pipes were not read.
type HoldInfo struct {
	Begin, End     time.Time // End is zero while it lasts
	Stdout, Stderr bool      // the streams that stood still
}

// Overrun is what happens when a pinned subscriber is PinLimit behind.
type Overrun uint8

// The overrun policies.
const (
	OverrunHold Overrun = iota // stop reading the pipe: the child waits, nothing is lost
	OverrunDrop                // go on; the loss is a Gap
)

// SubscribeOptions say how events are delivered. The zero value is an
// ordinary subscriber that pulls with Next.
type SubscribeOptions struct {
	// After skips what has a sequence number up to After.
	After uint64
	// Pin keeps output that this subscriber has not taken from being evicted.
	// A process has at most one pinned subscriber.
	Pin      bool
	PinLimit int // bytes; 0 means DefaultPinLimit
	Overrun  Overrun
	// Handler, if set, is called with each event, one at a time and in order,
	// instead of Next: on the goroutine that read the pipe when the subscriber
	// is idle, so that no hop is needed; on one of the subscription's own once
	// it falls behind, for the history, and for what takes no number. It may
	// run before Subscribe has returned, may call every method of the Process,
	// and after Lagged the Subscription's Read. It must not call Close, neither
	// of its own subscription nor of the Executor.
	Handler func(Event)
}

// ReadResult is the answer of Read.
type ReadResult struct {
	Chunks  []Chunk
	NextSeq uint64 // read on with after = NextSeq-1
	// Missing is set when output after the cursor was evicted before it was
	// read: Chunks begin behind it.
	Missing *GapInfo
	Exit    *Exit // set once exited, whatever the cursor
	Closed  bool  // no more output, ever
	Failure error // the process is lost; nothing more will come
}

// A Chunk is retained output.
type Chunk struct {
	Seq    uint64
	Stream Stream
	Data   []byte
}

// WriteStatus answers a write. The zero value is UnknownProcess.
type WriteStatus uint8

// The write statuses.
const (
	UnknownProcess WriteStatus = iota
	Accepted                   // queued or written; no proof that the process read it
	StdinClosed
	Starting
)

// String returns the status as recordings spell it.
func (s WriteStatus) String() string {
	switch s {
	case Accepted:
		return "accepted"
	case StdinClosed:
		return "stdin-closed"
	case Starting:
		return "starting"
	default:
		return "unknown-process"
	}
}

// WriteResult is the answer of Write.
type WriteResult struct {
	Status WriteStatus
	Bytes  int // how many bytes the pipe has taken so far
}

// A Step is one way to end a process.
type Step uint8

// The steps, from the gentlest on.
const (
	StepCloseStdin Step = iota + 1
	StepInterrupt       // SIGINT
	StepTerm            // SIGTERM
	StepKill            // SIGKILL
)

// String returns the step as screens and recordings spell it.
func (s Step) String() string {
	switch s {
	case StepCloseStdin:
		return "close-stdin"
	case StepInterrupt:
		return "INT"
	case StepTerm:
		return "TERM"
	case StepKill:
		return "KILL"
	default:
		return "none"
	}
}

// A Scope says whom a step is meant for.
type Scope uint8

// The scopes.
const (
	ScopeGroup  Scope = iota // the leader's process group
	ScopeLeader              // the leader alone
	ScopeTree                // group, descendants, daemonised ones included
)

// StopReport is what Stop and Terminate found and did.
type StopReport struct {
	Running   bool         // the leader was alive when the call began
	Signalled []Descendant // whom the step was sent to; nobody where an executor cannot tell
	Survivors []Descendant // still alive when the call returned (Terminate: when it gave up)
	Spared    []Descendant // alive and left running because Command.Leave names them
	// CannotTell says why the executor may have missed processes, one reason
	// each, such as "cannot see processes here". It is empty where membership is
	// known.
	CannotTell []string
}

// A Descendant is one live process of a tree.
type Descendant struct {
	PID, PPID int
	Command   string // untrusted text
	RSS       int64  // bytes; 0 if not known
	// Started and CPU, its user and system time, are zero where a listing does
	// not tell them.
	Started time.Time
	CPU     time.Duration
}

// A TreeKiller is a Process that may be able to end one process of its tree.
type TreeKiller interface {
	// KillOne sends KILL to the process pid, if Tree lists it, and returns it;
	// otherwise the error is ErrNotInTree, or errors.ErrUnsupported where the
	// executor has no way to do it. It does not wait for the end.
	KillOne(ctx context.Context, pid int) (Descendant, error)
}
