package scenario

import (
	"context"
	"fmt"
	"math"

	"mcpdbg/session/lint"
)

// foundSoFar are the counts of the findings at one moment, in their order.
type foundSoFar []int

// foundSoFar is what was found before a step that wants to know what it adds.
// Only such a step has the log looked at.
func (r *runner) foundSoFar(ctx context.Context, step *Step) foundSoFar {
	if step.Expect.Findings == "" {
		return nil
	}
	var counts foundSoFar
	for _, f := range r.lookForFindings(ctx) {
		counts = append(counts, f.Count)
	}
	return counts
}

// lookForFindings returns all that was found in the log as it is now.
func (r *runner) lookForFindings(ctx context.Context) []lint.Finding {
	if r.lint == nil {
		r.lint = lint.New(r.log)
	}
	now := r.log.Now()
	r.lint.Advance(ctx, math.MaxInt, math.MaxInt)
	r.lint.Tick(now)
	return r.lint.Findings()
}

// findings fails a step that was to have no findings, of a severity on, for
// those that are new, and those that were found once more. The step's time may
// be over by then.
func (j *judgement) findings(before foundSoFar) {
	least := lint.Warning
	switch j.step.Expect.Findings {
	case "":
		return
	case lint.Error.String():
		least = lint.Error
	}
	for i, f := range j.lookForFindings(j.background) {
		if f.Severity < least || i < len(before) && before[i] == f.Count {
			continue
		}
		text := fmt.Sprintf("%s %s, entry %d: %s%s", f.Severity, f.Rule.ID, f.N, f.Rule.Title, ifAny(": ", f.Detail))
		j.add(Problem{Check: "findings", Want: "none", Got: f.Rule.ID, Text: "findings: " + j.hide.Text(text)})
	}
}
