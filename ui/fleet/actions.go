package fleet

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
)

// Scope is the scope of the grid's actions.
const Scope = "grid"

// The actions that texts mention.
const (
	actShow = "grid"
	actQuit = "grid-quit"
)

// Nil without a run.
type finder func(host.Context) *View

// Actions are those on a run. show shows it, and stop confirms, then stops it.
func Actions(run finder, show, stop func(host.Context) tea.Cmd) []host.Action {
	do := func(action string) func(host.Context) tea.Cmd {
		return func(c host.Context) tea.Cmd { return c.Host.Do(c.Workspace, action, "") }
	}
	return []host.Action{
		{Entry: host.Entry{ID: actShow, Keys: []string{"ctrl+g"}, Scope: keymap.Global, Title: "targets", Help: "Return to the smoke run grid; open sessions stay open.", Enabled: run.hasRun}, Do: show},
		host.Override(host.Entry{Name: kit.Down, Scope: Scope, Priority: 50, Hint: key.Help{Key: "j/k", Desc: "move"}}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: Scope}),
		{Entry: host.Entry{ID: "grid-half-page-down", Keys: []string{"ctrl+d"}, Scope: Scope, Title: "half page down", Help: "Move down by half a screen."}, Do: host.On(func(c host.Context, v *View) tea.Cmd { return v.Move(c, kit.HalfPageDown) })},
		{Entry: host.Entry{ID: "grid-half-page-up", Keys: []string{"ctrl+u"}, Scope: Scope, Title: "half page up", Help: "Move up by half a screen."}, Do: host.On(func(c host.Context, v *View) tea.Cmd { return v.Move(c, kit.HalfPageUp) })},
		host.Override(host.Entry{Name: kit.Top, Scope: Scope, Help: "Go to the first target."}),
		host.Override(host.Entry{Name: kit.Bottom, Scope: Scope, Help: "Go to the last target."}),
		{Entry: host.Entry{ID: "grid-open", Keys: []string{"enter"}, Scope: Scope, Title: "open", Help: "Show the recording of the target, even while it is being written.", Priority: 90, Enabled: run.canOpenTarget}, Do: host.On(openTarget)},
		{Entry: host.Entry{ID: "grid-fresh", Keys: []string{"r", "ctrl+r"}, Scope: Scope, Title: "debug", Help: "Start the server of the target on its host in a new session.", Priority: 60, Enabled: run.canDebugTarget}, Do: host.On(func(c host.Context, v *View) tea.Cmd {
			target, _, _ := v.picked()
			return v.Start(c, target)
		})},
		{Entry: host.Entry{ID: "grid-filter", Keys: []string{"/"}, Scope: Scope, Title: "filter", Help: "List only targets whose line contains some words.", Priority: 45}, Do: host.On(askFilter)},
		{Entry: host.Entry{ID: "grid-failed", Keys: []string{"f"}, Scope: Scope, Title: "failed only", Help: "List only targets that failed, or all.", Priority: 55}, Do: host.On(func(_ host.Context, v *View) tea.Cmd { v.Grid.SetFailedOnly(!v.Grid.FailedOnly()); return nil })},
		{Entry: host.Entry{ID: "grid-sort", Keys: []string{"s"}, Scope: Scope, Title: "sort", Help: "Sort: as given, failed first, slowest first, by host.", Priority: 40}, Do: host.On(func(_ host.Context, v *View) tea.Cmd { v.Grid.NextSort(); return nil })},
		{Entry: host.Entry{ID: "grid-next-failed", Keys: []string{"e"}, Scope: Scope, Title: "next failed", Help: "Go to the next target that failed.", Priority: 30, Hint: key.Help{Key: "e/E", Desc: "next failed"}}, Do: host.On(func(c host.Context, v *View) tea.Cmd { stepFailed(c, v, 1); return nil })},
		{Entry: host.Entry{ID: "grid-previous-failed", Keys: []string{"E"}, Scope: Scope, Title: "previous failed", Help: "Go to the previous target that failed."}, Do: host.On(func(c host.Context, v *View) tea.Cmd { stepFailed(c, v, -1); return nil })},
		{Entry: host.Entry{ID: "grid-follow", Keys: []string{"F"}, Scope: Scope, Title: "follow", Help: "Keep the running targets in view, or stop following.", Priority: 35, Enabled: run.isRunning}, Do: host.On(func(_ host.Context, v *View) tea.Cmd { v.Grid.SetFollow(!v.Grid.Following()); return nil })},
		{Entry: host.Entry{ID: "grid-copy", Keys: []string{"y"}, Scope: Scope, Title: "copy", Help: "Copy the line of the target to the terminal's clipboard (OSC 52).", Priority: 20, Enabled: run.hasTarget}, Do: host.On(copyTarget)},
		{Entry: host.Entry{ID: "grid-opened", Keys: []string{"1"}, Scope: Scope, Title: "open sessions", Help: "Go to the sessions and recordings opened from here.", Priority: 38, Enabled: somethingOpen}, Do: host.On(showOpened)},
		{Entry: host.Entry{ID: "grid-stop", Keys: []string{"x"}, Scope: Scope, Title: "stop the run", Help: "Stop the run: running targets end cleanly, waiting ones are skipped. The grid stays.", Priority: 32, Asks: "each time", Enabled: run.canStopRun}, Do: stop},
		host.Override(host.Entry{Name: host.CloseName, Scope: Scope, Title: "back", Help: "Cancel opening, then list all targets. Never quits.", Priority: -1}),
		{Entry: host.Entry{ID: host.ActGridPalette, Keys: []string{":", "ctrl+p"}, Scope: Scope, Title: "commands", Help: "Find a command by name and run it.", Last: true}, Do: do(host.ActPalette)},
		{Entry: host.Entry{ID: "grid-help", Keys: []string{"?"}, Scope: Scope, Title: "menu", Help: "Show what can be done here.", Last: true}, Do: do(host.ActHelp)},
		{Entry: host.Entry{ID: actQuit, Keys: []string{"q", "Q"}, Scope: Scope, Title: "quit", Help: "Quit.", Asks: "while targets are running", Priority: 80}, Do: do(host.ActInterrupt)},
	}
}

