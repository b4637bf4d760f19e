package grid

import (
	"slices"
	"time"
)

// A State is what has become of a target so far.
type State uint8

// The states.
const (
	Waiting State = iota // for its turn
	Running
	Passed
	Failed
	Cancelled // it was ended, or never begun, because the run was
)

// String names the state in a word.
func (s State) String() string {
	switch s {
	case Waiting:
		return "waiting"
	case Running:
		return "running"
	case Passed:
		return "ok"
	case Failed:
		return "failed"
	}
	return "cancelled"
}

// Ended tells whether nothing more becomes of the target.
func (s State) Ended() bool { return s >= Passed }

// A Source is a run over targets, numbered from zero in the order in which they
// were given. Its methods are called many times a second, and by several
// goroutines; they must not wait for what the run does. Texts need not be safe.
type Source interface {
	// Len returns how many targets there are; it never changes.
	Len() int
	// Row returns what the line of a target shows, as it is now.
	Row(target int) Row
	// About returns what else is known of a target, for the one under the cursor.
	About(target int) []Fact
	// Totals returns how far the run is.
	Totals() Totals
	// Changed returns a channel that is closed when anything has changed since
	// the call. Clocks that go on are no change.
	Changed() <-chan struct{}
}

// A Row is a target as it is now.
type Row struct {
	Host   string // as it was named
	Server string
	State  State
	// Phases are those that the target goes through, in order; Phase is the one
	// it is in, or in which it failed. Phase is "" before the first, and of one
	// that has gone through all. The slice is shared by rows and never changed.
	Phases []string
	Phase  string
	// FailedIn is the phase in which one that still runs has failed: it is being
	// ended, and what is between was not done.
	FailedIn string
	// Before is the last of Phases that it has been through, if Phase is none of
	// them.
	Before  string
	Attempt int // that runs, or was the last; from 1
	// Took is how long the target has been running, InPhase how long it has been
	// in its phase; both until it ended, if it has.
	Took, InPhase time.Duration
	Cause         string // class of the failure; "" unless it failed
	// Message is what is to be said of it in one line: why it failed, what it
	// waits for, or of one that passed what was found.
	Message   string
	Recording string // path; "" while there is none, or for none at all
}

// Waits tells whether nothing is being done about the target that runs: it waits
// between two of its phases, or before the first.
func (r *Row) Waits() bool { return r.State == Running && !slices.Contains(r.Phases, r.Phase) }

// A Fact is something that is known, under a label of a word or two. Text may
// have several lines.
type Fact struct {
	Label, Text string
	Bad         bool
}

// Totals are how far a run is.
type Totals struct {
	Waiting, Connecting, Running, Passed, Failed, Cancelled int
	// Causes count the failures by their class, the most frequent first.
	Causes []Count
	// Newest is the target where the run is: the furthest that runs, -1 before
	// there is one.
	Newest int
	Took   time.Duration // until the end, if it is over
	// Over says that nothing runs any more, nothing will, and all that is written
	// about the run has been.
	Over bool
	// Said is what there is to know of the whole run, such as where its reports
	// are. It is shown once it is over.
	Said []Fact
}

// All is how many targets there are.
func (t *Totals) All() int { return t.Waiting + t.Active() + t.Done() }

// Active is how many targets have been begun and don't wait.
func (t *Totals) Active() int { return t.Connecting + t.Running }

// Done is how many targets are done with, one way or another.
func (t *Totals) Done() int { return t.Passed + t.Failed + t.Cancelled }

// A Count is how often there was something.
type Count struct {
	Name string
	N    int
}
