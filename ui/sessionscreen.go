package ui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/player"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/send"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A sessionScreen is one session or recording on the screen. The App shows one at a time;
// the others keep running.
type sessionScreen struct {
	ws       *workspace.Workspace
	app      *App
	begun    bool // see begin
	problems problems.State

	catalog  *server.Catalog
	time     traffic.TimeState
	replay   *replay.State
	watching *watch.State

	requests *send.Requests

	detail   *detail.Pane
	overview *server.Overview // in place of the detail, while ws.Overview
	player   player.State
	held     *steer.Pane
	composer *send.Composer
	rows     *traffic.Lists
	before   int      // the row before the last jump and one, 0 if there was none
	edited   []string // the command, if the user edited it
}

func (a *App) newSessionScreen(o workspace.Opened) *sessionScreen {
	a.drawn++
	ctx, forget := context.WithCancel(a.ctx)
	s := &sessionScreen{app: a, ws: workspace.New(ctx, forget, o, a.drawn), catalog: &server.Catalog{}, requests: send.NewRequests()}
	s.ws.DigestKey = a.opts.DigestKey
	s.watching = watch.New(ctx, o.Watch, a.compared.ShowRound)
	s.replay = &replay.State{Launcher: a.opts.Launcher, Add: a.addReplay, Compare: a.compared.Show, Slow: a.opts.Slow}
	s.held = &steer.Pane{Context: s.context}
	switch {
	case s.ws.Session != nil:
		s.ws.WatchCalls()
	case s.ws.Tap != nil:
		workspace.WatchTap(s.ws)
	}
	if s.ws.Session == nil {
		s.ws.Playback = workspace.NewPlayback(s.ws.Whole, a.opts.Idle)
	}
	view, _ := traffic.ParseView(a.opts.View) // Run has validated it
	s.rows = traffic.New(s.ws, traffic.Options{Slow: a.opts.Slow, View: view, AnswerKey: a.Key(host.ActAnswer), EndKey: a.Key(kit.Bottom), ClearKey: a.Key(host.ActBack)}, &a.screen)
	s.detail = detail.New(s.ws, detail.Options{Theme: a.screen.Theme, Look: a.screen.Look(), Graphics: &a.screen.Graphics, Key: a.Key, After: a.After})
	s.overview = &server.Overview{Context: s.context, OpenList: func(c host.Context, list string) tea.Cmd { return s.catalog.OpenAt(c, list) }}
	s.composer = send.NewComposer(s.ws, send.ComposerOptions{
		Drafts:      a.opts.Drafts,
		ReadCatalog: server.ReadList,
		CommandLine: copies.CallLine,
	})
	return s
}

func (sc *sessionScreen) setTheme(th *paint.Theme) {
	sc.rows.SetTheme(th)
	sc.detail.SetTheme(th)
}

// add starts the server of a session if requested.
func (a *App) add(o workspace.Opened) (*sessionScreen, tea.Cmd) {
	s := a.newSessionScreen(o)
	a.screens = append(a.screens, s)
	a.show(s)
	warnOfOpening(a, o)
	a.outside.watch(s)
	if s.ws.Launch == nil {
		return s, nil
	}
	return s, s.tagged(s.start("start", s.ws.Launch))
}

func (a *App) addReplay(_ host.Context, o workspace.Opened, run func(host.Context, *replay.State) tea.Cmd) tea.Cmd {
	s, added := a.add(o)
	return tea.Batch(added, s.tagged(run(s.context(), s.replay)))
}

func warnOfOpening(a *App, o workspace.Opened) {
	if o.Warning != "" {
		a.Warn(o.Warning)
	} else if text := workspace.SkippedOf(o.Source); text != "" {
		a.Notify("not understood in " + o.Title + ": " + text)
	}
}

// show makes a session visible. The playback of the one it replaces pauses.
func (a *App) show(s *sessionScreen) {
	if was := a.visible; was != nil && was != s && was.ws.Playback != nil && was.ws.Playback.Pause() {
		a.Notify(was.ws.Title + " is paused: it was still playing")
	}
	a.visible = s
	s.observe()
	a.arrange()
}

// context returns the topmost view, or else the composer, as the view.
func (sc *sessionScreen) context() host.Context {
	c := host.Context{Host: sc.app, Workspace: sc.ws, View: sc.app.front.top()}
	if c.View == nil && sc.composer.IsOpen() {
		c.View = sc.composer
	}
	if sc.app.front.menu != nil {
		c.View = sc.app.front.menu
	}
	return c
}

// addressed is a message for one session, visible or not.
type addressed struct {
	screen *sessionScreen
	msg    tea.Msg
}

// closed reports whether the session was closed: messages for it are dropped.
func (sc *sessionScreen) closed() bool {
	select {
	case <-sc.ws.Closed:
		return true
	default:
		return false
	}
}

// tagged addresses the messages of a command to this session.
func (sc *sessionScreen) tagged(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg { return sc.address(cmd()) }
}

func (sc *sessionScreen) address(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for i, cmd := range msg {
			msg[i] = sc.tagged(cmd)
		}
	case changed, host.Message:
		return addressed{sc, msg}
	}
	return msg
}

func endDrafts(a *App) error {
	var errs []error
	for _, s := range a.screens {
		errs = append(errs, s.composer.End())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("drafts are not saved: %w", err)
	}
	return nil
}
