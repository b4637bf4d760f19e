package report

import (
	"fmt"
	"strings"

	"mcpdbg/internal/smoke"
)

// A Fact is something that is known of a target, under a label of a word or two.
// Text is as it was said, and may have several lines; Bad is what went wrong.
type Fact struct {
	Label, Text string
	Bad         bool
}

// About is what there is to say of a target that is done beside Text, for a screen
// with room for it. Texts are not safe yet.
func About(r *smoke.Result) []Fact {
	var facts []Fact
	add := func(label string, bad bool, lines ...string) {
		if more := len(lines) - maxEvidence; more > 0 {
			lines = append(lines[:maxEvidence:maxEvidence], fmt.Sprintf("and %d more", more))
		}
		if text := strings.Join(lines, "\n"); text != "" {
			facts = append(facts, Fact{label, text, bad})
		}
	}
	add("try", false, r.Hint)
	add("code", false, r.Code)
	add("said", false, r.Said...)
	add("exit", false, r.Exit)
	if r.ServerInfo != nil {
		add("server", false, strings.TrimSpace(r.ServerInfo.Name+" "+r.ServerInfo.Version))
	}
	add("protocol", false, strings.TrimSpace(r.Era+" "+r.Protocol))
	add("offers", false, offers(r))
	add("times", false, timesText(&r.Timings))
	add("steps", len(failed(r.Steps)) > 0, each(r.Steps, stepText)...)
	add("drift", true, each(r.Drift, ChangeText)...)
	add("findings", false, each(r.Findings, findingText)...)
	add("left behind", true, each(r.Orphans, orphanText)...)
	add("notices", false, each(r.Notices, noticeText)...)
	return facts
}

// timesText is how long each phase took.
func timesText(t *smoke.Timings) string {
	var parts []string
	for _, phase := range timings(t) {
		if phase.MS != nil {
			parts = append(parts, phase.Name+" "+duration(*phase.MS))
		}
	}
	return strings.Join(parts, ", ")
}

// Text says in one line what a target has that passed, or what went wrong in
// which phase. It is safe for a terminal.
func Text(r *smoke.Result) string { return lineText(r) }
