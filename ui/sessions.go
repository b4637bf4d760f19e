package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/process"
	"mcpdbg/ui/server"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

const scopeSessions = "sessions"

const (
	actSessions      = host.ActSessions
	actNextSession   = "next-session"
	actPrevSession   = "previous-session"
	actRenameSession = "rename-session"
	actRemoveSession = "remove-session"
)

func sessionActions(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actSessions, Keys: []string{"1"}, Scope: keymap.Global, Title: "sessions", Help: "Open the list of sessions."}, Do: of.run(func(s *sessionScreen) { s.app.focusOn(sessionsID) })},
		{Entry: host.Entry{ID: actNextSession, Keys: []string{">"}, Scope: keymap.Global, Title: "next session", Synonyms: []string{"tab", "switch"}, Help: "Show the next session of the list.", Enabled: severalSessions}, Do: of.run(func(s *sessionScreen) { s.app.sessions.step(1) })},
		{Entry: host.Entry{ID: actPrevSession, Keys: []string{"<"}, Scope: keymap.Global, Title: "previous session", Help: "Show the previous session of the list.", Enabled: severalSessions}, Do: of.run(func(s *sessionScreen) { s.app.sessions.step(-1) })},
		{Entry: host.Entry{ID: actRenameSession, Keys: []string{"f2"}, Scope: scopeSessions, Title: "rename", Help: "Rename the session, in this list only.", Priority: 46, Enabled: host.HasSession}, Do: of.run((*sessionScreen).askName)},
		{Entry: host.Entry{ID: actRemoveSession, Keys: []string{"delete"}, Scope: scopeSessions, Title: "remove", Help: "Remove the session from the list; a running server is stopped.", Priority: 47, Asks: "if the server is running", Enabled: of.can(canRemove)}, Do: of.do((*sessionScreen).removeSession)},
	}
}

func severalSessions(c host.Context) (bool, string) {
	return len(c.Host.Workspaces()) > 1, "no other session is open"
}

func canRemove(s *sessionScreen) (bool, string) {
	if ok, why := host.HasSession(s.context()); !ok {
		return false, why
	}
	return len(s.app.screens) > 1 || s.app.opts.Launcher != nil || s.app.grid.view != nil, "this is the only session: quit instead"
}

type sessionList struct {
	app  *App
	w, h int
	top  int // first session on the screen
}

const sessionRows = 2

func (l *sessionList) SetSize(w, h int) { l.w, l.h = w, h }

func (l *sessionList) Titles() (left, right string) {
	return "1 Sessions " + wording.Thousands(len(l.app.screens)), ""
}

func (l *sessionList) at() int {
	for i, s := range l.app.screens {
		if s == l.app.visible {
			return i
		}
	}
	return 0
}

func (l *sessionList) Act(action string) bool {
	page := max(l.h/sessionRows-1, 1)
	switch action {
	case kit.Up:
		l.show(l.at() - 1)
	case kit.Down:
		l.show(l.at() + 1)
	case kit.PageUp, kit.HalfPageUp:
		l.show(l.at() - page)
	case kit.PageDown, kit.HalfPageDown:
		l.show(l.at() + page)
	case kit.Top:
		l.show(0)
	case kit.Bottom:
		l.show(len(l.app.screens) - 1)
	default:
		return false
	}
	return true
}

// show shows the session at a position, or the nearest one.
func (l *sessionList) show(at int) {
	if n := len(l.app.screens); n > 0 {
		l.app.show(l.app.screens[kit.Between(0, at, n-1)])
	}
}

func (l *sessionList) step(by int) {
	n := len(l.app.screens)
	l.show((l.at() + by + n) % n)
}

func (l *sessionList) Paint(out *paint.Lines, focused bool) {
	out.Options = l.app.screen.Look()
	out.Resize(l.w, l.h)
	fit := max(l.h/sessionRows, 1)
	at := l.at()
	l.top = max(min(l.top, at, len(l.app.screens)-fit), at-fit+1, 0)
	for i, s := range l.app.screens[l.top:min(l.top+fit, len(l.app.screens))] {
		y := i * sessionRows
		server.PaintName(s.context(), out.Line(y), l.top+i == at, focused)
		if y+1 < l.h {
			server.PaintState(s.context(), out.Line(y+1))
		}
	}
}

func (l *sessionList) tabs() []server.SessionTab {
	var all []host.Context
	for _, s := range l.app.screens {
		all = append(all, s.context())
	}
	return server.SessionTabs(all, l.at(), l.app.panes.layout.names.W)
}

func (l *sessionList) paintTabs(line *paint.Line) {
	for _, t := range l.tabs() {
		line.PadTo(t.From)
		line.Text(t.Style, t.Text)
	}
	hint := l.app.Key(actPrevSession) + " " + l.app.Key(actNextSession) + " switch  " + l.app.Key(actSessions) + " list "
	if room := line.Room() - len(hint); room > 1 {
		line.PadTo(line.Cells() + room)
		line.Text(l.app.screen.Theme.Dim, hint)
	}
}

func (l *sessionList) clickTab(x int) {
	for _, t := range l.tabs() {
		if x >= t.From && x < t.To {
			l.show(t.Number)
		}
	}
}

func (sc *sessionScreen) askName() {
	sc.ask(host.Prompt{
		Label: "name", Text: sc.ws.Title,
		Accept: func(_ host.Context, text string) (tea.Cmd, error) {
			if text = strings.TrimSpace(text); text == "" {
				return nil, errors.New("a name is required")
			}
			sc.ws.Title = text
			sc.app.canvas.markAll()
			return nil, nil
		},
	})
}

// removeSession removes a session, without a question if no server is running.
func (sc *sessionScreen) removeSession() tea.Cmd {
	if running, _ := process.CanStop(sc.context()); !running {
		return sc.app.drop(sc)
	}
	sc.confirm(&host.Dialog{
		Title: "Remove the session?",
		Lines: append(process.ShutdownSteps(sc.ws), "Its recording is kept."),
		No:    "keep it",
		Yes:   func(host.Context) tea.Cmd { return sc.app.drop(sc) },
	})
	return nil
}

// drop removes a session from the screen, and ends it in the background.
func (a *App) drop(s *sessionScreen) tea.Cmd {
	at := a.sessions.at()
	save := tea.Batch(s.composer.Save(), func() tea.Msg {
		return host.Result{What: "notes of " + s.ws.Title, Err: s.ws.Notes.End()}
	})
	end := tea.Batch(save, host.End(a.visible.context(), s.ws.Title, workspace.Opened{Session: s.ws.Session, Close: s.ws.Release}))
	s.ws.Close()
	s.ws.Stop()
	s.detail.Close()
	for i, other := range a.screens {
		if other == s {
			a.screens = append(a.screens[:i:i], a.screens[i+1:]...)
		}
	}
	open := a.front.views[:0:0]
	for _, o := range a.front.views {
		if o.screen != s {
			open = append(open, o)
		}
	}
	a.front.views = open
	if len(a.screens) > 0 {
		a.sessions.show(at)
		return a.visible.tagged(end) // the session that is now visible reports the result
	}
	if a.grid.view != nil {
		a.grid.show()
		return a.visible.tagged(end)
	}
	a.show(a.blank)
	a.focusOn(trafficID)
	return tea.Batch(a.visible.tagged(home.Open(a.visible.context(), a.opts.Launcher)), a.visible.tagged(end))
}
