package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/keymap"
)

const scopeGrid = "grid"

// The actions on a run over many targets.
const (
	actGrid         = "grid"
	actGridDown     = "grid-down"
	actGridUp       = "grid-up"
	actGridPageDown = "grid-page-down"
	actGridPageUp   = "grid-page-up"
	actGridHalfDown = "grid-half-page-down"
	actGridHalfUp   = "grid-half-page-up"
	actGridTop      = "grid-first"
	actGridBottom   = "grid-last"
	actGridOpen     = "grid-open"
	actGridFresh    = "grid-fresh"
	actGridFilter   = "grid-filter"
	actGridOnly     = "grid-failed"
	actGridSort     = "grid-sort"
	actGridFollow   = "grid-follow"
	actGridNext     = "grid-next-failed"
	actGridPrev     = "grid-previous-failed"
	actGridCopy     = "grid-copy"
	actGridStop     = "grid-stop"
	actGridOpened   = "grid-opened"
	actGridClose    = "grid-close"
	actGridPalette  = "grid-commands"
	actGridHelp     = "grid-help"
	actGridQuit     = "grid-quit"
)

func gridActions() []action {
	do := func(f func(*App, *gridScreen) tea.Cmd) func(*App) tea.Cmd { return on(f) }
	moves := func(id, title, help string, f func(g *gridScreen), keys ...string) action {
		return action{entry{ID: id, Keys: keys, Scope: scopeGrid, Title: title, Help: help}, do(func(_ *App, g *gridScreen) tea.Cmd { f(g); return nil })}
	}
	down := moves(actGridDown, "down", "Move down by a line.", func(g *gridScreen) { g.grid.Move(1) }, "j", "down")
	down.Priority, down.Hint = 50, keymap.Hint{Keys: "j/k", Title: "move"}
	return []action{
		{entry{ID: actGrid, Keys: []string{"ctrl+g"}, Scope: keymap.Global, Title: "targets", Help: "Go back to the grid of a smoke run; what is open stays open.", Enabled: hasGrid}, nothing((*App).toGrid)},
		down,
		moves(actGridUp, "up", "Move up by a line.", func(g *gridScreen) { g.grid.Move(-1) }, "k", "up"),
		moves(actGridPageDown, "page down", "Move down by a screen.", func(g *gridScreen) { g.grid.Page(1) }, "pgdown", "space"),
		moves(actGridPageUp, "page up", "Move up by a screen.", func(g *gridScreen) { g.grid.Page(-1) }, "pgup"),
		moves(actGridHalfDown, "half page down", "Move down by half a screen.", func(g *gridScreen) { g.grid.HalfPage(1) }, "ctrl+d"),
		moves(actGridHalfUp, "half page up", "Move up by half a screen.", func(g *gridScreen) { g.grid.HalfPage(-1) }, "ctrl+u"),
		moves(actGridTop, "first", "Go to the first target.", func(g *gridScreen) { g.grid.Home() }, "g", "home"),
		moves(actGridBottom, "last", "Go to the last target.", func(g *gridScreen) { g.grid.End() }, "G", "end"),
		{entry{ID: actGridOpen, Keys: []string{"enter"}, Scope: scopeGrid, Title: "open", Help: "Show the recording of the target, also while it is being written.", Priority: 90, Enabled: canOpenTarget}, do((*App).openTarget)},
		{entry{ID: actGridFresh, Keys: []string{"r", "ctrl+r"}, Scope: scopeGrid, Title: "debug", Help: "Start the server of the target anew on its host, in a session of its own.", Priority: 60, Enabled: canDebugTarget}, do(func(a *App, g *gridScreen) tea.Cmd {
			target, _, _ := g.picked()
			return a.openFresh(target)
		})},
		{entry{ID: actGridFilter, Keys: []string{"/"}, Scope: scopeGrid, Title: "filter", Help: "List only targets with some words in their line.", Priority: 45}, do((*App).askTargetFilter)},
		{entry{ID: actGridOnly, Keys: []string{"f"}, Scope: scopeGrid, Title: "failed only", Help: "List only targets that failed, or all.", Priority: 55}, do(func(_ *App, g *gridScreen) tea.Cmd { g.grid.SetOnly(!g.grid.Only()); return nil })},
		{entry{ID: actGridSort, Keys: []string{"s"}, Scope: scopeGrid, Title: "sort", Help: "Sort: as given, failed first, slowest first, by host.", Priority: 40}, do(func(_ *App, g *gridScreen) tea.Cmd { g.grid.NextSort(); return nil })},
		{entry{ID: actGridNext, Keys: []string{"e"}, Scope: scopeGrid, Title: "next failed", Help: "Go to the next target that failed.", Priority: 30, Hint: keymap.Hint{Keys: "e/E", Title: "next failed"}}, do(func(a *App, g *gridScreen) tea.Cmd { a.stepFailed(g, 1); return nil })},
		{entry{ID: actGridPrev, Keys: []string{"E"}, Scope: scopeGrid, Title: "previous failed", Help: "Go to the target before that failed."}, do(func(a *App, g *gridScreen) tea.Cmd { a.stepFailed(g, -1); return nil })},
		{entry{ID: actGridFollow, Keys: []string{"F"}, Scope: scopeGrid, Title: "follow", Help: "Keep the targets that run in sight, or end that.", Priority: 35, Enabled: runGoesOn}, do(func(_ *App, g *gridScreen) tea.Cmd { g.grid.SetFollow(!g.grid.Following()); return nil })},
		{entry{ID: actGridCopy, Keys: []string{"y"}, Scope: scopeGrid, Title: "copy", Help: "Copy the line of the target to the terminal's clipboard (OSC 52).", Priority: 20, Enabled: hasTarget}, do((*App).copyTarget)},
		{entry{ID: actGridOpened, Keys: []string{"1"}, Scope: scopeGrid, Title: "what is open", Help: "Go to the recordings and sessions that were opened from here.", Priority: 38, Enabled: somethingOpen}, do((*App).toOpened)},
		{entry{ID: actGridStop, Keys: []string{"x"}, Scope: scopeGrid, Title: "stop the run", Help: "End the run: what runs is ended cleanly, what waits is not begun. The grid stays.", Priority: 32, Destructive: true, Enabled: canStopRun}, do(func(a *App, _ *gridScreen) tea.Cmd { a.askStopRun(false); return nil })},
		{entry{ID: actGridClose, Keys: []string{"esc"}, Scope: scopeGrid, Title: "back", Help: "Give up opening, then list all targets. Never quits."}, do((*App).closeGrid)},
		{entry{ID: actGridPalette, Keys: []string{":", "ctrl+p"}, Scope: scopeGrid, Title: "commands", Help: "Find what can be done here by its name, and do it.", Priority: 27}, nothing(func(a *App) { a.push(newPalette(a)) })},
		{entry{ID: actGridHelp, Keys: []string{"?"}, Scope: scopeGrid, Title: "help", Help: "Show all keys.", Priority: 70}, nothing(func(a *App) { a.push(newHelp(a)) })},
		{entry{ID: actGridQuit, Keys: []string{"q", "Q"}, Scope: scopeGrid, Title: "quit", Help: "Quit; while targets run, asks first, and ends them.", Priority: 80}, (*App).interrupt},
	}
}

