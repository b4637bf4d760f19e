package scenario

import (
	"context"
	"fmt"
	"math"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
)

// problemsBefore holds the counts of the problems at one moment, in order.
type problemsBefore []int

// problemsBefore returns the problems before a step that checks for new ones. The log is
// only checked for such steps.
func (r *runner) problemsBefore(ctx context.Context, step *Step) problemsBefore {
	if step.Expect.Problems == "" {
		return nil
	}
	var counts problemsBefore
	for _, f := range r.lookForProblems(ctx) {
		counts = append(counts, f.Count)
	}
	return counts
}

// lookForProblems checks the log up to now.
func (r *runner) lookForProblems(ctx context.Context) []diagnosis.Problem {
	if r.checker == nil {
		r.checker = rule.New(r.log)
	}
	now := r.log.Now()
	r.checker.Advance(ctx, math.MaxInt, math.MaxInt)
	r.checker.Tick(now)
	return r.checker.Problems()
}

// newProblems reports problems of the session that are new, or occurred again, since the
// step began. The step's timeout may have expired by then.
func (j *judgement) newProblems(before problemsBefore) {
	least := diagnosis.Warning
	switch j.step.Expect.Problems {
	case "":
		return
	case diagnosis.Error.String():
		least = diagnosis.Error
	}
	for i, f := range j.lookForProblems(j.background) {
		if f.Severity < least || i < len(before) && before[i] == f.Count {
			continue
		}
		text := fmt.Sprintf("%s %s, entry %d: %s%s", f.Severity, f.Rule.ID, f.N, f.Rule.Title, wording.IfAny(": ", f.Detail))
		j.add(Problem{Check: "findings", Want: "none", Got: f.Rule.ID, Text: "findings: " + j.hide.Text(text)})
	}
}
