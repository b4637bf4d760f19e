package report

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/smoke"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

// maxEvidence limits problems, changes and the like per target in formats for people.
// JSON has all.
const maxEvidence = 20

// causes are in the order of reports.
var causes = []smoke.Cause{
	smoke.CauseResolve, smoke.CauseConnect, smoke.CauseHostKey, smoke.CauseAuth, smoke.CauseExec, smoke.CauseStart,
	smoke.CauseHandshake, smoke.CauseProtocol, smoke.CauseScenario, smoke.CauseDrift, smoke.CauseTimeout,
	smoke.CauseLinkLost, smoke.CauseWatchdog, smoke.CauseShutdown, smoke.CauseOrphan, smoke.CauseCancelled,
}

// isInfrastructure reports whether the server was not fully checked.
func isInfrastructure(c smoke.Cause) bool {
	switch c {
	case smoke.CauseResolve, smoke.CauseConnect, smoke.CauseHostKey, smoke.CauseAuth, smoke.CauseLinkLost, smoke.CauseWatchdog,
		smoke.CauseExec, smoke.CauseStart, smoke.CauseTimeout, smoke.CauseCancelled:
		return true
	}
	return false
}

// passed returns how many targets passed, and how many of them as smoke.Doubtful.
func passed(c *smoke.Counts, of string) string {
	text := fmt.Sprintf("%d of %s passed", c.Passed, of)
	if c.Doubtful > 0 {
		text += fmt.Sprintf(", %d of them %s", c.Doubtful, smoke.Doubtful)
	}
	return text
}

// A timing is in milliseconds.
type timing struct {
	Name string
	MS   *float64
}

func timings(t *smoke.Timings) []timing {
	return append([]timing{{"wait", t.Wait}}, ownTimings(t)...)
}

func ownTimings(t *smoke.Timings) []timing {
	return []timing{
		{"connect", t.Connect}, {"auth", t.Auth}, {"replaced", t.Replaced}, {"start", t.Start}, {"handshake", t.Handshake},
		{"list", t.List}, {"ping", t.Ping}, {"scenario", t.Scenario}, {"shutdown", t.Shutdown},
	}
}

func offers(r *smoke.Result) string {
	var parts []string
	for _, list := range []struct {
		n    *int
		what string
	}{{r.Tools, "tool"}, {r.Resources, "resource"}, {r.Templates, "template"}, {r.Prompts, "prompt"}} {
		if list.n != nil && *list.n > 0 {
			parts = append(parts, wording.Plural(*list.n, list.what))
		}
	}
	return strings.Join(parts, ", ")
}

// evidence returns safe lines with all but the message and hint.
func evidence(r *smoke.Result) []string {
	var lines []string
	add := func(what string, items []string, more int) {
		if len(items) == 0 {
			return
		}
		lines = append(lines, what+":")
		for _, item := range some(items, more) {
			lines = append(lines, "  "+termsafe.Line(item))
		}
	}
	add("said", r.Said, 0)
	add("steps", each(r.Steps, stepText), 0)
	add("changes", each(r.Drift, changeText), 0)
	add("problems", problemLines(r.Problems), r.ProblemsMore)
	add("leaked processes", each(r.Orphans, orphanText), 0)
	add("left running (--leave)", each(r.Spared, sparedText), 0)
	add("cannot tell", r.CannotTell, 0)
	add("notices", each(r.Notices, noticeText), 0)
	return lines
}

// some adds a line that counts the others, including more.
func some(items []string, more int) []string {
	shown := items[:min(len(items), maxEvidence)]
	if more += len(items) - len(shown); more > 0 {
		return append(shown[:len(shown):len(shown)], fmt.Sprintf("and %d more", more))
	}
	return shown
}

func each[T any](items []T, text func(*T) string) []string {
	out := make([]string, len(items))
	for i := range items {
		out[i] = text(&items[i])
	}
	return out
}

func stepText(s *smoke.Step) string {
	text := fmt.Sprintf("%-7s line %d: %s", s.Status, s.Line, s.Name)
	if len(s.Problems) > 0 {
		text += ": " + strings.Join(s.Problems, "; ")
	}
	return text
}

