package scenario

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/executor"
)

// Run takes the steps in order through an open session prepared with Configure. At the
// end it cancels background calls that were not awaited, and waits for them; the session
// stays open. report, if not nil, is called after each step from Run's goroutine. After
// the first failure, steps are skipped unless Always or KeepGoing is set; those too are
// skipped when the server is gone, unless they restart it, and when they need a value that
// a failed step did not capture. When ctx ends, the current and all later
// steps are skipped. Every step and failure is a note in the session's log. The result
// and the notes contain no values of secret variables, but the log has all messages as
// sent.
func (s *Scenario) Run(ctx context.Context, sess *session.Session, vars *Vars, report func(StepResult)) *Result {
	begin := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	r := &runner{
		scenario: s, sess: sess, log: sess.Log(), vars: vars.own(), hide: newConcealer(vars),
		calls: map[string]*background{}, taken: map[match]bool{}, cancel: cancel,
	}
	r.since = session.LatestStart(r.log)
	r.background = ctx
	res := &Result{OK: true, Steps: make([]StepResult, 0, len(s.Steps))}
	for i := range s.Steps {
		step := r.step(ctx, i)
		if step.Status != Passed {
			res.OK = false
		}
		res.Steps = append(res.Steps, step)
		if report != nil {
			report(step)
		}
	}
	r.end()
	res.Took, res.Err = time.Since(begin), r.over
	return res
}

// A runner belongs to the goroutine of Run unless noted otherwise.
type runner struct {
	scenario *Scenario
	sess     *session.Session
	log      session.Log
	vars     *Vars // including captures
	hide     *concealer

	failed bool
	over   error // see Result.Err
	gone   bool
	starts int

	progresses bool           // a request asked for progress
	near       int            // number of messages that match a Wait except for their params
	begin      int            // first row of the current step
	since      int            // row from which a Wait searches
	taken      map[match]bool // already matched by a Wait
	checker    *rule.Checker  // nil until a step checks problems

	background context.Context // of the background calls
	cancel     context.CancelFunc
	calls      map[string]*background // by the name of their step
	group      sync.WaitGroup         // of the background calls
}

var errFailed = errors.New("an earlier step failed")

var errGone = errors.New("the server is gone")

// An outcome is a step's result before it is checked: a value, an error response, or err.
type outcome struct {
	n       uint64 // see StepResult.N
	kind    valueKind
	value   []byte // JSON
	rpc     *session.RPCError
	took    time.Duration // until it was received, by the log's clock
	exit    *executor.Exit
	problem *Problem // if set, nothing else is checked
	err     error
}

type valueKind uint8

const (
	noValue valueKind = iota
	anAnswer
	params // or a line
)

func (r *runner) step(ctx context.Context, i int) StepResult {
	step := &r.scenario.Steps[i]
	res := StepResult{Index: i, Name: step.Name, Place: step.Place, Do: step.Do, Status: Skipped}
	if res.Err = r.skips(ctx, step); res.Err != nil {
		return res
	}
	begin := time.Now()
	r.begin = r.log.Len()
	r.sess.Note(fmt.Sprintf("step %d %s", i+1, step.Name), "")
	found := r.problemsBefore(ctx, step)
	limited, cancel := r.limit(ctx, step)
	out := r.do(limited, step)
	if missing := new(missingError); r.failed && errors.As(out.err, &missing) {
		cancel()
		res.Err = fmt.Errorf("%w: %s", missing, r.missingCapture(missing.name))
		return res
	}
	problems := r.judge(limited, step, out, found)
	cancel()
	if step.Do != Wait && step.Do != Restart {
		r.since = r.begin
	}
	res.N, res.Took = out.n, time.Since(begin)
	if ctx.Err() != nil && len(problems) > 0 {
		res.Err = r.hide.error(context.Cause(ctx))
		r.over = res.Err
		return res
	}
	res.Status, res.Problems, res.Err = Passed, problems, r.hide.error(out.err)
	if len(problems) > 0 {
		res.Status, r.failed = Failed, true
		r.sess.Note(fmt.Sprintf("step %d failed: %s", i+1, problems[0]), "")
	}
	return res
}

// skips returns why a step is skipped, or nil.
func (r *runner) skips(ctx context.Context, step *Step) error {
	switch {
	case ctx.Err() != nil:
		if r.over == nil {
			r.over = r.hide.error(context.Cause(ctx))
		}
		return r.hide.error(context.Cause(ctx))
	case r.failed && !step.Always && !r.scenario.KeepGoing:
		return errFailed
	case r.gone && r.failed && step.Do != Restart:
		return errGone
	case step.Of != "" && r.calls[step.Of] == nil:
		return fmt.Errorf("%s did not run", step.Of)
	}
	return nil
}

// The time that a restart waits for its turn with a host, or for the user, does not
// count.
func (r *runner) limit(ctx context.Context, step *Step) (context.Context, context.CancelFunc) {
	limit := r.timeout(step)
	if step.Do == Restart {
		return executor.WithPausableTimeout(ctx, limit, &lateError{limit})
	}
	return within(ctx, limit)
}

func (r *runner) timeout(step *Step) time.Duration {
	switch {
	case step.Timeout > 0:
		return step.Timeout
	case r.scenario.Timeout > 0:
		return r.scenario.Timeout
	}
	return defaultTimeout
}

func (r *runner) do(ctx context.Context, step *Step) outcome {
	switch step.Do {
	case Call:
		if step.Background {
			return r.beginCall(ctx, step)
		}
		return r.call(ctx, step)
	case Await:
		return r.await(ctx, step)
	case Cancel:
		return r.cancelCall(ctx, step)
	case Notify:
		return r.notify(ctx, step)
	case Send:
		return r.send(ctx, step)
	case Wait:
		return r.wait(ctx, step)
	case Answer:
		return r.answer(ctx, step)
	case CloseStdin:
		return r.closeStdin(ctx, step)
	case Restart:
		return r.restart(ctx)
	}
	return outcome{problem: &Problem{Check: "internal", Text: fmt.Sprintf("unknown kind of step %q", step.Do)}}
}

func (r *runner) end() {
	r.giveUp()
	r.cancel()
	r.group.Wait()
}

// noTimeout is longer than any step: a request is limited by its step's timeout, which
// includes the time the server waits for our responses.
const noTimeout = 24 * time.Hour
