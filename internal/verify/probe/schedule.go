package probe

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
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
	errStopOver   = errors.New("too many targets failed")
	errRunTimeout = errors.New("the run timed out")
)

type run struct {
	opts    Options
	ctx     context.Context
	cancel  context.CancelCauseFunc
	begin   context.Context // ends when no more targets begin
	noMore  context.CancelCauseFunc
	failed  atomic.Int32 // targets that count
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
	if opts.FailFast {
		r.opts.Retries = 0
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.begin, r.noMore = context.WithCancelCause(r.ctx)
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

func (r *run) runTarget(index int, slot *slot) {
	random := rand.New(rand.NewPCG(r.opts.Seed, uint64(index)))
	if r.opts.Targets[index].Host != verify.Local {
		_ = pause(r.begin, time.Duration(random.Int64N(int64(jitter))))
	}
	c := newTarget(r, index, random)
	c.slot = slot
	c.do()
	if r.opts.Repeat > 1 && c.attempt > 0 {
		c = r.repeat(c)
		c.failed()
	}
	if r.opts.Expected != nil {
		c.expect(r.opts.Expected(index, &c.result))
	}
	result := &r.results[index]
	*result = c.result
	result.Decide(r.opts.Accepted, time.Now())
	if r.opts.Discard != nil && result.Outcome == verify.OutcomePassed {
		for _, path := range result.Recordings {
			r.opts.Discard(path)
		}
		result.Recordings = nil
	}
	done := *result // it may still be written when the results are judged
	done.Steps, done.Problems = slices.Clone(done.Steps), slices.Clone(done.Problems)
	r.notify(Event{Target: index, Phase: verify.PhaseDone, Attempt: c.attempt, Result: &done})
}

// countFailure ends or stops the run if it is one too many.
func (r *run) countFailure() {
	n := int(r.failed.Add(1))
	if r.opts.FailFast {
		r.cancel(errFailFast)
	} else if r.opts.StopOver != nil && n > *r.opts.StopOver {
		r.noMore(errStopOver)
	}
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
	report.DurationMS, report.Seed, report.Targets = wording.Milliseconds(time.Since(r.started)), r.opts.Seed, r.results
	if r.opts.Scenario != nil {
		report.Scenario = r.opts.Scenario.Name
	}
	if r.opts.Baseline != nil {
		report.Baseline = r.opts.Baseline.Name
	}
	report.Plan.Targets = len(r.results)
	report.Judge(r.opts.FailOn, r.opts.Accepted, time.Now())
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
