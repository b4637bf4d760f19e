package executor

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// An Executor starts processes in one place (this machine, a host over SSH)
// and keeps them by their logical id. All methods may be called from any
// goroutine.
type Executor interface {
	// Start starts cmd and returns once it runs. The id is taken before the
	// spawn, so of two concurrent starts with one id exactly one succeeds. On
	// any failure the error is a *StartError, no entry and no event remains,
	// and the id can be reused. Cancelling ctx cancels the start only; a
	// started process is ended by Stop, Terminate or Close.
	Start(ctx context.Context, cmd Command) (Process, error)

	// Process returns a handle for id, whether or not such a process exists:
	// for an unknown id, Info returns StateUnknown, Read fails with
	// ErrUnknownProcess, writes return UnknownProcess and Terminate reports
	// that nothing ran. During a start the state is StateStarting.
	Process(id string) Process

	// Close terminates every process, waits until each is reaped, and refuses
	// further starts. It is safe to call it twice.
	Close() error
}

// A Process is a handle for one process of an Executor. All methods may be
// called from any goroutine.
type Process interface {
	// ID returns the logical id, such as mcp-stdio-1. It is never an OS pid.
	ID() string

	// Info returns the current state.
	Info() Info

	// Subscribe delivers the retained history and then live events, without
	// gap or repeat at the seam. See SubscribeOptions.
	Subscribe(SubscribeOptions) (*Subscription, error)

	// Read returns retained output after sequence number after: at most max
	// bytes (0: no limit) but at least one chunk if there is one. With wait > 0
	// and nothing to return it waits for output, for Closed, or for an exit
	// after this cursor, until the wait or ctx is over.
	Read(ctx context.Context, after uint64, max int, wait time.Duration) (ReadResult, error)

	// Write writes p to the process's standard input: directly to the pipe if
	// nothing is queued, else through the queue. It blocks only while the queue
	// is full (WriteQueueLimit). p is not retained. A non-empty writeID that
	// was accepted before is accepted again without a second write. A failure
	// after acceptance is reported by a WriteFailed event.
	Write(ctx context.Context, writeID string, p []byte) (WriteResult, error)

	// CloseStdin closes standard input once the queue has been written.
	CloseStdin() WriteStatus

	// Stop takes one step against the processes of scope and returns at once;
	// the exit is reported by events. A group or process that is gone is not an
	// error.
	Stop(ctx context.Context, step Step, scope Scope) (StopReport, error)

	// Terminate kills leader, group and tree, cuts held streams, reaps, and
	// returns when that is done. It is idempotent; the first caller gets
	// Running. A running start is cancelled. After an error it may be retried.
	// Descendants that outlive an exited leader are killed too, SettleTime
	// after its exit: if Running is false, Signalled lists leaked processes.
	Terminate(ctx context.Context) (StopReport, error)

	// Tree lists the live processes that belong to this one: leader, group,
	// descendants, and daemonised descendants where the platform can find them.
	Tree(ctx context.Context) ([]Descendant, error)
}

// Limits of every executor.
const (
	// DefaultRetain is how many bytes of taken output are retained for late
	// readers.
	DefaultRetain = 1 << 20
	// MaxChunks is the maximum number of chunks of taken output that are
	// retained.
	MaxChunks = 50_000
	// MaxChunk is the largest chunk: one read of one pipe.
	MaxChunk = 64 << 10
	// QueueLen is how many events a subscriber may be behind.
	QueueLen = 256
	// DefaultPinLimit is how many bytes a pinned subscriber may be behind
	// before the pump is held (or, with OverrunDrop, drops).
	DefaultPinLimit = 8 << 20
	// WriteQueueLimit is how many bytes may be queued for standard input; a
	// larger single write is accepted when the queue is empty.
	WriteQueueLimit = 16 << 20
	// MaxQueuedWrites is the maximum number of queued writes.
	MaxQueuedWrites = 4096
	// MaxWriteIDs is how many accepted write ids are remembered.
	MaxWriteIDs = 4096
	// Retention is how long a process can be read after Closed.
	Retention = 30 * time.Second
	// MinHold is the shortest hold that is reported.
	MinHold = 10 * time.Millisecond
)

// A State is the state of a process. The zero value is StateUnknown.
type State uint8

// The states of a process, in their order.
const (
	StateUnknown  State = iota // no such process
	StateStarting              // the id is taken, the spawn is not finished
	StateRunning
	StateExited // the leader has ended, a stream is still open
	StateClosed // exited, and both streams have ended
	StateFailed // lost: the exit status is unknown
)

var stateNames = []string{"unknown", "starting", "running", "exited", "closed", "failed"}

// String returns the state's name in lower case.
func (s State) String() string { return nameOf(stateNames, s) }

// nameOf returns the name of a constant, or of the zero value if it is unknown.
func nameOf[T ~uint8](names []string, value T) string {
	if int(value) < len(names) {
		return names[value]
	}
	return names[0]
}

