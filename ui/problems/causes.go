package problems

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
)

const actEvidence = "evidence"

// causeActions returns the actions on likely causes.
func causeActions(of func(host.Context) *State) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actEvidence, Keys: []string{"V"}, Scope: keymap.Global, Title: "evidence", Help: "Go to the row that shows the likeliest cause; again, to that of the next cause.", Priority: 12, Enabled: hasEvidence}, Do: func(c host.Context) tea.Cmd { return of(c).goToEvidence(c) }},
		{Entry: host.Entry{ID: host.ActCauses, Keys: []string{"!"}, Scope: keymap.Global, Title: "why", Synonyms: []string{"what is wrong", "wrong", "diagnose", "causes", "report"}, Help: "Show the likeliest cause of the problems, its evidence and what to do; or what was checked.", Priority: 44, Enabled: notHome}, Do: func(c host.Context) tea.Cmd { return of(c).openCauses(c) }},
	}
}

// noCause reports that there is no likely cause, and what was checked.
func noCause(c host.Context) string {
	in := ""
	if far := c.Workspace.CheckProgress(); far != "" {
		in = " in the first " + far
	}
	if n := c.Workspace.Shown.Problems.Count.Problems(); n > 0 {
		return "no likely cause" + in + "; " + c.Host.Key(host.ActProblems) + " lists " + wording.Counted(n, "problem")
	}
	return "no problems" + in + "; " + checked(c)
}

func hasEvidence(c host.Context) (bool, string) {
	if len(c.Workspace.Shown.Causes.Found) == 0 {
		return false, noCause(c)
	}
	shows := func(v diagnosis.Cause) bool { return v.Row >= 0 }
	return slices.ContainsFunc(c.Workspace.Shown.Causes.Found, shows), "no row shows a likely cause"
}

// goToEvidence selects the row with the evidence of a cause; if it is selected
// already, that of the next cause that has one.
func (s *State) goToEvidence(c host.Context) tea.Cmd {
	var rows []int
	for _, v := range c.Workspace.Shown.Causes.Found {
		if v.Row >= 0 && !slices.Contains(rows, v.Row) {
			rows = append(rows, v.Row)
		}
	}
	next := 0
	if at := slices.Index(rows, c.Workspace.Shown.Causes.Shown); at >= 0 && c.Workspace.Selected.OK && c.Workspace.Selected.Number == c.Workspace.Shown.Causes.Shown {
		next = (at + 1) % len(rows)
	}
	c.Workspace.Shown.Causes.Shown = rows[next]
	c.Panes().GoTo(rows[next])
	return nil
}
