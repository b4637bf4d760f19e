package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/widget/termsafe"
)

// Text writes a check, in lines of at most 79 cells, with the verdict at the end, or, if first is
// set, at the top.
func Text(w io.Writer, r *verify.Report, first bool) error {
	t := details{b: bufio.NewWriter(w)}
	if first {
		t.summary(r)
		t.line("")
	}
	for i := range r.Targets {
		if i > 0 {
			t.line("")
		}
		t.target(&r.Targets[i])
	}
	t.baseline("no longer found, and still in the baseline", r.Stale)
	t.baseline("accepted until a date that is past", r.Expired)
	if !first {
		t.line("")
		t.summary(r)
	}
	return t.b.Flush()
}

type details struct{ b *bufio.Writer }

func (t *details) line(format string, args ...any) {
	_, _ = fmt.Fprintln(t.b, strings.TrimRight(fmt.Sprintf(format, args...), " ")) // Flush reports errors
}

func (t *details) fold(first, rest, words string) {
	termsafe.Fold(t.b, first, rest, termsafe.Line(words))
}

func (t *details) target(r *verify.Result) {
	title := r.Server
	if r.Remote() || r.Place != "" {
		title += " on " + r.Where()
	}
	if len(r.Servers) > 0 {
		title += ": " + strings.TrimSpace(r.Servers[0].Name+" "+r.Servers[0].Version)
	}
	for _, s := range r.Servers {
		title += ", " + s.Era + " " + s.Protocol
	}
	t.fold("", "  ", title)
	if r.Unchecked() {
		t.failure(r)
	}
	t.steps(r)
	t.problems(r)
	if !r.Unchecked() && len(r.Steps)+len(r.Problems) == 0 {
		t.line("  no problems")
	}
	for _, text := range r.Partial {
		t.fold("  note: ", "        ", text)
	}
}

func (t *details) failure(r *verify.Result) {
	t.fold("  error: ", "         ", r.Message)
	for _, line := range r.Said {
		t.fold("    stderr: ", "            ", line)
	}
	for _, line := range termsafe.Lines(r.Hint) {
		t.fold("  try: ", "       ", line)
	}
	if r.Debug != "" {
		t.line("  debug: %s", termsafe.Line(r.Debug))
	}
}

func (t *details) steps(r *verify.Result) {
	group := ""
	for i := 0; i < len(r.Steps); {
		s := &r.Steps[i]
		if name := groupOf(s); name != group {
			group = name
			t.line("\n  %s", group)
		}
		if s.Name != verify.StepCall {
			t.step(statusOf(s), titleOf(s), s.Reason)
			i++
			continue
		}
		calls := r.Steps[i:callsEnd(r.Steps, i)]
		t.calls(calls)
		i += len(calls)
	}
}

func callsEnd(steps []verify.Step, from int) int {
	end := from
	for end < len(steps) && steps[end].Name == verify.StepCall && steps[end].Era == steps[from].Era {
		end++
	}
	return end
}

// Calls that ended alike are in one line.
func (t *details) calls(steps []verify.Step) {
	var order []string
	alike := map[string][]*verify.Step{}
	for i := range steps {
		s := &steps[i]
		key := statusOf(s) + "\n" + s.Reason
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], s)
	}
	for _, key := range order {
		group := alike[key]
		if len(group) == 1 {
			t.step(statusOf(group[0]), titleOf(group[0]), group[0].Reason)
			continue
		}
		var names []string
		for _, s := range group {
			names = append(names, s.Subject)
		}
		reason := strings.Join(names, ", ")
		if group[0].Reason != "" {
			reason += ": " + group[0].Reason
		}
		t.step(statusOf(group[0]), wording.Plural(len(group), "call"), reason)
	}
}