func hasGrid(a *App) (bool, string) {
	return a.grid != nil, "this is no smoke run"
}

func hasTarget(a *App) (bool, string) {
	if a.grid == nil {
		return false, "this is no smoke run"
	}
	_, ok := a.grid.grid.Cursor()
	return ok, "no target is listed"
}

func canOpenTarget(a *App) (bool, string) {
	if ok, why := hasTarget(a); !ok {
		return false, why
	}
	_, row, _ := a.grid.picked()
	switch {
	case a.grid.opening != "":
		return false, a.grid.opening + " is being opened"
	case row.Recording != "":
		return true, ""
	case row.State.Ended():
		return false, nameOf(row) + " has no recording"
	}
	return false, nameOf(row) + " has no recording yet"
}

func canDebugTarget(a *App) (bool, string) {
	if ok, why := hasTarget(a); !ok {
		return false, why
	}
	return canStartFresh(a)
}

// canStartFresh tells whether the server of a target of the run can be started
// anew.
func canStartFresh(a *App) (bool, string) {
	if a.grid.opening != "" {
		return false, a.grid.opening + " is being opened"
	}
	return a.grid.run.Fresh != nil, "nothing can be started here"
}

func runGoesOn(a *App) (bool, string) {
	return a.grid != nil && !a.grid.over(), "the run is over"
}

func canStopRun(a *App) (bool, string) {
	switch {
	case a.grid != nil && a.grid.stopping:
		return false, "the run is being ended"
	case a.grid != nil && a.grid.run.Stop == nil:
		return false, "this run can't be ended from here"
	}
	return runGoesOn(a)
}

func somethingOpen(a *App) (bool, string) {
	return len(a.subjects) > 0, "nothing is open"
}

// stepFailed goes to another target that failed.
func (a *App) stepFailed(g *gridScreen, by int) {
	switch {
	case g.grid.NextFailure(by):
	case by > 0:
		a.say("no target below failed")
	default:
		a.say("no target above failed")
	}
}
