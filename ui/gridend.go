package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
)

// askStopRun asks whether to end the run, and the program with it.
func (a *App) askStopRun(quits bool) {
	t := a.grid.grid.Totals()
	d := &dialog{title: "End the run?", lines: []string{
		fmt.Sprintf("%s running, %s waiting.", paint.Thousands(t.Active()), paint.Thousands(t.Waiting)),
		"What runs is ended cleanly, what waits is not begun; both count as cancelled.",
	}}
	if quits {
		d.title = "End the run and quit?"
	}
	d.yes = func(a *App) tea.Cmd { return a.stopRun(quits) }
	a.dialog, a.grid.asks = d, d
}

// stopRun ends the run; the program ends when that is over, if it is to.
func (a *App) stopRun(quits bool) tea.Cmd {
	g := a.grid
	g.quits = g.quits || quits
	if !g.stopping {
		g.stopping = true
		g.run.Stop()
	}
	a.toGrid()
	return a.refreshGrid()
}

// interrupt ends the program. What then happens to the server is the caller's
// business. A run over many targets is ended first, if the person wants that;
// who insists does not wait for it.
func (a *App) interrupt() tea.Cmd {
	g := a.grid
	switch {
	case g == nil || g.over() || g.run.Stop == nil || g.stopping && g.quits:
		return a.leaveProgram()
	case g.stopping:
		return a.stopRun(true)
	case a.dialog != nil && a.dialog == g.asks:
		return a.yes()
	}
	a.askStopRun(true)
	if a.ask != nil {
		return a.decline()
	}
	return nil
}

// leaveProgram ends the program now.
func (a *App) leaveProgram() tea.Cmd {
	a.quitting = true
	a.closeQuestion()
	a.opts.quitting()
	return tea.Quit
}
