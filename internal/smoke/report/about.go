package report

import (
	"strings"

	"mcpdbg/internal/smoke"
)

// A Fact is a detail of a target, with a label of a word or two. Text is raw
// and may have several lines; Bad marks a problem.
type Fact struct {
	Label, Text string
	Bad         bool
}

// About returns details of a finished target in addition to Text, for a screen
// with room for them. Texts are not yet safe.
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
	add("exit", r.Exit, false)
	if r.ServerInfo != nil {
		add("server", strings.TrimSpace(r.ServerInfo.Name+" "+r.ServerInfo.Version), false)
	}
	add("protocol", strings.TrimSpace(r.Era+" "+r.Protocol), false)
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

// timesText returns the duration of each phase.
func timesText(t *smoke.Timings) string {
	var parts []string
	for _, phase := range ownTimings(t) {
		if phase.MS != nil {
			parts = append(parts, phase.Name+" "+duration(*phase.MS))
		}
	}
	return strings.Join(parts, ", ")
}

// Text describes a target in one line: what it offers if it passed, or else
// what went wrong in which phase. It is safe for a terminal.
func Text(r *smoke.Result) string { return lineText(r) }
