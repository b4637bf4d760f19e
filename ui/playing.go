package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/player"
	"mcpdbg/ui/workspace"
)

// newPlayer returns the player of a session's lists.
func (sc *sessionScreen) newPlayer() *player.State {
	return player.New(player.Lists{
		Following:     func() bool { return sc.lists(sc.app.panes.list).Following() },
		Follow:        func() { sc.lists(sc.app.panes.list).SetFollow(true) },
		FollowTraffic: func() { sc.rows.Traffic.SetFollow(true) },
		FollowFrom:    sc.followFrom,
		Reveal:        sc.revealKind,
		Relist:        sc.rows.Traffic.Relist,
		Turn:          func(p *workspace.Projection) tea.Cmd { return sc.turnTo(p) },
	})
}

// followFrom makes the lists follow whose selected row is not among the first
// rows.
func (sc *sessionScreen) followFrom(rows int) {
	for _, l := range []lister{sc.rows.Traffic, sc.rows.Stderr, sc.rows.Events} {
		if cursor, ok := l.Cursor(); ok && cursor >= rows {
			l.SetFollow(true)
		}
	}
}

// revealKind focuses the list that has rows of a kind, which then follows.
func (sc *sessionScreen) revealKind(kind session.Kind) {
	pane := paneOf(kind)
	sc.app.focusOn(pane)
	sc.lists(pane).SetFollow(true)
}

// paneOf returns the pane that lists rows of a kind.
func paneOf(kind session.Kind) paneID {
	switch kind {
	case session.KindStdin, session.KindStdout:
		return trafficID
	case session.KindStderr:
		return stderrID
	}
	return eventsID
}

// playerOf returns the player of the session that a context is about.
func playerOf(c host.Context) *player.State { return screenIn(c).player }

// clickBar passes a click to the player line; hit reports whether it was there.
func (sc *sessionScreen) clickBar(x, y int) (cmd tea.Cmd, hit bool) {
	if sc.ws.Playback == nil || !sc.app.panes.layout.player.Contains(x, y) {
		return nil, false
	}
	cmd, sc.app.pointer.bar = sc.player.Click(sc.context(), x-sc.app.panes.layout.player.X)
	return cmd, true
}