func groupOf(s *verify.Step) string {
	switch s.Name {
	case verify.StepBadLine, verify.StepVersion, verify.StepEOF, verify.StepTerm, verify.StepLeaked:
		return "each in a process of its own"
	}
	if s.Era == "" {
		return "either era"
	}
	return s.Era + " era"
}

// failedWarning is for a SHOULD.
const failedWarning = "failed (warning)"

// Widths of the columns of statuses and names.
const (
	statusWidth = len(failedWarning)
	titleWidth  = len("unsupported version")
)

// In cells.
const maxReason = 240

func (t *details) step(status, title, reason string) {
	head := fmt.Sprintf("    %-*s  %s", statusWidth, status, termsafe.Line(title))
	indent := strings.Repeat(" ", 4+statusWidth+2+titleWidth+2)
	if reason == "" {
		t.line("%s", head)
		return
	}
	if width := termsafe.Width(head); width+2 > len(indent) { // a long name has a line of its own
		t.line("%s", head)
		head = ""
	}
	head += strings.Repeat(" ", len(indent)-termsafe.Width(head))
	termsafe.Fold(t.b, head, indent, termsafe.Truncate(termsafe.Line(reason), maxReason, termsafe.Ellipsis))
}

func titleOf(s *verify.Step) string {
	if s.Name == verify.StepVersion && s.Era != "" {
		return "version, " + s.Era
	}
	return s.Title()
}

// statusOf returns the status as it is shown.
func statusOf(s *verify.Step) string {
	switch {
	case s.Accepted:
		return "accepted"
	case s.Status == verify.Failed && s.Severity == diagnosis.Warning.String():
		return failedWarning
	case s.Status == verify.Failed:
		return "FAILED"
	}
	return string(s.Status)
}

// Per rule and severity.
const maxShown = 10

// problems writes causes with their consequences first.
func (t *details) problems(r *verify.Result) {
	groups := r.Groups(func(*verify.ProcessProblem) bool { return true })
	for i := range groups {
		if groups[i].End != nil {
			t.cause(r, &groups[i])
		}
	}
	t.rules(r, slices.DeleteFunc(groups, func(g diagnosis.Group) bool { return g.End != nil }))
	if r.ProblemsMore > 0 {
		t.line("\n  and %s", wording.Plural(r.ProblemsMore, "further problem"))
	}
}

func (t *details) cause(r *verify.Result, g *diagnosis.Group) {
	cause := r.Problems[g.Items[0]].Cause
	t.line("")
	t.fold("  "+g.Severity.String()+": ", "    ", cause.Text)
	if cause.Advice != "" {
		t.fold("    try: ", "         ", cause.Advice)
	}
	t.line("    consequences:")
	for _, i := range g.Items[:min(len(g.Items), maxShown)] {
		p := &r.Problems[i]
		t.problem(r, p, p.Severity+" "+p.ID+" "+p.Title)
	}
	if more := len(g.Items) - maxShown; more > 0 {
		t.line("      and %d more (--json)", more)
	}
}

// rules writes problems without a cause, by rule.
func (t *details) rules(r *verify.Result, groups []diagnosis.Group) {
	rule, shown := "", 0
	for i := range groups {
		p := &r.Problems[groups[i].Items[0]]
		last := true
		if i+1 < len(groups) {
			next := &r.Problems[groups[i+1].Items[0]]
			last = next.Severity+next.ID != p.Severity+p.ID
		}
		if p.Severity+p.ID != rule {
			rule, shown = p.Severity+p.ID, 0
			t.line("")
			t.fold(fmt.Sprintf("  %s %s: ", p.Severity, p.ID), "    ", p.Title)
			t.fold("    ", "    ", p.Hint)
		}
		if shown++; shown <= maxShown {
			whole := *p
			whole.Problem = p.Flood(&groups[i])
			t.problem(r, &whole)
		}
		if last && shown > maxShown {
			t.line("      and %d more (--json)", shown-maxShown)
		}
	}
}

