package probe

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
)

// The delay before another attempt.
const (
	minRetry = 200 * time.Millisecond
	maxRetry = time.Second
)

// A target is the state of one target, for one goroutine.
type target struct {
	run         *run
	index       int
	random      *rand.Rand
	began       time.Time
	result      verify.Result
	phase       verify.Phase
	waitBegan   time.Time         // zero if it is not waiting for its turn
	slot        *slot             // slot among the running servers
	begun       func() bool       // called once its command is about to be executed
	attempt     int               // 0: not started
	times       timings           // of the last attempt
	opening     *opening          // steps of the current attempt, or nil
	made        *verify.Made      // nil without a session
	orphansMore int               // orphans that the result does not list
	secrets     *secret.Concealer // values that must not appear in reports
	offers      *surface.Surface  // for a baseline; nil if the lists are incomplete
}

func newTarget(r *run, index int, random *rand.Rand) *target {
	now, t := time.Now(), &r.opts.Targets[index]
	return &target{run: r, index: index, random: random, began: now, phase: verify.PhaseWait, times: timings{}, secrets: new(secret.Concealer), result: verify.Result{
		ID: t.ID, Host: t.Host, Place: t.Place, Server: t.Server, Source: t.Source, At: t.At, HostGroups: t.Groups,
		StartedMS: wording.Milliseconds(now.Sub(r.started)),
	}}
}

