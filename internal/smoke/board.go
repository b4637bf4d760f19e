package smoke

import (
	"maps"
	"sync"
	"time"
)

// A Board is the live picture of a run, for who shows it: Take is to be its
// Options.Event, or called by that. All methods may be called from any
// goroutine, and none waits for the run.
type Board struct {
	mu      sync.Mutex
	lines   []Line
	counts  BoardCounts
	causes  map[Cause]int
	newest  int
	changed chan struct{} // nil if nobody asked
}

// A Line is one target as it is now.
type Line struct {
	Target
	Phase   Phase
	Since   time.Time // when it came into its phase; zero before it was begun
	Begun   time.Time // when it left PhaseWait first; zero before
	Attempt int
	Result  *Result // nil until it is done; it does not change any more
}

// BoardCounts are how many targets are where.
type BoardCounts struct {
	Counts
	Waiting int // not begun
	Running int
}

// NewBoard returns the picture of a run that has not begun.
func NewBoard(targets []Target) *Board {
	b := &Board{lines: make([]Line, len(targets)), causes: map[Cause]int{}, newest: -1}
	for i, t := range targets {
		b.lines[i] = Line{Target: t, Phase: PhaseWait}
	}
	b.counts.Waiting = len(targets)
	return b
}

// Take takes an event of the run.
func (b *Board) Take(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	line := &b.lines[e.Target]
	if line.Result != nil {
		return
	}
	if line.Begun.IsZero() && e.Phase != PhaseDone {
		line.Begun, b.newest = e.At, e.Target
		b.counts.Waiting--
		b.counts.Running++
	}
	line.Phase, line.Since, line.Attempt, line.Result = e.Phase, e.At, e.Attempt, e.Result
	if e.Result != nil {
		b.done(line)
	}
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// done counts a target that is done.
func (b *Board) done(line *Line) {
	if line.Begun.IsZero() {
		b.counts.Waiting--
	} else {
		b.counts.Running--
	}
	switch result := line.Result; {
	case result.OK:
		b.counts.Passed++
	case result.Cause == CauseCancelled:
		b.counts.Cancelled++
	default:
		b.counts.Failed++
		b.causes[result.Cause]++
	}
}

// Len is how many targets there are. It never changes.
func (b *Board) Len() int { return len(b.lines) }

// Line is a target as it is now.
func (b *Board) Line(target int) Line {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines[target]
}

// Counts counts the targets.
func (b *Board) Counts() BoardCounts {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}

// Causes counts the targets that failed.
func (b *Board) Causes() map[Cause]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.causes)
}

// Newest is the target that was begun last; -1 before the first.
func (b *Board) Newest() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest
}

// Changed is closed when anything has changed after the call.
func (b *Board) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}
