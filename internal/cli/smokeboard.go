package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mcpdbg/internal/smoke"
)

// A smokeBoard is how far a run is. It may be looked at from any goroutine.
type smokeBoard struct {
	targets []smoke.Target

	mu      sync.Mutex
	rows    []boardRow
	counts  smoke.Counts
	stages  [stageCount]int // how many targets are in each
	causes  map[smoke.Cause]int
	begun   int // the latest target; -1 before the first
	ran     int // the furthest target whose server was started; -1 before the first
	began   time.Time
	ended   time.Time // zero while it goes on
	changed chan struct{}
}

// A stage is what a target that is not done does, roughly.
type stage uint8

const (
	waits   stage = iota // for its turn, or for another attempt
	reaches              // its host
	runs                 // its server
	isDone
	stageCount
)

// A boardRow is how far a target is.
type boardRow struct {
	phase     smoke.Phase // "" before it is begun
	failed    smoke.Phase // in which it failed, while it is ended for that
	before    smoke.Phase // it was in, if it waits between two
	attempt   int
	began     time.Time
	entered   time.Time // the phase
	ended     time.Time
	recording string
	result    *smoke.Result // nil until it is done
}

// stage is what the target does; one that failed is still where it did.
func (r *boardRow) stage() stage {
	if r.result != nil {
		return isDone
	}
	switch cmp.Or(r.failed, r.phase) {
	case "", smoke.PhaseWait:
		return waits
	case smoke.PhaseResolve, smoke.PhaseConnect, smoke.PhaseHostKey, smoke.PhaseAuth:
		return reaches
	}
	return runs
}

func newSmokeBoard(targets []smoke.Target) *smokeBoard {
	return &smokeBoard{
		stages:  [stageCount]int{waits: len(targets)},
		targets: targets, rows: make([]boardRow, len(targets)), causes: map[smoke.Cause]int{}, begun: -1, ran: -1,
		began: time.Now(), changed: make(chan struct{}),
	}
}

// event takes what the run tells.
func (b *smokeBoard) event(e smoke.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row := &b.rows[e.Target]
	b.stages[row.stage()]--
	defer func() { b.stages[row.stage()]++ }()
	if row.phase == "" {
		row.began = e.At
	}
	row.before = ""
	if e.Phase == smoke.PhaseWait && e.Attempt == row.attempt {
		row.before = row.phase
	}
	if e.Attempt > 0 && row.attempt == 0 {
		b.begun = e.Target
	}
	row.phase, row.failed, row.attempt, row.entered = e.Phase, e.Failed, e.Attempt, e.At
	if e.Result != nil {
		row.ended, row.result = e.At, e.Result
		b.count(e.Result)
	}
	if row.stage() == runs {
		b.ran = max(b.ran, e.Target)
	}
	b.tell()
}

func (b *smokeBoard) count(r *smoke.Result) {
	switch {
	case r.OK:
		b.counts.Passed++
	case r.Cause == smoke.CauseCancelled:
		b.counts.Cancelled++
	default:
		b.counts.Failed++
		b.causes[r.Cause]++
	}
}

// recorded takes where a target is recorded to.
func (b *smokeBoard) recorded(target int, path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows[target].recording = path
	b.tell()
}

// over says that nothing more becomes of the run.
func (b *smokeBoard) over() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = time.Now()
	b.tell()
}

// newest is the target to be looked at while the run goes on. Those that are begun
// ahead of their turn are not where it is.
func (b *smokeBoard) newest() int {
	if b.ran >= 0 {
		return b.ran
	}
	return b.begun
}

// tell wakes who waits for a change. The lock is held.
func (b *smokeBoard) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Changed returns a channel that is closed at the next change.
func (b *smokeBoard) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// done is how many targets are done with.
func (b *smokeBoard) done() int { return b.counts.Passed + b.counts.Failed + b.counts.Cancelled }

// failures are the causes with how often there was one, the most frequent first.
// The lock is held.
func (b *smokeBoard) failures() []smoke.Cause {
	causes := slices.Sorted(maps.Keys(b.causes))
	slices.SortStableFunc(causes, func(x, y smoke.Cause) int { return b.causes[y] - b.causes[x] })
	return causes
}

// progress says in a line how far the run is, and what takes longest; and how
// many targets are done.
func (b *smokeBoard) progress() (text string, done int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text = fmt.Sprintf("%d of %d done, %d failed, %d running", b.done(), len(b.rows), b.counts.Failed, b.stages[runs])
	if n := b.stages[reaches]; n > 0 {
		text += fmt.Sprintf(", %d connecting", n)
	}
	oldest := -1
	for i := range b.rows {
		row := &b.rows[i]
		if row.phase != "" && row.result == nil && (oldest < 0 || row.began.Before(b.rows[oldest].began)) {
			oldest = i
		}
	}
	if oldest < 0 {
		return text, b.done()
	}
	row, target := &b.rows[oldest], b.targets[oldest]
	text += fmt.Sprintf("; longest: %s on %s, %s since %v", target.Server, target.Host, row.phase, time.Since(row.entered).Round(time.Second))
	return text, b.done()
}
