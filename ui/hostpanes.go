package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

var _ host.Panes = (*sessionScreen)(nil)

// Changed implements host.Panes.
func (sc *sessionScreen) Changed() {
	sc.rows.ShowMarks()
	sc.rows.RelistLines()
	sc.app.canvas.markAll()
}

// Turn implements host.Panes. Cursors stay on their entries; search, filter, folds and
// focus stay too.
func (sc *sessionScreen) Turn(p *workspace.Projection) tea.Cmd {
	moved := sc.ws.Renumbering(p)
	if sc.ws.Tap != nil {
		workspace.Unplace(sc.ws, moved)
	}
	sc.ws.Shown = p
	if sc.ws.Tap != nil {
		workspace.WatchTap(sc.ws)
	}
	sc.ws.Notes.Renumber(moved)
	sc.detail.Turned(moved)
	cmd := sc.rows.TurnTo(moved)
	sc.app.arrange()
	return tea.Batch(cmd, sc.Refresh(), sc.rows.Recount())
}

// Relist implements host.Panes.
func (sc *sessionScreen) Relist() { sc.rows.Traffic.Relist() }

// Select implements host.Panes. The focus moves only if the session is visible.
func (sc *sessionScreen) Select(number int) {
	if sc != sc.app.visible {
		sc.rows.Traffic.Reveal(number)
		return
	}
	leaves(sc, number)
	if sc.app.panes.list != trafficID && sc.app.panes.focus != detailID {
		sc.app.focusOn(trafficID)
	}
	sc.app.panes.list = trafficID
	sc.rows.Traffic.Reveal(number)
	sc.app.canvas.mark(trafficID)
	if !sc.rows.Traffic.Shows(number) {
		sc.app.Notify("the row is hidden: clear the filter, or press " + sc.app.Key(traffic.ActView) + " to show it")
	}
}

// GoTo implements host.Panes.
func (sc *sessionScreen) GoTo(number int) {
	row, ok := sc.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	id := paneOf(row.Kind)
	sc.app.focusOn(id)
	if id == trafficID {
		sc.Select(number)
		return
	}
	leaves(sc, number)
	sc.app.visible.ws.Overview = false
	sc.lists(id).Select(number)
	sc.app.canvas.mark(id)
}

// leaves keeps the selected row as the one before the jump to another.
func leaves(sc *sessionScreen, number int) {
	if s := sc.ws.Selected; s.OK && s.Number != number {
		sc.before = s.Number + 1
	}
}

func paneOf(kind session.Kind) paneID {
	switch kind {
	case session.KindStdin, session.KindStdout:
		return trafficID
	case session.KindStderr:
		return stderrID
	}
	return eventsID
}

// GoToMoment implements host.Panes.
func (sc *sessionScreen) GoToMoment(row int) tea.Cmd { return sc.player.GoTo(sc.context(), row) }

// Passing implements host.Panes.
func (sc *sessionScreen) Passing() (rows *table.Folded, shown *filter.Filter, all bool) {
	return sc.rows.Traffic.Passing()
}

// SetFilter implements host.Panes.
func (sc *sessionScreen) SetFilter(f *filter.Filter) tea.Cmd { return sc.rows.SetFilter(f) }

// Following implements host.Panes.
func (sc *sessionScreen) Following() bool { return sc.lists(sc.app.panes.list).Following() }

// Follow implements host.Panes.
func (sc *sessionScreen) Follow() { sc.lists(sc.app.panes.list).SetFollow(true) }

// FollowTraffic implements host.Panes.
func (sc *sessionScreen) FollowTraffic() { sc.rows.Traffic.SetFollow(true) }

// FollowKind implements host.Panes.
func (sc *sessionScreen) FollowKind(kind session.Kind) {
	id := paneOf(kind)
	sc.app.focusOn(id)
	sc.lists(id).SetFollow(true)
}

// FollowFrom implements host.Panes.
func (sc *sessionScreen) FollowFrom(rows int) {
	for _, l := range []lister{sc.rows.Traffic, sc.rows.Stderr, sc.rows.Events, sc.rows.Log} {
		if cursor, ok := l.Cursor(); ok && cursor >= rows {
			l.SetFollow(true)
		}
	}
}

// Signs implements host.Panes.
func (sc *sessionScreen) Signs() (signs []kit.Sign) {
	if sc.app.front.top() != nil {
		return nil
	}
	var cursor []kit.Sign
	for _, id := range panes {
		list, ok := sc.pane(id).(interface{ Signs() []kit.Sign })
		if !ok || sc.app.panes.layout.pane[id].Empty() {
			continue
		}
		own := list.Signs() // that of the cursor last
		for _, s := range own[:len(own)-1] {
			if !slices.Contains(signs, s) {
				signs = append(signs, s)
			}
		}
		cursor = own[len(own)-1:]
	}
	return append(signs, cursor...)
}

// OpenDetail implements host.Panes.
func (sc *sessionScreen) OpenDetail() {
	if (sc.app.panes.focus != detailID || sc.ws.Overview) && sc.ws.Selected.OK {
		sc.open()
	}
}

// Value implements host.Panes.
func (sc *sessionScreen) Value() (value, pointer, jq string, ok bool) { return sc.detail.Value() }

// Part implements host.Panes.
func (sc *sessionScreen) Part() (name, text string, ok bool) { return sc.detail.Part() }
