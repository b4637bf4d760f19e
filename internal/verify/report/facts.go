package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

// maxEvidence limits problems, changes and the like per target in formats for people.
// JSON has all.
const maxEvidence = 20

// causes are in the order of reports.
var causes = []verify.Cause{
	verify.CauseResolve, verify.CauseConnect, verify.CauseHostKey, verify.CauseAuth, verify.CauseExec, verify.CauseStart,
	verify.CauseHandshake, verify.CauseProtocol, verify.CauseScenario, verify.CauseDrift, verify.CauseTimeout,
	verify.CauseLinkLost, verify.CauseWatchdog, verify.CauseShutdown, verify.CauseOrphan, verify.CauseCancelled,
}

// isInfrastructure reports whether the server was not fully checked.
func isInfrastructure(c verify.Cause) bool {
	switch c {
	case verify.CauseResolve, verify.CauseConnect, verify.CauseHostKey, verify.CauseAuth, verify.CauseLinkLost, verify.CauseWatchdog,
		verify.CauseExec, verify.CauseStart, verify.CauseTimeout, verify.CauseCancelled:
		return true
	}
	return false
}

// passed returns how many targets passed, and how the others ended.
func passed(c *verify.Tally, of string) string {
	text := fmt.Sprintf("%d of %s passed", c.Passed, of)
	if c.Doubtful > 0 {
		text += fmt.Sprintf(", %d of them %s", c.Doubtful, verify.VerdictDoubtful)
	}
	if c.Flaky > 0 {
		text += fmt.Sprintf(", %d of them %s", c.Flaky, verify.OutcomeFlaky)
	}
	return text + c.String()
}

// failuresFirst returns the indexes of the targets, by outcome and then as given.
func failuresFirst(targets []verify.Result) []int {
	rank := func(i int) int {
		switch t := &targets[i]; t.Outcome {
		case verify.OutcomeFlaky:
			return 2
		case verify.OutcomeTolerated:
			return 3
		case verify.OutcomeStopped, verify.OutcomeSkipped:
			return 4
		default:
			switch t.Verdict() {
			case verify.VerdictFailed:
				return 0
			case verify.VerdictCancelled:
				return 1
			}
		}
		return 5
	}
	order := make([]int, len(targets))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return rank(order[i]) < rank(order[j]) })
	return order
}

// phases are in the order of reports.
var phases = []string{"connect", "auth", "replaced", "start", "handshake", "list", "ping", "scenario", "shutdown"}

func offers(r *verify.Result) string {
	var parts []string
	for _, list := range []struct {
		n    *int
		what string
	}{{r.Offers.Tools, "tool"}, {r.Offers.Resources, "resource"}, {r.Offers.Templates, "template"}, {r.Offers.Prompts, "prompt"}} {
		if list.n != nil && *list.n > 0 {
			parts = append(parts, wording.Plural(*list.n, list.what))
		}
	}
	return strings.Join(parts, ", ")
}

// evidence returns safe lines with all but the message and hint.
func evidence(r *verify.Result) []string {
	d := linesOf(r)
	var lines []string
	for _, part := range []struct {
		what  string
		items []string
		more  int
	}{
		{"said", r.Said, 0}, {"steps", d.steps, 0}, {"changes", d.drift, 0}, {"problems", problemLines(r.Problems), r.ProblemsMore},
		{"leaked processes", d.orphans, 0}, {"left running (--leave)", d.spared, 0}, {"cannot tell", r.CannotTell, 0}, {"notices", d.notices, 0},
	} {
		if len(part.items) == 0 {
			continue
		}
		lines = append(lines, part.what+":")
		for _, item := range some(part.items, part.more) {
			lines = append(lines, "  "+termsafe.Line(item))
		}
	}
	return lines
}

// targetLines are the lists of a target as lines that are not yet safe for a terminal.
type targetLines struct{ steps, drift, orphans, spared, notices []string }

func linesOf(r *verify.Result) targetLines {
	return targetLines{
		steps: each(r.ScenarioSteps(), stepText), drift: each(r.Drift, changeText), orphans: each(r.Orphans, orphanText),
		spared: each(r.Spared, sparedText), notices: each(r.Notices, noticeText),
	}
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

func stepText(s *verify.Step) string {
	text := fmt.Sprintf("%-7s line %d: %s", s.Status, s.Line, s.Subject)
	if len(s.Problems) > 0 {
		text += ": " + strings.Join(s.Problems, "; ")
	}
	return text
}

// The line is not yet safe for a terminal.
func changeText(c *surface.Change) string {
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

func problemLines(list []verify.ProcessProblem) []string {
	var lines []string
	groups := verify.Groups(list, func(p *verify.ProcessProblem) *verify.Problem { return &p.Problem })
	for i := range groups {
		g := &groups[i]
		if g.End == nil {
			p := list[g.Items[0]].Flood(g)
			lines = append(lines, problemText(&p))
			continue
		}
		lines = append(lines, g.Severity.String()+": "+list[g.Items[0]].Cause.Text)
		for _, item := range g.Items {
			lines = append(lines, "  "+problemText(&list[item].Problem))
		}
	}
	return lines
}

func problemText(f *verify.Problem) string {
	return fmt.Sprintf("%s %s entry %d: %s", f.Severity, f.ID, f.N, f.Message())
}

func orphanText(o *verify.Orphan) string {
	text := fmt.Sprintf("%d %s", o.PID, o.Command)
	if o.Alive {
		text += " (still alive)"
	}
	return text
}

func sparedText(s *verify.Spared) string { return fmt.Sprintf("%d %s", s.PID, s.Command) }

func noticeText(n *verify.Notice) string {
	text := n.Code + ": " + n.Text
	if n.Said != "" {
		text += ": " + n.Said
	}
	if n.Hint != "" {
		text += " (try: " + n.Hint + ")"
	}
	return text
}

func failed(r *verify.Result) []verify.Step {
	return slices.DeleteFunc(r.ScenarioSteps(), func(s verify.Step) bool { return s.Status != verify.Failed })
}

// A Fact is a detail of a target, with a label of a word or two. Text is raw, of several
// lines; Bad marks a problem.
type Fact struct {
	Label, Text string
	Bad         bool
}

// About returns details of a finished target in addition to OneLine. They are not yet safe.
func About(r *verify.Result) []Fact {
	d, server, exit := linesOf(r), r.First(), r.Exit
	if slices.Contains(r.CannotTell, exit) {
		exit = ""
	}
	lines := func(items []string, more int) string { return strings.Join(some(items, more), "\n") }
	facts := []Fact{
		{"try", r.Hint, false}, {"code", r.Code, false}, {"said", lines(r.Said, 0), false}, {"exit", exit, false},
		{"server", server.String(), false}, {"protocol", server.Protocol, false}, {"offers", offers(r), false},
		{"times", timesText(r), false}, {"waited", waited(r), false},
		{"steps", lines(d.steps, 0), len(failed(r)) > 0}, {"drift", lines(d.drift, 0), true},
		{"problems", lines(problemLines(r.Problems), r.ProblemsMore), false}, {"leaked", lines(d.orphans, 0), true},
		{"left running", lines(d.spared, 0), false}, {"debug", r.Debug, false}, {"cannot tell", lines(r.CannotTell, 0), true}, {"notices", lines(d.notices, 0), false},
	}
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

func timesText(r *verify.Result) string {
	var parts []string
	for _, phase := range phases {
		if ms := r.Took(phase); ms != nil {
			parts = append(parts, phase+" "+duration(*ms))
		}
	}
	return strings.Join(parts, ", ")
}