func (run finder) hasRun(c host.Context) (bool, string) {
	return run(c) != nil, "this is not a smoke run"
}

func (run finder) hasTarget(c host.Context) (bool, string) {
	v := run(c)
	if v == nil {
		return false, "this is not a smoke run"
	}
	_, ok := v.Grid.Cursor()
	return ok, "no target listed"
}

func (run finder) canOpenTarget(c host.Context) (bool, string) {
	if ok, why := run.hasTarget(c); !ok {
		return false, why
	}
	v := run(c)
	_, row, _ := v.picked()
	switch {
	case v.opening != "":
		return false, v.opening + " is being opened"
	case row.Recording != "":
		return true, ""
	case row.State.Ended():
		return false, nameOf(row) + " has no recording"
	}
	return false, nameOf(row) + " has no recording yet"
}

func (run finder) canDebugTarget(c host.Context) (bool, string) {
	if ok, why := run.hasTarget(c); !ok {
		return false, why
	}
	return run(c).CanStart()
}

// CanStart reports whether a new session of a target's server can be started, and
// if not, why.
func (v *View) CanStart() (bool, string) {
	if v.opening != "" {
		return false, v.opening + " is being opened"
	}
	return v.Run.StartNew != nil, "servers cannot be started from here"
}

func (run finder) isRunning(c host.Context) (bool, string) {
	v := run(c)
	return v != nil && !v.Over(), "the run is over"
}

func (run finder) canStopRun(c host.Context) (bool, string) {
	v := run(c)
	switch {
	case v != nil && v.stopping:
		return false, "the run is stopping"
	case v != nil && !v.CanStop():
		return false, "this run cannot be stopped from here"
	}
	return run.isRunning(c)
}

func somethingOpen(c host.Context) (bool, string) {
	return len(c.Host.Workspaces()) > 0, "no session is open"
}

func showOpened(c host.Context, v *View) tea.Cmd {
	all := c.Host.Workspaces()
	last := all[len(all)-1]
	c.Host.Close(v)
	c.Host.Show(last)
	if len(all) == 1 {
		return nil
	}
	return c.Host.Do(last, host.ActSessions, "")
}

func stepFailed(c host.Context, v *View, by int) {
	switch {
	case v.Grid.NextFailure(by):
	case by > 0:
		c.Host.Notify("no failed target below")
	default:
		c.Host.Notify("no failed target above")
	}
}

// Move moves the cursor.
func (v *View) Move(_ host.Context, way string) tea.Cmd {
	kit.MoveCursor(v.Grid, way)
	return nil
}
