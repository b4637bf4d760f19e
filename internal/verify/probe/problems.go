package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

const maxProblems = 100

func (c *target) lookForProblems() {
	src := c.made.Session.Log()
	checked := verify.CheckLog(src)
	if checked.Partial() {
		c.notice(verify.Notice{Code: "findings.partial", Text: fmt.Sprintf("checked only the first %d of %d entries for problems", checked.Rows, checked.Of)})
	}
	found, count := checked.Problems, checked.Count
	c.result.Errors, c.result.Warnings, c.result.Remarks = count.Errors, count.Warnings, count.Remarks
	groups := diagnosis.Groups(found, checked.Ends)
	c.result.Count = diagnosis.CountGroups(groups)
	for _, p := range verify.List(found, groups)[:min(len(found), maxProblems)] {
		c.result.Problems = append(c.result.Problems, verify.ProcessProblem{Problem: p})
	}
	reported := c.result.ReportedProblems()
	c.run.opts.Accepted.Apply(reported, nil, time.Now())
	for i := range reported {
		c.result.Problems[i].Acceptance = reported[i].Acceptance
	}
	c.result.ProblemsMore = len(found) - len(c.result.Problems)
	c.advise()
	c.explain(src, &checked)
	bad := slices.DeleteFunc(failing(c.run.opts.FailOn, src, found), func(f diagnosis.Problem) bool {
		return c.run.opts.Accepted.Accepts(c.result.Server, f.Fingerprint(), time.Now())
	})
	if len(bad) > 0 {
		c.result.ProblemsBad = len(bad)
		c.fail(brokenBy(bad, checked.Ends))
	}
}

// explain adds problems to the hint of a timeout: an unreadable response looks like a
// missing one. For a handshake, the session has a better hint.
func (c *target) explain(src session.Source, found *verify.Found) {
	if c.result.Cause != verify.CauseTimeout || c.result.Phase == verify.PhaseHandshake {
		return
	}
	wrong := failing(verify.FailOn{Error: true}, src, slices.DeleteFunc(slices.Clone(found.Problems), func(f diagnosis.Problem) bool { return f.Rule.Side == diagnosis.Process }))
	if len(wrong) == 0 {
		return
	}
	hints := []string{"it may have sent an invalid response: " + brokenBy(wrong, found.Ends).message}
	if c.result.Hint != "" {
		hints = append(hints, c.result.Hint)
	}
	c.result.Hint = strings.Join(hints, "\n")
}

// Problems in messages of a scenario are reported, but the server does not fail for them.
func failing(on verify.FailOn, src session.Source, found []diagnosis.Problem) (bad []diagnosis.Problem) {
	for _, f := range found {
		if on.Counts(f.Severity.String()) && !verify.FromClient(src, f) {
			bad = append(bad, f)
		}
	}
	return bad
}

// brokenBy takes problems sorted by severity, which may follow from ends of processes.
func brokenBy(bad []diagnosis.Problem, ends []diagnosis.End) *failure {
	first := bad[0]
	message := fmt.Sprintf("%s %s at entry %d: %s", first.Severity, first.Rule.ID, first.N, first.Rule.Title)
	if first.Detail != "" {
		message += ": " + first.Detail
	}
	return &failure{phase: verify.PhaseDone, cause: verify.CauseProtocol, code: first.Rule.ID, message: message + more(len(diagnosis.Groups(bad, ends))), hint: "fix the server: " + first.Rule.Explanation}
}
