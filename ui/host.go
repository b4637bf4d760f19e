package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

var _ host.Host = (*App)(nil)

// Screen implements host.Host.
func (a *App) Screen() *kit.Screen { return &a.screen }

// Lifetime implements host.Host.
func (a *App) Lifetime() context.Context { return a.ctx }

// Workspaces implements host.Host. It makes a new list only when the sessions have
// changed: some actions read it in each frame.
func (a *App) Workspaces() []*workspace.Workspace {
	if !slices.EqualFunc(a.workspaces, a.screens, func(w *workspace.Workspace, s *sessionScreen) bool { return s.ws == w }) {
		a.workspaces = make([]*workspace.Workspace, len(a.screens))
		for i, s := range a.screens {
			a.workspaces[i] = s.ws
		}
	}
	return a.workspaces
}

// Show implements host.Host.
func (a *App) Show(ws *workspace.Workspace) { a.show(a.screenOf(ws)) }

// Add implements host.Host.
func (a *App) Add(o workspace.Opened) tea.Cmd {
	_, cmd := a.add(o)
	return cmd
}

// Panes implements host.Host.
func (a *App) Panes(ws *workspace.Workspace) host.Panes { return a.screenOf(ws) }

// Open implements host.Host.
func (a *App) Open(ws *workspace.Workspace, v host.View) {
	if menu, ok := v.(*help.Menu); ok {
		if a.front.menu != nil { // its key closes it, too
			menu = nil
		}
		a.front.menu, a.canvas.stale = menu, true
		return
	}
	a.screenOf(ws).push(v)
}

// Close implements host.Host.
func (a *App) Close(v host.View) {
	if v == a.front.menu && a.front.menu != nil {
		a.front.menu, a.canvas.stale = nil, true
		return
	}
	for i, other := range a.front.views {
		if other.view == v {
			a.front.views = append(a.front.views[:i], a.front.views[i+1:]...)
			a.canvas.stale = true
			return
		}
	}
}

// Views implements host.Host.
func (a *App) Views(ws *workspace.Workspace) (views []host.View) {
	for _, o := range a.front.views {
		if o.screen.ws == ws {
			views = append(views, o.view)
		}
	}
	return views
}

// Redraw implements host.Host.
func (a *App) Redraw() { a.canvas.stale = true }

// Confirm implements host.Host.
func (a *App) Confirm(ws *workspace.Workspace, d *host.Dialog) { a.screenOf(ws).confirm(d) }

// Dismiss implements host.Host.
func (a *App) Dismiss(ws *workspace.Workspace, about host.Subject) {
	if d := a.front.dialog; d != nil && d.screen.ws == ws && d.asked.About == about {
		a.front.dialog, a.canvas.stale = nil, true
	}
	for _, v := range a.Views(ws) {
		if _, start := v.(*problems.FailedStart); start && about == host.AboutStart {
			a.Close(v)
		}
	}
}

// Prompt implements host.Host.
func (a *App) Prompt(ws *workspace.Workspace, p host.Prompt) { a.screenOf(ws).ask(p) }

// Do implements host.Host. If the action is disabled, it shows the reason in the last
// line. Without an effect, the action moves the cursor in the focused pane.
func (a *App) Do(ws *workspace.Workspace, id, word string) tea.Cmd {
	action, ok := a.actions.keys.ByID(id)
	if !ok {
		return nil
	}
	s := a.screenOf(ws)
	c := s.context()
	c.Word = word
	if possible, reason := action.State(c); !possible {
		a.Warn(action.Title + ": " + reason)
		return nil
	}
	a.canvas.stale = true
	if do := a.actions.effects[id]; do != nil {
		return do(c)
	}
	return s.move(id)
}

// After implements host.Host.
func (a *App) After(d time.Duration, m host.Message) tea.Cmd { return a.outside.later(d, m) }

// Notify implements host.Host.
func (a *App) Notify(text string) { a.front.notice, a.canvas.stale = notice{text: text}, true }

// Warn implements host.Host.
func (a *App) Warn(text string) {
	a.front.notice, a.canvas.stale = notice{text: text, bad: true}, true
}

// Exec implements host.Host.
func (a *App) Exec(ws *workspace.Workspace, program tea.ExecCommand, over func(error) host.Message) tea.Cmd {
	s := a.screenOf(ws)
	return a.outside.exec(program, func(err error) tea.Msg { return addressed{s, over(err)} })
}

// Save implements host.Host.
func (a *App) Save(name, text string) error { return a.outside.save(name, text) }

// OpenOutside implements host.Host.
func (a *App) OpenOutside(data []byte, suffix string) (program string, err error) {
	return a.outside.view(a.ctx, data, suffix)
}

// Actions implements host.Host.
func (a *App) Actions() *keymap.Table[host.Context] { return a.actions.keys }

// Beneath implements host.Host.
func (a *App) Beneath(ws *workspace.Workspace) string { return a.screenOf(ws).underneath() }

// Key implements host.Host.
func (a *App) Key(id string) string {
	action, ok := a.actions.keys.ByID(id)
	switch {
	case !ok:
		return ""
	case len(action.Keys) > 0:
		return action.Keys[0]
	case id == help.ActPalette:
		return "the palette"
	}
	return a.Key(help.ActPalette) + " " + action.Title
}

// screenOf returns the empty screen for a closed workspace.
func (a *App) screenOf(ws *workspace.Workspace) *sessionScreen {
	for _, s := range a.screens {
		if s.ws == ws {
			return s
		}
	}
	return a.blank
}
