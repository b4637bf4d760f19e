package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/fleet"
	"mcpdbg/ui/host"
)

type gridChanged struct{}

type gridState struct {
	app   *App
	view  *fleet.View  // nil without a run
	quits bool         // the program ends with the run
	asks  *host.Dialog // that confirms it; nil before
}

func (g *gridState) shown() bool {
	for _, o := range g.app.front.views {
		if _, ok := o.view.(*fleet.View); ok {
			return true
		}
	}
	return false
}

// show returns to the run. Open sessions stay open.
func (g *gridState) show() {
	if g.shown() {
		return
	}
	g.app.panes.zoom = false
	g.app.show(g.app.blank)
	g.app.focusOn(trafficID)
	g.app.blank.push(g.view)
	g.view.Grid.Refresh()
}

// refresh takes in changes of the run. At its end the program ends too if requested; if
// something else is shown, a message reports it.
func (g *gridState) refresh() tea.Cmd {
	if g.view == nil {
		return nil
	}
	wasOver := g.view.Over()
	g.view.Grid.Refresh()
	switch {
	case g.quits && g.view.Over():
		return g.app.leaveProgram()
	case g.shown():
		g.app.canvas.stale = true
	case g.view.Over() && !wasOver:
		g.app.Notify(g.view.Finished(g.app.blank.context()))
	}
	return nil
}

// start starts a new session of a target's server. The result arrives whatever happens to
// the visible session meanwhile.
func (g *gridState) start(target int) tea.Cmd {
	return g.app.blank.tagged(g.view.Start(g.app.blank.context(), target))
}

// askStop confirms before it stops the run, or stops it and quits.
func (g *gridState) askStop(quits bool) {
	g.asks = g.view.StopQuestion(quits)
	g.asks.Yes = func(host.Context) tea.Cmd { return g.stop(quits) }
	g.app.visible.confirm(g.asks)
}

func (g *gridState) stop(quits bool) tea.Cmd {
	g.quits = g.quits || quits
	g.view.Stop()
	g.show()
	return g.refresh()
}

// interrupt ends the program; the caller decides about the server. If confirmed, a run
// over many targets is stopped first; a further interrupt does not wait for it.
func (a *App) interrupt() tea.Cmd {
	g := &a.grid
	switch {
	case g.view == nil || g.view.Over() || !g.view.CanStop() || g.view.Stopping() && g.quits:
		return a.leaveProgram()
	case g.view.Stopping():
		return g.stop(true)
	case a.front.dialog != nil && a.front.dialog.asked == g.asks:
		return a.front.dialog.yes(a.front.dialog.asked.Yes)
	}
	g.askStop(true)
	if a.front.ask != nil {
		return a.front.ask.decline()
	}
	return nil
}

func (a *App) leaveProgram() tea.Cmd {
	a.quitting = true
	a.closeQuestion()
	a.opts.quitting()
	return tea.Quit
}