// do runs the target unless the run has ended, or begins no more targets.
func (c *target) do() {
	r := c.run
	if reason := r.opts.Targets[c.index].Skip; reason != "" {
		c.result.Outcome, c.result.Message, c.result.OK = verify.OutcomeSkipped, reason, true
		c.tidy()
		r.refs.offer(c.index, nil)
		return
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	c.begun = context.AfterFunc(r.begin, func() { cancel(context.Cause(r.begin)) })
	defer c.begun()
	switch skip := r.opts.Targets[c.index].Skip; {
	case skip != "":
		c.result.Outcome, c.result.Message = verify.OutcomeSkipped, skip
	case r.begin.Err() != nil:
		c.fail(notBegun(context.Cause(r.begin)))
	case r.opts.Check != nil:
		c.attempt = 1
		c.check(ctx)
	default:
		c.attempt = 1
		c.smoke(ctx)
	}
	c.end()
	r.refs.offer(c.index, c.offers)
}

// smoke runs the steps until one fails, and then in any case the shutdown and the check
// of the log.
func (c *target) smoke(ctx context.Context) {
	ctx, cancel := executor.WithPausableTimeout(ctx, c.run.opts.TargetTimeout, errTargetLate)
	defer cancel()
	if f := c.make(ctx); f != nil {
		c.fail(f)
		return
	}
	passed := c.steps(ctx)
	c.shutdown()
	c.lookForProblems()
	if c.made.Release != nil {
		c.made.Release()
	}
	c.slot.leave() // a target that waits for the reference does not block others
	if passed {
		c.compare()
	}
}

// steps runs the steps that need the server, and reports whether all succeeded.
func (c *target) steps(ctx context.Context) bool {
	for _, step := range []func(context.Context) *failure{c.open, c.list, c.ping, c.scenario} {
		if f := step(ctx); f != nil {
			c.fail(f)
			return false
		}
	}
	return true
}

func (c *target) make(ctx context.Context) *failure {
	made, err := c.run.opts.Make(ctx, c.index, Process{}, func(cfg *session.Config) {
		cfg.OnPhase = c.step
		if c.run.opts.Scenario != nil {
			c.run.opts.Scenario.Configure(cfg, c.run.opts.Vars)
		}
		c.secrets = secret.NewConcealer(slices.Concat(cfg.Command.Env, cfg.Secrets, c.run.opts.Vars.Secrets()))
	})
	if err != nil {
		return c.classify(ctx, err)
	}
	c.made = made
	if made.Recording != "" {
		c.result.Recordings = []string{made.Recording}
	}
	return nil
}

// Steps of a start or handshake by a scenario belong to the scenario's phase.
func (c *target) step(ctx context.Context, p executor.Phase) {
	switch phaseOf(c.result.Host, p.Name) {
	case verify.PhaseWait:
		c.slot.release()
	case verify.PhaseStart:
		if !c.slot.acquire(ctx, c.waits) {
			return // it ended while waiting
		}
		c.begun()
	}
	if c.opening != nil {
		c.opening.step(p)
	}
}

func (c *target) waits() {
	if c.opening != nil {
		c.enter(verify.PhaseWait)
	}
}

// reach opens the session, again if the host was not reached and the failure may be
// temporary.
func (c *target) reach(ctx context.Context) error {
	for {
		err := c.tryOpen(ctx)
		if err == nil || c.attempt > c.run.opts.Retries || !retryable(err) || ctx.Err() != nil || c.awaitRetry(ctx, err) != nil {
			return err
		}
	}
}

func (c *target) open(ctx context.Context) *failure {
	if err := c.reach(ctx); err != nil {
		return c.classify(ctx, err)
	}
	status := c.made.Session.Status()
	c.result.Servers = []verify.Server{{Era: string(status.Server.Era), Protocol: status.Server.Protocol, Name: status.Server.Name, Version: status.Server.Version}}
	for _, n := range status.Process.Notices {
		if n.Code == executor.NoticeInside || n.Code == executor.NoticeUnseen {
			continue // the report of the shutdown has its limits
		}
		c.notice(verify.Notice{Code: n.Code, Text: n.Text, Said: n.Said, Hint: n.Hint})
	}
	return nil
}

// Meanwhile another target may be started, so that unreachable hosts do not delay the
// others.
func (c *target) awaitRetry(ctx context.Context, failed error) error {
	c.attempt++
	c.slot.leave()
	c.waited()
	f := c.classify(ctx, failed)
	c.result.Attempts = append(c.result.Attempts, verify.Attempt{Cause: f.cause, Code: f.code, Message: f.message, DurationMS: c.ownMS()})
	c.enter(verify.PhaseWait)
	if err := pause(ctx, minRetry+time.Duration(c.random.Int64N(int64(maxRetry-minRetry)))); err != nil {
		return err
	}
	return c.slot.rejoin(ctx)
}

// The result has the times of the last attempt.
func (c *target) tryOpen(ctx context.Context) error {
	c.times = timings{}
	c.opening = &opening{host: c.result.Host, begins: c.enter, times: c.times}
	defer func() { c.opening = nil }()
	err := c.made.Session.Open(ctx)
	c.opening.over()
	return err
}

func (c *target) enter(p verify.Phase) {
	c.waited()
	if p == verify.PhaseWait {
		c.waitBegan = time.Now()
	}
	if c.phase == p {
		return
	}
	c.phase = p
	c.run.notify(Event{Target: c.index, Phase: p, Attempt: c.attempt, Failed: c.result.Phase})
}

func (c *target) waited() {
	if !c.waitBegan.IsZero() {
		c.result.WaitMS = sum(c.result.WaitMS, time.Since(c.waitBegan))
		c.waitBegan = time.Time{}
	}
}

// The first failure counts. It may end the run, before another target gets the slot.
func (c *target) fail(f *failure) {
	if c.result.Cause != "" {
		return
	}
	c.result.Phase, c.result.Cause, c.result.Code = f.phase, f.cause, f.code
	c.result.Message, c.result.Hint, c.result.Said = f.message, f.hint, f.said
	c.result.Side = verify.SideOf(f.phase, f.cause, f.code)
	if f.cause == verify.CauseCancelled && f.phase == verify.PhaseWait {
		c.result.Outcome = verify.OutcomeStopped
	}
	if f.exit != nil {
		c.exit(f.exit)
	}
	if c.run.opts.Repeat <= 1 {
		c.failed()
	}
}

// failed counts the target if it fails the run.
func (c *target) failed() {
	c.result.Decide(c.run.opts.Accepted, time.Now())
	if c.run.opts.FailOn.CountsTarget(&c.result) {
		c.run.countFailure()
	}
}

// expect adds the results of expectations.
func (c *target) expect(steps []verify.Step) {
	passed := c.result.OK
	c.result.Steps = append(c.result.Steps, steps...)
	if c.result.JudgeExpected(c.run.opts.FailOn); passed && !c.result.OK {
		c.failed()
	}
}

// ownMS returns how long the attempt has taken without any wait.
func (c *target) ownMS() float64 {
	return max(wording.Milliseconds(time.Since(c.began))-c.result.WaitedMS()-c.times[verify.PhaseBaseline], 0)
}

func (c *target) notice(n verify.Notice) { c.result.Notices = append(c.result.Notices, n) }

func (c *target) end() {
	c.waited()
	r := &c.result
	r.OK = r.Cause == ""
	r.DurationMS = c.ownMS()
	switch {
	case c.run.opts.Check != nil:
		r.Phase = ""
	case r.OK:
		r.Phase = verify.PhaseDone
		fallthrough
	default:
		r.Steps = slices.Concat(c.phaseSteps(), r.Steps)
	}
	c.tidy()
}
