package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/player"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/requests"
	"mcpdbg/ui/timeline"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/wire"
	"mcpdbg/ui/workspace"
)

// pickerOf returns the picker of a view, nil if it has none.
func pickerOf(v host.View) *kit.Picker {
	if p, ok := v.(host.Picking); ok {
		return p.Picks()
	}
	return nil
}

// textOf returns the text of a view that scrolls, nil if it has none.
func textOf(v host.View) *kit.Scroll {
	if r, ok := v.(host.Reading); ok {
		return r.Text()
	}
	return nil
}

// context is what an action of a screen gets for this session.
func (sc *sessionScreen) context() host.Context {
	return host.Context{Host: shell{sc.app}, Workspace: sc.ws, View: sc.view(), Word: sc.app.actions.word}
}

// view returns the focused view, nil for none: the topmost one, or else the
// composer.
func (sc *sessionScreen) view() host.View {
	if v := sc.app.front.top(); v != nil {
		return v
	}
	if sc.composer.IsOpen() {
		return sc.composer
	}
	return nil
}

// fromScreen adapts the actions of a screen.
func fromScreen(actions []host.Action) []action {
	adapted := make([]action, len(actions))
	for i, a := range actions {
		adapted[i].entry = keymap.With(a.Entry, (*sessionScreen).context)
		if a.Do != nil {
			adapted[i].do = func(s *sessionScreen) tea.Cmd { return a.Do(s.context()) }
		}
	}
	return adapted
}

// onScreen adapts a function on the screen of a session.
func onScreen(do func(*sessionScreen) tea.Cmd) func(host.Context) tea.Cmd {
	return func(c host.Context) tea.Cmd { return do(screenIn(c)) }
}

// onScreenText adapts a function on the screen of a session and a text.
func onScreenText(do func(*sessionScreen, string) (tea.Cmd, error)) func(host.Context, string) (tea.Cmd, error) {
	return func(c host.Context, text string) (tea.Cmd, error) { return do(screenIn(c), text) }
}

// enabled adapts a condition on a context.
func enabled(can func(host.Context) (bool, string)) func(*sessionScreen) (bool, string) {
	return func(s *sessionScreen) (bool, string) { return can(s.context()) }
}

// screenIn returns the screen of the session that a context is about.
func screenIn(c host.Context) *sessionScreen { return c.Host.(shell).app.screenOf(c.Workspace) }

// requestsOf returns the state of the server requests of a session.
func requestsOf(c host.Context) *requests.State { return screenIn(c).requests }

// comparisonsOf returns what the screens of all sessions share about comparisons.
func comparisonsOf(c host.Context) *compare.State { return screenIn(c).app.compared }

// replayOf returns the replay of the session that a context is about.
func replayOf(c host.Context) *replay.State { return screenIn(c).replay }

// watchOf returns the watch of the session that a context is about.
func watchOf(c host.Context) *watch.State { return screenIn(c).watching }

// timeOf returns the time view of the session that a context is about.
func timeOf(c host.Context) *timeline.State { return &screenIn(c).time }

// playerOf returns the player of the session that a context is about.
func playerOf(c host.Context) *player.State { return &screenIn(c).player }

// problemsOf returns the state of the screens of problems of the session that a
// context is about.
func problemsOf(c host.Context) *problems.State { return &screenIn(c).problems }

// listsOf returns the lists of the session that a context is about.
func listsOf(c host.Context) *wire.Lists { return screenIn(c).rows }

// detailOf returns the detail pane of the session that a context is about.
func detailOf(c host.Context) *detail.Pane { return screenIn(c).detail }

// addReplay shows a session, and runs a replay in it.
func addReplay(c host.Context, o workspace.Opened, run func(host.Context, *replay.State) tea.Cmd) tea.Cmd {
	s, added := screenIn(c).app.add(o)
	return tea.Batch(added, s.tagged(run(s.context(), s.replay)))
}

