package smoke

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"mcpdbg/session/lint"
)

// jitter is how long a target of another machine waits at most before it is
// begun, so that those that come at once do not knock at once.
const jitter = 25 * time.Millisecond

// Why targets are given up.
var (
	errTargetLate = errors.New("the target took too long")
	errFailFast   = errors.New("another target failed")
)

// A run is one call of Run.
type run struct {
	opts    Options
	ctx     context.Context
	cancel  context.CancelCauseFunc
	started time.Time
	results []Result
	refs    *references

	events sync.Mutex // one at a time
}

func newRun(ctx context.Context, opts Options) *run {
	if opts.Jobs <= 0 {
		opts.Jobs = DefaultJobs
	}
	if opts.TargetTimeout == 0 {
		opts.TargetTimeout = DefaultTargetTimeout
	}
	if opts.FailOn == "" {
		opts.FailOn = FailOnError
	}
	r := &run{opts: opts, started: time.Now(), results: make([]Result, len(opts.Targets)), refs: newReferences(opts.Targets, opts.Baseline)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	return r
}

// work takes the targets until all are done. Servers run Jobs at once.
func (r *run) work() {
	seats := newSeats(min(r.opts.Jobs, len(r.opts.Targets)))
	var workers sync.WaitGroup
	for _, target := range order(r.opts.Targets, r.refs.is) {
		seat := seats.wait()
		if r.opts.Targets[target].Host == Local {
			seat.sit(r.ctx, func() {}) // one after another: there is nothing to be reached first
		}
		workers.Go(func() {
			defer seat.leave()
			r.take(target, seat)
		})
	}
	workers.Wait()
}

// take checks one target, or if the run is over tells that it was not begun.
func (r *run) take(target int, seat *seat) {
	random := rand.New(rand.NewPCG(r.opts.Seed, uint64(target)))
	if r.opts.Targets[target].Host != Local {
		_ = pause(r.ctx, time.Duration(random.Int64N(int64(jitter))))
	}
	c := newCheck(r, target, random)
	c.seat = seat
	if r.ctx.Err() != nil {
		c.fail(cancelled(PhaseWait, "not begun", context.Cause(r.ctx)))
		c.end()
	} else {
		c.do()
	}
	r.finish(target, c)
}

// finish keeps what became of a target, and nothing else of it.
func (r *run) finish(target int, c *check) {
	r.refs.offer(target, c.offers)
	r.results[target] = c.result
	result := &r.results[target]
	r.tell(Event{Target: target, Phase: PhaseDone, Attempt: c.attempt, Result: result})
}

// tell hands out an event.
func (r *run) tell(e Event) {
	if r.opts.Event == nil {
		return
	}
	r.events.Lock()
	defer r.events.Unlock()
	e.At = time.Now()
	r.opts.Event(e)
}

// report is what all came to.
func (r *run) report() *Report {
	report := &Report{Version: 1, Started: r.started, DurationMS: ms(time.Since(r.started)), OK: true, Seed: r.opts.Seed, Checked: lint.Checked, Targets: r.results}
	if r.opts.Scenario != nil {
		report.Scenario = r.opts.Scenario.Name
	}
	if r.opts.Baseline != nil {
		report.Baseline = r.opts.Baseline.Name
	}
	for i := range r.results {
		report.OK = report.OK && r.results[i].OK
	}
	return report
}

// order is the order in which targets are begun: the first ones, then one of
// each host, another one of each host, and so on.
func order(targets []Target, first func(target int) bool) []int {
	rounds := [][]int{nil} // the first ones, then by how many of the same host come before
	seen := make(map[string]int)
	for i, t := range targets {
		round := 0
		if !first(i) {
			seen[t.Host]++
			round = seen[t.Host]
		}
		for len(rounds) <= round {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], i)
	}
	return slices.Concat(rounds...)
}

// pause waits, unless ctx ends before: then the error is its cause.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ms is a time in milliseconds, to the microsecond.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