// Info describes a process at one moment.
type Info struct {
	ID        string
	State     State
	PID       int    // of the leader, on the machine where it runs
	Placement string // "local", or the host
	Via       string // through which the process is reached there, such as "docker web"; empty if directly
	Argv      []string
	Program   string // the file that runs as Argv[0]; "" if not known
	Dir       string
	Env       EnvReport
	Started   time.Time
	Exit      *Exit  // set from StateExited on
	Failure   error  // set in StateFailed
	NextSeq   uint64 // the number the next event will take
	StdinOpen bool
	Unwritten int    // accepted bytes that are not written to the pipe yet
	Written   uint64 // bytes written to the pipe
	// UnwrittenSince is when the pipe last took any of them, or when the first
	// was accepted if it took none; zero if Unwritten is 0. Writes over 64 KiB
	// count in pieces of that size.
	UnwrittenSince time.Time
	HeldSince      time.Time // zero unless a pump is held
	Link           *LinkInfo // nil on this machine
	Notices        []Notice  // of the start, followed by later ones
}

// ExitKind is the kind of an exit. The zero value is ExitUnknown.
type ExitKind uint8

// The kinds of exits.
const (
	ExitUnknown ExitKind = iota // lost: must not be shown as a clean exit
	ExitCode
	ExitSignal
)

// Exit is how a process ended.
type Exit struct {
	Kind   ExitKind
	Code   int    // ExitCode
	Signal string // ExitSignal: the POSIX name without SIG, such as KILL
	Core   bool   // a core was dumped
	// By is the party that ended the process. An executor sets it only if it
	// has evidence of its own: the reason written by the guard, or the
	// watchdog's death. The session, which knows the steps that were taken,
	// fills in the rest.
	By  EndedBy
	Why string // details for By, such as "no contact for 10 s (lease 10 s)"; our words
	// Start is the reason if the process was only to start another one, and could not.
	Start *StartError
}

// How describes how the process ended, as in "ended with 3".
func (e Exit) How() string {
	switch e.Kind {
	case ExitCode:
		return fmt.Sprintf("ended with %d", e.Code)
	case ExitSignal:
		return "was ended by SIG" + e.Signal
	}
	return "ended"
}

// EndedBy is the party that ended a process. The zero value is EndedUnknown.
type EndedBy uint8

// The parties that can end a process.
const (
	EndedUnknown    EndedBy = iota // cannot tell
	EndedByServer                  // the server itself: it exited, or crashed
	EndedByShutdown                // the shutdown sequence of the session
	EndedByPerson                  // a person, or a script in their place, sent a signal or requested the end
	EndedByLease                   // the remote guard: no contact for the lease
	EndedByGuard                   // the remote guard: its channel closed
	EndedByWatchdog                // the local watchdog died, and the server with it
	EndedBySignal                  // a signal that mcpdbg did not send; the sender is unknown
	EndedByClient                  // the client that mcpdbg forwards for: it closed the server's stdin or sent the signal
	endedCount
)

var endedNames = []string{"unknown", "server", "shutdown", "person", "lease", "guard", "watchdog", "signal", "client"}

// String returns the party as recordings spell it.
func (b EndedBy) String() string { return nameOf(endedNames, b) }

// ParseEndedBy is the inverse of EndedBy.String. It returns EndedUnknown for
// unknown names.
func ParseEndedBy(name string) EndedBy {
	return EndedBy(max(0, slices.Index(endedNames, name)))
}

// A Stream is one of the two output streams.
type Stream uint8

// The streams.
const (
	Stdout Stream = iota
	Stderr
)

var streamNames = []string{"stdout", "stderr"}

// String returns "stdout" or "stderr".
func (s Stream) String() string { return nameOf(streamNames, s) }

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events. Output, Exited and Closed take a sequence number, the
// rest do not.
const (
	// Output is one chunk of one stream: one read of the pipe.
	Output EventKind = iota + 1
	// Exited comes once, when the leader has exited; output may follow.
	Exited
	// Closed comes once and last: the leader has exited and both streams have
	// ended.
	Closed
	// Failed comes at most once, instead of Closed, and ends delivery.
	Failed
	// Lagged: N events were dropped from this subscriber's queue. Read recovers
	// the output among them; output that Read has returned is removed from the
	// queue.
	Lagged
	// Gap: output with sequence numbers Gap.From to Gap.To is lost for this
	// subscriber.
	Gap
	// Held: a pump did not read its pipe, because the pinned subscriber was
	// PinLimit behind. Reported at its end and, if it lasts that long, after a
	// second with a zero End.
	Held
	// WriteFailed: only N bytes of the write WriteID reached the pipe.
	WriteFailed
	// Survivors: processes that Terminate could not kill.
	Survivors
	// Link: the connection has stalled, is being recovered, or is up again. Its loss
	// is reported by Failed.
	Link
	// Noticed: Notice was added to Info.Notices. Later subscribers find it
	// there.
	Noticed
)

// An Event is one thing that happened to a process.
type Event struct {
	Kind    EventKind
	Stream  Stream // Output
	Seq     uint64 // Output, Exited, Closed
	N       uint64 // Lagged: events; WriteFailed: bytes written
	Data    []byte // Output: never changed afterwards, may be retained
	WriteID string // WriteFailed
	Exit    Exit   // Exited
	Err     error  // Failed, WriteFailed
	Cut     bool   // Closed: Terminate cut a stream that another process held open
	Gap     *GapInfo
	Hold    *HoldInfo
	Procs   []Descendant // Survivors
	Link    *LinkInfo    // Link
	Notice  *Notice      // Noticed
}