func (t *details) problem(r *verify.Result, p *verify.ProcessProblem, parts ...string) {
	if where := p.Where(); where != "" {
		parts = append(parts, where)
	}
	if p.Detail != "" {
		parts = append(parts, p.Detail)
	}
	end := fmt.Sprintf(" (entry %d", p.N)
	switch {
	case len(r.Steps) == 0:
	case p.Recording != "":
		end += " of " + filepath.Base(p.Recording)
	default:
		end += fmt.Sprintf(" of process %d", p.Process)
	}
	for _, part := range []string{p.Times(), p.String()} {
		if part != "" {
			end += ", " + part
		}
	}
	t.fold("    - ", "      ", strings.TrimSpace(strings.Join(parts, ": ")+end+")"))
}

func (t *details) baseline(title string, list []verify.Entry) {
	if len(list) == 0 {
		return
	}
	t.line("\n%s:", title)
	for _, e := range list {
		words := e.Fingerprint
		if e.Server != "" {
			words += " of " + e.Server
		}
		if e.Expires != "" {
			words += ", until " + e.Expires
		}
		if e.Reason != "" {
			words += ": " + e.Reason
		}
		t.fold("  ", "    ", words)
	}
}

func (t *details) summary(r *verify.Report) {
	t.fold("", "  ", Verdict(r))
	if unrecorded(r) {
		t.fold("try: ", "  ", "--record DIR to keep a recording of each process")
	}
	t.fold("checked: ", "  ", fmt.Sprintf("%s (rule set %s; --fail-on %s)", r.Checked, r.RuleSet, r.FailOn))
	if r.Again != "" {
		t.line("again: %s", termsafe.Line(r.Again))
	}
}

// Verdict returns the outcome and numbers in one line.
func Verdict(r *verify.Report) string {
	outcome := "FAILED"
	switch {
	case r.OK:
		outcome = "ok"
	case r.Stopped:
		outcome = "STOPPED"
	}
	passed := 0
	for i := range r.Targets {
		if r.Targets[i].OK {
			passed++
		}
	}
	if len(r.Targets) > 1 {
		outcome += fmt.Sprintf(" (%d of %d passed)", passed, len(r.Targets))
	}
	var parts []string
	if steps := stepsText(r); steps != "" {
		parts = append(parts, steps)
	}
	parts = append(parts, countOf(r).String())
	return outcome + ": " + strings.Join(parts, "; ")
}

// unrecorded reports whether problems are in no recording.
func unrecorded(r *verify.Report) bool {
	for i := range r.Targets {
		t := &r.Targets[i]
		if len(t.Steps) > 0 && len(t.Problems) > 0 && t.Problems[0].Recording == "" {
			return true
		}
	}
	return false
}

// Accepted problems do not count.
func countOf(r *verify.Report) diagnosis.Count {
	var c diagnosis.Count
	for i := range r.Targets {
		c.Add(diagnosis.CountGroups(r.Targets[i].Groups(func(p *verify.ProcessProblem) bool { return !p.Accepted })))
	}
	return c
}

// stepsText counts the steps, "" without any.
func stepsText(r *verify.Report) string {
	var c verify.StepCount
	for i := range r.Targets {
		one := r.Targets[i].StepCount()
		c.Passed, c.Failed, c.NotApplicable = c.Passed+one.Passed, c.Failed+one.Failed, c.NotApplicable+one.NotApplicable
		c.NotChecked, c.Accepted, c.Warned = c.NotChecked+one.NotChecked, c.Accepted+one.Accepted, c.Warned+one.Warned
	}
	if c == (verify.StepCount{}) {
		return ""
	}
	text := wording.Plural(c.Passed, "step") + " passed"
	for _, part := range []struct {
		n    int
		what string
	}{{c.Failed, "failed"}, {c.Warned, failedWarning}, {c.Accepted, "accepted"}, {c.NotChecked, "not checked"}, {c.NotApplicable, "not applicable"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}
