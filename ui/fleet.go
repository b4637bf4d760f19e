package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/palette"
)

// gridChanged reports that the run over many targets has changed.
type gridChanged struct{}

// fleetShell returns what the actions on a run need of the program.
func fleetShell() *fleet.Shell {
	return &fleet.Shell{
		Run:      func(c host.Context) *fleet.View { return c.Host.(shell).app.grid.view },
		Show:     onScreen(nothing((*sessionScreen).toGrid)),
		Sessions: onScreen(nothing((*sessionScreen).toOpened)),
		Stop:     onScreen(nothing(func(s *sessionScreen) { s.app.askStopRun(false) })),
		Quit:     onScreen((*sessionScreen).interrupt),
		Commands: func(c host.Context) tea.Cmd { return palette.Open(c, paletteOptions()) },
		Help:     func(c host.Context) tea.Cmd { return help.Open(c, &helpOptions) },
	}
}

// gridShown reports whether the run is on the screen.
func (a *App) gridShown() bool {
	for _, o := range a.front.views {
		if _, ok := o.view.(*fleet.View); ok {
			return true
		}
	}
	return false
}

// toGrid goes back to the run. Open sessions stay open.
func (sc *sessionScreen) toGrid() {
	if sc.app.gridShown() {
		return
	}
	sc.app.panes.zoom = false
	sc.app.show(sc.app.blank)
	sc.app.focusOn(trafficID)
	sc.app.blank.push(sc.app.grid.view)
	sc.app.grid.view.Grid.Refresh()
}

// refreshGrid takes in changes of the run. When the run ends, the program ends
// too if requested; if something else is shown, a message reports it.
func (a *App) refreshGrid() tea.Cmd {
	g := a.grid.view
	if g == nil {
		return nil
	}
	wasOver := g.Over()
	g.Grid.Refresh()
	switch {
	case a.grid.quits && g.Over():
		return a.leaveProgram()
	case a.gridShown():
		a.canvas.stale = true
	case g.Over() && !wasOver:
		a.notify(g.Finished(a.blank.context()))
	}
	return nil
}

// startTarget starts a new session of a target's server. The result arrives
// whatever happens to the visible session in the meantime.
func (a *App) startTarget(target int) tea.Cmd {
	return a.blank.tagged(a.grid.view.Start(a.blank.context(), target))
}

// leaveGrid goes from the run to the open sessions.
func (a *App) leaveGrid(s *sessionScreen) {
	a.remove(a.grid.view)
	a.show(s)
}

// toOpened goes to the session or recording that was opened last.
func (sc *sessionScreen) toOpened() {
	sc.app.leaveGrid(sc.app.screens[len(sc.app.screens)-1])
	if len(sc.app.screens) > 1 {
		sc.app.focusOn(sessionsID)
	}
}

// askStopRun confirms before it stops the run, or stops it and quits.
func (a *App) askStopRun(quits bool) {
	d := a.grid.view.StopQuestion(quits)
	d.Yes = onScreen(func(s *sessionScreen) tea.Cmd { return s.stopRun(quits) })
	a.visible.confirm(d)
	a.grid.asks = d
}

// stopRun stops the run; if quits is set, the program ends when the run has.
func (sc *sessionScreen) stopRun(quits bool) tea.Cmd {
	sc.app.grid.quits = sc.app.grid.quits || quits
	sc.app.grid.view.Stop()
	sc.toGrid()
	return sc.app.refreshGrid()
}

// interrupt ends the program; the caller decides about the server. If the user
// wants, a run over many targets is stopped first; a further interrupt does not
// wait for it.
func (sc *sessionScreen) interrupt() tea.Cmd {
	g := sc.app.grid.view
	switch {
	case g == nil || g.Over() || !g.CanStop() || g.Stopping() && sc.app.grid.quits:
		return sc.app.leaveProgram()
	case g.Stopping():
		return sc.stopRun(true)
	case sc.app.front.dialog != nil && sc.app.front.dialog.asked == sc.app.grid.asks:
		return sc.app.yes()
	}
	sc.app.askStopRun(true)
	if sc.app.front.ask != nil {
		return sc.app.front.ask.decline()
	}
	return nil
}

// leaveProgram ends the program immediately.
func (a *App) leaveProgram() tea.Cmd {
	a.quitting = true
	a.closeQuestion()
	a.opts.quitting()
	return tea.Quit
}