// idle reports whether a session is visible and nothing is open over its panes.
func idle(c host.Context) bool {
	s := screenIn(c)
	return s == s.app.visible && s.app.front.top() == nil && s.app.front.dialog == nil && s.app.front.prompt == nil && !s.composer.IsOpen()
}

// A shell is the App as screens see it.
type shell struct{ app *App }

var _ host.Host = shell{}

func (h shell) Screen() *kit.Screen       { return &h.app.screen }
func (h shell) Lifetime() context.Context { return h.app.ctx }
func (h shell) Redraw()                   { h.app.canvas.stale = true }
func (h shell) Notify(text string)        { h.app.notify(text) }
func (h shell) Warn(text string)          { h.app.warn(text) }
func (h shell) Key(action string) string  { return h.app.keyOf(action) }

func (h shell) Open(ws *workspace.Workspace, v host.View) { h.app.screenOf(ws).push(v) }
func (h shell) Close(v host.View)                         { h.app.remove(v) }

func (h shell) Views(ws *workspace.Workspace) (views []host.View) {
	for _, o := range h.app.front.views {
		if o.screen.ws == ws {
			views = append(views, o.view)
		}
	}
	return views
}

// Workspaces makes a new list only when the sessions have changed: some actions
// look at it in each frame.
func (h shell) Workspaces() []*workspace.Workspace {
	a := h.app
	if !slices.EqualFunc(a.workspaces, a.screens, func(w *workspace.Workspace, s *sessionScreen) bool { return s.ws == w }) {
		a.workspaces = make([]*workspace.Workspace, len(a.screens))
		for i, s := range a.screens {
			a.workspaces[i] = s.ws
		}
	}
	return a.workspaces
}

func (h shell) Show(ws *workspace.Workspace) { h.app.show(h.app.screenOf(ws)) }

func (h shell) Add(o workspace.Opened) tea.Cmd {
	_, cmd := h.app.add(o)
	return cmd
}

func (h shell) Panes(ws *workspace.Workspace) host.Panes { return h.app.screenOf(ws) }
func (h shell) Do(ws *workspace.Workspace, action string) tea.Cmd {
	return h.app.screenOf(ws).Do(action)
}
func (h shell) After(d time.Duration, m host.Message) tea.Cmd { return h.app.outside.later(d, m) }

func (h shell) Confirm(ws *workspace.Workspace, d *host.Dialog) { h.app.screenOf(ws).confirm(d) }
func (h shell) Prompt(ws *workspace.Workspace, p host.Prompt)   { h.app.screenOf(ws).ask(p) }

func (h shell) Dismiss(ws *workspace.Workspace, about host.Subject) {
	if d := h.app.front.dialog; d != nil && d.screen.ws == ws && d.asked.About == about {
		h.app.front.dialog, h.app.canvas.stale = nil, true
	}
}

func (h shell) Exec(ws *workspace.Workspace, program tea.ExecCommand, over func(error) host.Message) tea.Cmd {
	s := h.app.screenOf(ws)
	return h.app.outside.exec(program, func(err error) tea.Msg { return addressed{s, over(err)} })
}

func (h shell) Save(name, text string) error { return h.app.outside.save(name, text) }

func (h shell) OpenOutside(data []byte, suffix string) (program string, err error) {
	return h.app.outside.view(h.app.ctx, data, suffix)
}

// screenOf returns the screen of a workspace; of one that was closed, the empty
// one.
func (a *App) screenOf(ws *workspace.Workspace) *sessionScreen {
	for _, s := range a.screens {
		if s.ws == ws {
			return s
		}
	}
	return a.blank
}

// composeItem opens the composer with an item of the catalog.
func composeItem(c host.Context, item *workspace.CatalogItem) tea.Cmd {
	return screenIn(c).composer.ComposeItem(c, item)
}

// showOverview shows the overview, with the focus.
func showOverview(c host.Context) tea.Cmd {
	s := screenIn(c)
	s.ws.Overview = true
	s.app.focusOn(detailID)
	return nil
}

// openList opens the catalog at a list.
func openList(c host.Context, list string) tea.Cmd { return screenIn(c).catalog.OpenAt(c, list) }