// The line is not yet safe for a terminal.
func changeText(c *smoke.Change) string {
	what := strings.TrimSpace(c.What + " " + c.Name)
	switch {
	case c.Change == surface.More:
		return fmt.Sprintf("%s: %d more changes", what, c.Count)
	case c.Change != surface.Changed:
		return what + " " + c.Change
	case c.From == "" && c.To == "":
		return what + " changed"
	case c.Pointer != "":
		what += " " + c.Pointer
	}
	orNone := func(value string) string {
		if value == "" {
			return "(none)"
		}
		return value
	}
	return fmt.Sprintf("%s: %s -> %s", what, orNone(c.From), orNone(c.To))
}

func problemLines(list []smoke.Problem) []string {
	var lines []string
	groups := verify.Groups(list, func(p *smoke.Problem) *smoke.Problem { return p })
	for i := range groups {
		g := &groups[i]
		if g.End == nil {
			p := list[g.Items[0]].Flood(g)
			lines = append(lines, problemText(&p))
			continue
		}
		lines = append(lines, g.Severity.String()+": "+list[g.Items[0]].Cause.Text)
		for _, item := range g.Items {
			lines = append(lines, "  "+problemText(&list[item]))
		}
	}
	return lines
}

func problemText(f *smoke.Problem) string {
	return fmt.Sprintf("%s %s entry %d: %s", f.Severity, f.ID, f.N, f.Message())
}

func orphanText(o *smoke.Orphan) string {
	text := fmt.Sprintf("%d %s", o.PID, o.Command)
	if o.Alive {
		text += " (still alive)"
	}
	return text
}

func sparedText(s *smoke.Spared) string { return fmt.Sprintf("%d %s", s.PID, s.Command) }

func noticeText(n *smoke.Notice) string {
	text := n.Code + ": " + n.Text
	if n.Said != "" {
		text += ": " + n.Said
	}
	if n.Hint != "" {
		text += " (try: " + n.Hint + ")"
	}
	return text
}

func failed(steps []smoke.Step) []smoke.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s smoke.Step) bool { return s.Status != "failed" })
}

// A Fact is a detail of a target, with a label of a word or two. Text is raw, of several
// lines; Bad marks a problem.
type Fact struct {
	Label, Text string
	Bad         bool
}

// About returns details of a finished target in addition to Text. They are not yet safe.
func About(r *smoke.Result) []Fact {
	var facts []Fact
	add := func(label, text string, bad bool) {
		if text != "" {
			facts = append(facts, Fact{label, text, bad})
		}
	}
	list := func(label string, lines []string, more int, bad bool) {
		add(label, strings.Join(some(lines, more), "\n"), bad)
	}
	add("try", r.Hint, false)
	add("code", r.Code, false)
	list("said", r.Said, 0, false)
	if !slices.Contains(r.CannotTell, r.Exit) {
		add("exit", r.Exit, false)
	}
	if r.ServerInfo != nil {
		add("server", strings.TrimSpace(r.ServerInfo.Name+" "+r.ServerInfo.Version), false)
	}
	add("protocol", r.Protocol, false)
	add("offers", offers(r), false)
	add("times", timesText(&r.Timings), false)
	add("waited", waited(r), false)
	list("steps", each(r.Steps, stepText), 0, len(failed(r.Steps)) > 0)
	list("drift", each(r.Drift, changeText), 0, true)
	list("problems", problemLines(r.Problems), r.ProblemsMore, false)
	list("leaked", each(r.Orphans, orphanText), 0, true)
	list("left running", each(r.Spared, sparedText), 0, false)
	list("cannot tell", r.CannotTell, 0, true)
	list("notices", each(r.Notices, noticeText), 0, false)
	return facts
}

func timesText(t *smoke.Timings) string {
	var parts []string
	for _, phase := range ownTimings(t) {
		if phase.MS != nil {
			parts = append(parts, phase.Name+" "+duration(*phase.MS))
		}
	}
	return strings.Join(parts, ", ")
}

// Text describes a target in one line, safe for a terminal: what it offers, or what went
// wrong in which phase.
func Text(r *smoke.Result) string { return lineText(r) }
