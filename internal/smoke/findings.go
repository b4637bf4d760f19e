package smoke

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/lint"
)

const (
	// MaxFindings is how many findings a result holds.
	MaxFindings = 100
	// lintPatience is how long it is looked for them in one log.
	lintPatience = 5 * time.Second
)

// lint looks for what is wrong in the whole log, when it is closed.
func (c *check) lint() {
	ctx, cancel := context.WithTimeout(context.Background(), lintPatience)
	defer cancel()
	src := c.made.Session.Log()
	linter := lint.New(src)
	if linter.Advance(ctx, math.MaxInt, math.MaxInt) {
		rows, _ := linter.Looked()
		c.notice(Notice{Code: "findings.partial", Text: fmt.Sprintf("looked for findings in the first %d of %d entries only", rows, src.Len())})
	}
	found := linter.Findings()
	count := linter.Count()
	c.result.Errors, c.result.Warnings, c.result.Remarks = count.Errors, count.Warnings, count.Remarks
	slices.SortStableFunc(found, func(a, b lint.Finding) int { return int(b.Severity) - int(a.Severity) })
	for _, f := range found[:min(len(found), MaxFindings)] {
		c.result.Findings = append(c.result.Findings, FindingOf(f))
	}
	c.result.FindingsMore = len(found) - len(c.result.Findings)
	c.advise()
	c.explain(src, found)
	if bad := condemned(c.run.opts.FailOn, src, found); len(bad) > 0 {
		c.result.FindingsBad = len(bad)
		c.fail(broken(bad))
	}
}

// FindingOf is a finding as documents have it.
func FindingOf(f lint.Finding) Finding {
	return Finding{
		ID: f.Rule.ID, Severity: f.Severity.String(), Count: f.Count, N: f.N, Seq: f.Seq, T: f.T,
		Title: f.Rule.Title, Detail: f.Detail, Breaks: f.Rule.Breaks,
	}
}

// explain adds what is wrong in the log to the hint of an answer that did not come
// in time: an answer that nobody can read is one that did not come. What keeps a
// handshake from its end the session knows better.
func (c *check) explain(src session.Source, found []lint.Finding) {
	if c.result.Cause != CauseTimeout || c.result.Phase == PhaseHandshake {
		return
	}
	wrong := condemned(FailOnError, src, slices.DeleteFunc(slices.Clone(found), func(f lint.Finding) bool { return f.Rule.Dir == lint.Process }))
	if len(wrong) == 0 {
		return
	}
	hints := []string{"it may have answered, but wrongly: " + broken(wrong).message}
	if c.result.Hint != "" {
		hints = append(hints, c.result.Hint)
	}
	c.result.Hint = strings.Join(hints, "\n")
}

// ours tells whether a finding is about what was sent, such as the nonsense of a
// scenario: it is told, and is not the fault of the server.
func ours(src session.Source, f lint.Finding) bool {
	var row [1]session.Row
	return f.Rule.Dir == lint.Both && src.Rows(f.Row, row[:]) == 1 && row[0].Kind == session.KindStdin
}

// condemned are the findings that fail a target.
func condemned(on FailOn, src session.Source, found []lint.Finding) (bad []lint.Finding) {
	least := map[FailOn]lint.Severity{FailOnError: lint.Error, FailOnWarning: lint.Warning, FailOnNever: lint.Error + 1}[on]
	for _, f := range found {
		if f.Severity >= least && !ours(src, f) {
			bad = append(bad, f)
		}
	}
	return bad
}

// broken is the failure that findings, the worst first, come to.
func broken(bad []lint.Finding) *failure {
	first := bad[0]
	message := fmt.Sprintf("%s %s at entry %d: %s", first.Severity, first.Rule.ID, first.N, first.Rule.Title)
	if first.Detail != "" {
		message += ": " + first.Detail
	}
	return &failure{phase: PhaseDone, cause: CauseProtocol, code: first.Rule.ID, message: message + more(len(bad)), hint: "mend the server: " + first.Rule.Explanation}
}
