package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/workspace"
)

// turnTo shows another projection of the same log. Cursors stay on their entries;
// search, filter, folds and focus stay too.
func (sc *sessionScreen) turnTo(p *workspace.Projection) tea.Cmd {
	moved := sc.ws.Renumbering(p)
	sc.ws.Shown = p
	sc.ws.Notes.Renumber(moved)
	sc.detail.Turned(moved)
	cmd := sc.rows.TurnTo(moved)
	sc.app.arrange()
	return tea.Batch(cmd, sc.refresh(), sc.rows.Recount())
}
