package probe

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
)

// jitter is the maximum random delay of a remote target, so that not all connect at the
// same moment.
const jitter = 25 * time.Millisecond

// Reasons to stop a target.
var (
	errTargetLate = errors.New("target timed out")
	errFailFast   = errors.New("another target failed")
)

type run struct {
	opts    Options
	ctx     context.Context
	cancel  context.CancelCauseFunc
	started time.Time
	results []verify.Result
	refs    *references

	events sync.Mutex // serializes events
}

func newRun(ctx context.Context, opts Options) *run {
	if opts.Jobs <= 0 {
		opts.Jobs = DefaultJobs
	}
	if opts.TargetTimeout == 0 {
		opts.TargetTimeout = DefaultTargetTimeout
	}
	if opts.Check != nil {
		opts.Check = opts.Check.withDefaults()
	}
	r := &run{opts: opts, started: time.Now(), results: make([]verify.Result, len(opts.Targets)), refs: newReferences(opts.Targets, opts.Baseline)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	return r
}

func (r *run) work() {
	slots := newSlots(min(r.opts.Jobs, len(r.opts.Targets)))
	var workers sync.WaitGroup
	for _, target := range order(r.opts.Targets, r.refs.isReference) {
		slot := slots.wait()
		if r.opts.Targets[target].Host == verify.Local {
			slot.acquire(r.ctx, func() {}) // sequentially: no hosts to reach in advance
		}
		workers.Go(func() {
			defer slot.leave()
			r.runTarget(target, slot)
		})
	}
	workers.Wait()
}

func (r *run) runTarget(target int, slot *slot) {
	random := rand.New(rand.NewPCG(r.opts.Seed, uint64(target)))
	if r.opts.Targets[target].Host != verify.Local {
		_ = pause(r.ctx, time.Duration(random.Int64N(int64(jitter))))
	}
	c := newTarget(r, target, random)
	c.slot = slot
	if r.ctx.Err() != nil {
		c.fail(cancelled(verify.PhaseWait, "not begun", context.Cause(r.ctx)))
	} else {
		c.do()
	}
	c.end()
	r.refs.offer(target, c.offers)
	r.results[target] = c.result
	result := &r.results[target]
	r.notify(Event{Target: target, Phase: verify.PhaseDone, Attempt: c.attempt, Result: result})
}

func (r *run) notify(e Event) {
	if r.opts.Event == nil {
		return
	}
	r.events.Lock()
	defer r.events.Unlock()
	e.At = time.Now()
	r.opts.Event(e)
}

func (r *run) report() *verify.Report {
	report := verify.NewReport("smoke", r.started)
	if r.opts.Check != nil {
		report.Command, report.Stopped = "check", r.ctx.Err() != nil
	}
	report.DurationMS, report.OK, report.FailOn = wording.Milliseconds(time.Since(r.started)), true, r.opts.FailOn
	report.Seed, report.Targets = r.opts.Seed, r.results
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

// order returns first the targets selected by first, then one of each host, then another
// one of each host, and so on.
func order(targets []verify.Target, first func(target int) bool) []int {
	rounds := [][]int{nil} // the selected ones, then the others by earlier targets on the host
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

// pause returns the cause of ctx if that ends first.
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
