package scenario

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/lint"
)

// Run takes the steps in their order through a session that is open, and was
// made with what Configure says. It returns when all that it began is over:
// calls in the background that nobody awaited are cancelled then. The session
// stays open. tell, if not nil, is told of each step when it ends, from the
// goroutine of Run.
//
// The first step that fails ends the run: those behind it are skipped, but for
// those that are always to run. Those are skipped too when there is no server
// any more, unless they restart it. When ctx ends, the step under way and all
// others are skipped. Every step is a note in the session's log, and every
// failure one more.
//
// Values of secret variables are in no text of the result and of the notes, but
// what is sent to the server is in the log as it was sent.
func (s *Scenario) Run(ctx context.Context, sess *session.Session, vars *Vars, tell func(StepResult)) *Result {
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
		if tell != nil {
			tell(step)
		}
	}
	r.end()
	res.Took, res.Err = time.Since(begin), r.over
	return res
}

// A runner is one run of a scenario. What is not said otherwise is for the
// goroutine of Run.
type runner struct {
	scenario *Scenario
	sess     *session.Session
	log      session.Log
	vars     *Vars // with what was captured
	hide     *concealer

	failed bool  // a step has
	over   error // see Result.Err
	gone   bool  // there is no server
	starts int   // how often it was restarted

	near  int            // how much has come that a Wait wants, but for its params
	begin int            // row at which the step began that runs now
	since int            // row from which a Wait looks, if no step is before it
	taken map[match]bool // what a Wait has found
	lint  *lint.Linter   // nil until a step wants findings

	background context.Context // of the calls in the background
	cancel     context.CancelFunc
	calls      map[string]*background // by the name of their step
	group      sync.WaitGroup         // of them
}

// errFailed is why steps are skipped when one has failed.
var errFailed = errors.New("a step before it failed")

// errGone is why steps are skipped that need a server.
var errGone = errors.New("there is no server any more")

// An outcome is what came of a step: a value, an error answer, or nothing for
// the reason err.
type outcome struct {
	n       uint64 // see StepResult.N
	kind    valueKind
	value   []byte // JSON
	rpc     *session.RPCError
	took    time.Duration // until it came, by the log's clock
	exit    *executor.Exit
	problem *Problem // nothing more is to be checked
	err     error
}

// A valueKind says what the value of an outcome is.
type valueKind uint8

const (
	noValue valueKind = iota
	anAnswer
	params // or a line
)

// step runs one step, or skips it.
func (r *runner) step(ctx context.Context, i int) StepResult {
	step := &r.scenario.Steps[i]
	res := StepResult{Index: i, Name: step.Name, Place: step.Place, Do: step.Do, Status: Skipped}
	if res.Err = r.skips(ctx, step); res.Err != nil {
		return res
	}
	begin := time.Now()
	r.begin = r.log.Len()
	r.sess.Note(fmt.Sprintf("step %d %s", i+1, step.Name), "")
	found := r.foundSoFar(ctx, step)
	limited, cancel := r.limit(ctx, step)
	out := r.do(limited, step)
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

// skips says why a step is not run, nil if it is.
func (r *runner) skips(ctx context.Context, step *Step) error {
	switch {
	case ctx.Err() != nil:
		if r.over == nil {
			r.over = r.hide.error(context.Cause(ctx))
		}
		return r.hide.error(context.Cause(ctx))
	case r.failed && !step.Always:
		return errFailed
	case r.gone && r.failed && step.Do != Restart:
		return errGone
	case step.Of != "" && r.calls[step.Of] == nil:
		return fmt.Errorf("%s did not run", step.Of)
	}
	return nil
}

// limit limits the time of a step. What a restart waits for its turn with a host, or
// for a person, does not count; in other steps all time does.
func (r *runner) limit(ctx context.Context, step *Step) (context.Context, context.CancelFunc) {
	limit := r.timeout(step)
	if step.Do == Restart {
		return executor.WithPatience(ctx, limit, &lateError{limit})
	}
	return within(ctx, limit)
}

// timeout is the limit of a step.
func (r *runner) timeout(step *Step) time.Duration {
	switch {
	case step.Timeout > 0:
		return step.Timeout
	case r.scenario.Timeout > 0:
		return r.scenario.Timeout
	}
	return DefaultTimeout
}

// do does what the step says.
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
	return outcome{problem: &Problem{Check: "internal", Text: fmt.Sprintf("no kind of step is called %q", step.Do)}}
}

// end ends what is still under way.
func (r *runner) end() {
	r.giveUp()
	r.cancel()
	r.group.Wait()
}

// patience is longer than any step: the limit of a request is the step's, which
// goes on while the server waits for an answer.
const patience = 24 * time.Hour
