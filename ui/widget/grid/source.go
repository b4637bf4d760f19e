package grid

import (
	"slices"
	"time"
)

// A State is the current state of a target.
type State uint8

// The states.
const (
	Waiting State = iota // not started
	Running
	Passed
	Unsure    // passed, but not all is known: Row.Message has the reason
	Tolerated // failed, and is accepted
	Skipped
	Failed
	Cancelled // stopped or never started because the run was cancelled
)

// String returns the state in a word.
func (s State) String() string {
	switch s {
	case Waiting:
		return "waiting"
	case Running:
		return "running"
	case Passed:
		return "ok"
	case Unsure:
		return "ok?"
	case Tolerated:
		return "tolerated"
	case Skipped:
		return "skipped"
	case Failed:
		return "failed"
	}
	return "cancelled"
}

// Ended reports whether the target has reached its final state.
func (s State) Ended() bool { return s >= Passed }

// A Source is a run over targets, numbered from zero. Its methods are called many times a
// second and by several goroutines; they must not block on the run. Texts may be unsafe.
type Source interface {
	// Len never changes.
	Len() int
	Row(target int) Row
	// About returns further details of a target.
	About(target int) []Fact
	Totals() Totals
	// Changed returns a channel that is closed when anything but a running clock has
	// changed since the call.
	Changed() <-chan struct{}
}

// A Row is the current state of a target.
type Row struct {
	Host   string // as given
	Server string
	State  State
	// Phases are the phases of the target, in order; the slice is shared by rows and
	// never changed. Phase is the current one, or the one in which it failed; "" before
	// the first and after the last.
	Phases []string
	Phase  string
	// FailedIn is the phase in which a running target has failed: it is being shut down,
	// and the phases between were skipped.
	FailedIn string
	// the last completed phase, if Phase is not one of Phases
	Before  string
	Attempt int // current or last attempt, from 1
	// Took is the own time of the target, without waits and earlier attempts, and InPhase
	// that of its phase; both stop when it ends.
	Took, InPhase time.Duration
	Cause         string // class of the failure; "" unless failed
	// Message describes the target in one line: its failure, wait, or offer.
	Message   string
	Recording string // path, or "" without a recording
}

// Idle reports whether a running target is between two phases, or before the first.
func (r *Row) Idle() bool { return r.State == Running && !slices.Contains(r.Phases, r.Phase) }

// A Fact is a detail with a label of a word or two. Text may have several
// lines.
type Fact struct {
	Label, Text string
	Bad         bool
}

// Totals describe the progress of a run.
type Totals struct {
	Waiting, Connecting, Running, Passed, Unsure, Tolerated, Skipped, Failed, Cancelled int
	// Causes counts the failures by class, the most frequent first.
	Causes []Count
	// Newest is the last target that has been started, or -1.
	Newest int
	Took   time.Duration // stops when the run is over
	// Over reports whether the run has ended and all its reports have been
	// written.
	Over bool
	// OK reports whether a run that is over passed: not every failure counts.
	OK bool
	// Facts lists facts about the whole run, such as where its reports are. It
	// is shown when the run is over.
	Facts []Fact
}

// All returns the number of targets.
func (t *Totals) All() int { return t.Waiting + t.Active() + t.Done() }

// Active returns the number of targets that are being worked on.
func (t *Totals) Active() int { return t.Connecting + t.Running }

// Done returns the number of targets in a final state.
func (t *Totals) Done() int {
	return t.Passed + t.Unsure + t.Tolerated + t.Skipped + t.Failed + t.Cancelled
}

// A Count is a number of occurrences.
type Count struct {
	Name string
	N    int
}