// GapInfo is a range of lost output.
type GapInfo struct {
	From, To uint64 // sequence numbers, inclusive
	Bytes    uint64 // 0 if unknown: the reader began after evicted output
	Stdout   bool   // the range may hold stdout; false only if it is known not to
	Stderr   bool
}

// HoldInfo is an interval in which pipes were not read.
type HoldInfo struct {
	Begin, End     time.Time // End is zero while it lasts
	Stdout, Stderr bool      // the held streams
}

// Overrun selects what happens when a pinned subscriber is PinLimit behind.
type Overrun uint8

// The overrun policies.
const (
	OverrunHold Overrun = iota // stop reading the pipe: the child blocks, nothing is lost
	OverrunDrop                // go on; the loss is a Gap
)

// SubscribeOptions say how events are delivered. The zero value is an
// ordinary subscriber that pulls with Next.
type SubscribeOptions struct {
	// After skips events with a sequence number up to After.
	After uint64
	// Pin keeps output that this subscriber has not taken from being evicted.
	// A process has at most one pinned subscriber.
	Pin      bool
	PinLimit int // bytes; 0 means DefaultPinLimit
	Overrun  Overrun
	// Handler, if set, is called with each event, one at a time and in order,
	// instead of Next: on the goroutine that read the pipe if the subscriber is
	// idle, so that no hop is needed; on the subscription's own goroutine once
	// it falls behind, for the history, and for events without a number. It may
	// run before Subscribe has returned and may call every method of the
	// Process and, after Lagged, the Subscription's Read. It must not call
	// Close of its subscription or of the Executor.
	Handler func(Event)
}

// ReadResult is the result of Read.
type ReadResult struct {
	Chunks  []Chunk
	NextSeq uint64 // read on with after = NextSeq-1
	// Missing is set if output after the cursor was evicted before it was read:
	// Chunks begin after it.
	Missing *GapInfo
	Exit    *Exit  // set after the exit, whatever the cursor
	ExitSeq uint64 // the number of Exited; 0 before it
	Closed  bool   // no more output, ever
	Cut     bool   // Closed: see Event.Cut
	Failure error  // the process is lost; nothing more will come
}

// A Chunk is retained output.
type Chunk struct {
	Seq    uint64
	Stream Stream
	Data   []byte
}

// WriteStatus is the status of a write. The zero value is UnknownProcess.
type WriteStatus uint8

// The write statuses.
const (
	UnknownProcess WriteStatus = iota
	Accepted                   // queued or written; does not mean that the process read it
	StdinClosed
	Starting
)

var writeStatusNames = []string{"unknown-process", "accepted", "stdin-closed", "starting"}

// String returns the status as recordings spell it.
func (s WriteStatus) String() string { return nameOf(writeStatusNames, s) }

// WriteResult is the result of Write.
type WriteResult struct {
	Status WriteStatus
	Bytes  int // how many bytes were written to the pipe so far
}

// A Step is one step of a shutdown sequence.
type Step uint8

// The steps, the gentlest first.
const (
	StepCloseStdin Step = iota + 1
	StepInterrupt       // SIGINT
	StepTerm            // SIGTERM
	StepKill            // SIGKILL
)

var stepNames = []string{"none", "close-stdin", "INT", "TERM", "KILL"}

// String returns the step as screens and recordings spell it.
func (s Step) String() string { return nameOf(stepNames, s) }

// A Scope selects the processes that a step applies to.
type Scope uint8

// The scopes.
const (
	ScopeGroup  Scope = iota // the leader's process group
	ScopeLeader              // the leader alone
	ScopeTree                // group and descendants, including daemonised ones
)

// StopReport describes what Stop and Terminate found and did.
type StopReport struct {
	Running   bool         // the leader was alive when the call began
	Signalled []Descendant // the processes that the step was sent to; empty if the executor cannot tell
	Survivors []Descendant // still alive when the call returned (Terminate: when it gave up)
	Spared    []Descendant // alive and left running because Command.Leave names them
	// CannotTell lists the reasons why the executor may have missed processes,
	// such as "cannot see processes here". It is empty if membership is known.
	CannotTell []string
}

// A Descendant is one live process of a tree.
type Descendant struct {
	PID, PPID int
	Command   string // untrusted text
	RSS       int64  // bytes; 0 if unknown
	// Started and CPU, the user and system time, are zero if unknown.
	Started time.Time
	CPU     time.Duration
}

// A TreeKiller is a Process that may be able to kill a single process of its
// tree.
type TreeKiller interface {
	// KillOne sends KILL to the process pid, if Tree lists it, and returns it;
	// otherwise the error is ErrNotInTree, or errors.ErrUnsupported if the
	// executor can't do it. It does not wait for the exit.
	KillOne(ctx context.Context, pid int) (Descendant, error)
}
