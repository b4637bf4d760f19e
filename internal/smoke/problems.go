package smoke

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/problems"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
)

const (
	// maxProblems is the maximum number of problems in a result.
	maxProblems = 100
	// checkTimeout limits the time for checking one log.
	checkTimeout = 5 * time.Second
)

// lookForProblems checks the whole log after it is closed.
func (c *check) lookForProblems() {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	src := c.made.Session.Log()
	checker := rule.New(src)
	if checker.Advance(ctx, math.MaxInt, math.MaxInt) {
		rows, _ := checker.Progress()
		c.notice(Notice{Code: "findings.partial", Text: fmt.Sprintf("checked only the first %d of %d entries for problems", rows, src.Len())})
	}
	found := checker.Problems()
	count := checker.Count()
	c.result.Errors, c.result.Warnings, c.result.Remarks = count.Errors, count.Warnings, count.Remarks
	slices.SortStableFunc(found, func(a, b diagnosis.Problem) int { return int(b.Severity) - int(a.Severity) })
	for _, f := range found[:min(len(found), maxProblems)] {
		c.result.Problems = append(c.result.Problems, problems.Of(f))
	}
	c.result.ProblemsMore = len(found) - len(c.result.Problems)
	c.advise()
	c.explain(src, found)
	if bad := failing(c.run.opts.FailOn, src, found); len(bad) > 0 {
		c.result.ProblemsBad = len(bad)
		c.fail(brokenBy(bad))
	}
}

// explain adds problems in the log to the hint of a timeout: an unreadable
// response looks like a missing one. For a handshake, the session has a better
// hint.
func (c *check) explain(src session.Source, found []diagnosis.Problem) {
	if c.result.Cause != CauseTimeout || c.result.Phase == PhaseHandshake {
		return
	}
	wrong := failing(FailOnError, src, slices.DeleteFunc(slices.Clone(found), func(f diagnosis.Problem) bool { return f.Rule.Side == diagnosis.Process }))
	if len(wrong) == 0 {
		return
	}
	hints := []string{"it may have sent an invalid response: " + brokenBy(wrong).message}
	if c.result.Hint != "" {
		hints = append(hints, c.result.Hint)
	}
	c.result.Hint = strings.Join(hints, "\n")
}

// fromClient reports whether a problem is about a message that was sent to the
// server, such as an invalid one in a scenario. It is reported, but the server
// does not fail for it.
func fromClient(src session.Source, f diagnosis.Problem) bool {
	row, ok := session.RowAt(src, f.Row)
	return f.Rule.Side == diagnosis.Both && ok && row.Kind == session.KindStdin
}

// failing returns the problems that fail a target.
func failing(on FailOn, src session.Source, found []diagnosis.Problem) (bad []diagnosis.Problem) {
	least := map[FailOn]diagnosis.Severity{FailOnError: diagnosis.Error, FailOnWarning: diagnosis.Warning, FailOnNever: diagnosis.Error + 1}[on]
	for _, f := range found {
		if f.Severity >= least && !fromClient(src, f) {
			bad = append(bad, f)
		}
	}
	return bad
}

// brokenBy returns the failure for problems, which are sorted by severity.
func brokenBy(bad []diagnosis.Problem) *failure {
	first := bad[0]
	message := fmt.Sprintf("%s %s at entry %d: %s", first.Severity, first.Rule.ID, first.N, first.Rule.Title)
	if first.Detail != "" {
		message += ": " + first.Detail
	}
	return &failure{phase: PhaseDone, cause: CauseProtocol, code: first.Rule.ID, message: message + more(len(bad)), hint: "fix the server: " + first.Rule.Explanation}
}
