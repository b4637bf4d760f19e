package smoke

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
)

// A progress is the progress of a run. It is safe for concurrent use.
type progress struct {
	targets []verify.Target

	mu      sync.Mutex
	rows    []progressRow
	counts  verify.Tally
	stages  [stageCount]int // how many targets are in each
	causes  map[verify.Cause]int
	begun   int // the last target begun; -1 before the first
	ran     int // the highest target whose server was started; -1 before the first
	began   time.Time
	ended   time.Time // zero while the run continues
	passed  bool      // the run, once it has ended
	changed chan struct{}
}

type stage uint8

const (
	waiting    stage = iota // in the queue, or for another attempt
	connecting              // connecting to its host
	running                 // running its server
	finished
	stageCount
)

// A progressRow is the progress of a target.
type progressRow struct {
	Phase     verify.Phase // "" before it is begun
	Failed    verify.Phase // set while it is shut down
	Before    verify.Phase // the phase before, while it waits between two
	Attempt   int
	Began     time.Time
	Entered   time.Time     // when the phase began
	waited    time.Duration // since Began, including earlier attempts
	Ended     time.Time
	Recording string
	Result    *verify.Result // nil until it is done
}

func (r *progressRow) stage() stage {
	if r.Result != nil {
		return finished
	}
	switch cmp.Or(r.Failed, r.Phase) {
	case "", verify.PhaseWait:
		return waiting
	case verify.PhaseResolve, verify.PhaseConnect, verify.PhaseHostKey, verify.PhaseAuth:
		return connecting
	}
	return running
}

// Own returns how long a running target's current attempt has taken, without any wait.
func (r *progressRow) Own(now time.Time) time.Duration {
	own := r.Entered.Sub(r.Began) - r.waited
	if r.Phase != verify.PhaseWait && r.Phase != verify.PhaseBaseline {
		own += now.Sub(r.Entered)
	}
	return own
}

// newProgress returns the progress of a run that begins now.
func newProgress(targets []verify.Target) *progress {
	return &progress{
		stages:  [stageCount]int{waiting: len(targets)},
		targets: targets, rows: make([]progressRow, len(targets)), causes: map[verify.Cause]int{}, begun: -1, ran: -1,
		began: time.Now(), changed: make(chan struct{}),
	}
}

// Event handles an event of the run.
func (b *progress) Event(e probe.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row := &b.rows[e.Target]
	b.stages[row.stage()]--
	defer func() { b.stages[row.stage()]++ }()
	if row.Phase == "" {
		row.Began, row.Entered = e.At, e.At
	}
	if own := row.Own(e.At); e.Attempt == row.Attempt || row.Attempt == 0 {
		row.waited = e.At.Sub(row.Began) - own
	} else {
		row.waited = e.At.Sub(row.Began) // with the earlier attempt
	}
	row.Before = ""
	if e.Phase == verify.PhaseWait && e.Attempt == row.Attempt {
		row.Before = row.Phase
	}
	if e.Attempt > 0 && row.Attempt == 0 {
		b.begun = e.Target
	}
	row.Phase, row.Failed, row.Attempt, row.Entered = e.Phase, e.Failed, e.Attempt, e.At
	if e.Result != nil {
		row.Ended, row.Result = e.At, e.Result
		b.counts.Add(e.Result)
		if cause := e.Result.Cause; cause != "" && cause != verify.CauseCancelled && e.Result.Outcome != verify.OutcomeTolerated {
			b.causes[cause]++
		}
	}
	if row.stage() == running {
		b.ran = max(b.ran, e.Target)
	}
	b.notify()
}

// Recorded sets the path of a target's recording.
func (b *progress) Recorded(target int, path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows[target].Recording = path
	b.notify()
}

// Over marks the end of the run. passed is its verdict.
func (b *progress) Over(passed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended, b.passed = time.Now(), passed
	b.notify()
}

// Target returns the progress of one target.
func (b *progress) Target(target int) progressRow {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rows[target]
}

// Targets returns the targets of the run.
func (b *progress) Targets() []verify.Target { return b.targets }

// progressTotals are the progress of a whole run.
type progressTotals struct {
	Waiting, Connecting, Running int // targets that are not done
	Counts                       verify.Tally
	Causes                       []progressCause // of the failures, the most frequent first
	Newest                       int             // the target to show while the run continues; -1 before the first
	Began                        time.Time
	Ended                        time.Time // zero while the run continues
	Passed                       bool      // the run, once it has ended
}

// A progressCause counts the failures with one cause.
type progressCause struct {
	Cause verify.Cause
	N     int
}

// Totals returns the progress of the whole run.
func (b *progress) Totals() progressTotals {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := progressTotals{
		Waiting: b.stages[waiting], Connecting: b.stages[connecting], Running: b.stages[running],
		Counts: b.counts, Newest: b.newest(), Began: b.began, Ended: b.ended, Passed: b.passed,
	}
	for _, cause := range b.failures() {
		t.Causes = append(t.Causes, progressCause{cause, b.causes[cause]})
	}
	return t
}

// newest ignores targets that only connect ahead of their turn.
func (b *progress) newest() int {
	if b.ran >= 0 {
		return b.ran
	}
	return b.begun
}

// notify wakes the receivers of Changed. The lock is held.
func (b *progress) notify() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Changed returns a channel that is closed at the next change.
func (b *progress) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

func (b *progress) done() int {
	c := &b.counts
	return c.Passed + c.Failed + c.Tolerated + c.Skipped + c.Stopped + c.Cancelled
}

// The most frequent come first. The lock is held.
func (b *progress) failures() []verify.Cause {
	causes := slices.Sorted(maps.Keys(b.causes))
	sort.SliceStable(causes, func(i, j int) bool { return b.causes[causes[i]] > b.causes[causes[j]] })
	return causes
}

// StatusLine returns the progress, the longest target, and how many targets are done.
func (b *progress) StatusLine() (text string, done int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text = fmt.Sprintf("%d of %d done, %d failed, %d running", b.done(), len(b.rows), b.counts.Failed, b.stages[running])
	if n := b.stages[connecting]; n > 0 {
		text += fmt.Sprintf(", %d connecting", n)
	}
	oldest := -1
	for i := range b.rows {
		row := &b.rows[i]
		if row.Phase != "" && row.Result == nil && (oldest < 0 || row.Began.Before(b.rows[oldest].Began)) {
			oldest = i
		}
	}
	if oldest < 0 {
		return text, b.done()
	}
	row, target := &b.rows[oldest], b.targets[oldest]
	text += fmt.Sprintf("; longest: %s on %s, %s for %v", target.Server, target.Host, row.Phase, time.Since(row.Entered).Round(time.Second))
	return text, b.done()
}
