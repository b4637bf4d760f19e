package probe

import (
	"context"
	"errors"
	"strconv"
	"time"

	"mcpdbg/internal/scenario"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

func (c *target) scenario(ctx context.Context) *failure {
	s := c.run.opts.Scenario
	if s == nil {
		return nil
	}
	c.enter(verify.PhaseScenario)
	begin := time.Now()
	result := s.Run(ctx, c.made.Session, c.run.opts.Vars, nil)
	c.times.add(verify.PhaseScenario, time.Since(begin))
	c.result.Steps = make([]verify.Step, len(result.Steps))
	for i := range result.Steps {
		c.result.Steps[i] = stepOf(&result.Steps[i])
	}
	return c.judge(ctx, result)
}

func stepOf(r *scenario.StepResult) verify.Step {
	step := verify.Step{Name: string(verify.PhaseScenario), Subject: r.Name, Line: r.Place.Line, Status: verify.Status(r.Status), DurationMS: wording.Milliseconds(r.Took), N: r.N}
	for _, p := range r.Problems {
		step.Problems = append(step.Problems, p.String())
	}
	return step
}

// judge returns nil if it passed: a lost connection comes first, then the first failed
// step, then another early end.
func (c *target) judge(ctx context.Context, result *scenario.Result) *failure {
	failed := result.Failed()
	switch {
	case result.OK:
		return nil
	case errors.As(result.Err, new(*executor.LostError)), failed == nil:
		err := result.Err
		if err == nil {
			err = errors.New("the scenario did not complete")
		}
		return c.classify(ctx, err)
	}
	f := &failure{phase: verify.PhaseScenario, cause: verify.CauseScenario, code: "step", message: "step " + failed.Name + " failed"}
	if len(failed.Problems) > 0 {
		f.code = failed.Problems[0].Check
		f.message += ": " + failed.Problems[0].String() + more(len(failed.Problems))
	}
	f.hint = "see line " + strconv.Itoa(failed.Place.Line) + " of " + c.run.opts.Scenario.File
	stderr, _ := c.made.Session.Tail()
	f.said = lastLines(stderr)
	return f
}
