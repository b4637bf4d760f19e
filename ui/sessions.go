package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

const scopeSessions = "sessions"

// The names of the actions on sessions.
const (
	actSessions      = "sessions"
	actNextSession   = "next-session"
	actPrevSession   = "previous-session"
	actRenameSession = "rename-session"
	actRemoveSession = "remove-session"
)

func sessionActions() []action {
	return []action{
		{entry{ID: actSessions, Keys: []string{"1"}, Scope: keymap.Global, Title: "sessions", Help: "Go to the list of sessions."}, nothing(func(a *App) { a.focusOn(sessionsID) })},
		{entry{ID: actNextSession, Keys: []string{">"}, Scope: keymap.Global, Title: "next session", Help: "Show the next session of the list.", Enabled: severalSessions}, nothing(func(a *App) { a.sessions.step(1) })},
		{entry{ID: actPrevSession, Keys: []string{"<"}, Scope: keymap.Global, Title: "previous session", Help: "Show the session before in the list.", Enabled: severalSessions}, nothing(func(a *App) { a.sessions.step(-1) })},
		{entry{ID: actRenameSession, Keys: []string{"f2"}, Scope: scopeSessions, Title: "rename", Help: "Give the session another name, here only.", Priority: 46, Enabled: sessionShown}, nothing((*App).askName)},
		{entry{ID: actRemoveSession, Keys: []string{"delete", "backspace"}, Scope: scopeSessions, Title: "remove", Help: "Take the session off the list; a server that runs is stopped.", Priority: 47, Destructive: true, Enabled: canRemove}, (*App).removeSession},
	}
}

var errNoSession = errors.New("no session is open")

func sessionShown(a *App) (bool, string) { return a.subject != a.nobody, errNoSession.Error() }

func severalSessions(a *App) (bool, string) { return len(a.subjects) > 1, "there is no other session" }

func canRemove(a *App) (bool, string) {
	if ok, why := sessionShown(a); !ok {
		return false, why
	}
	return len(a.subjects) > 1 || a.opts.Launcher != nil || a.grid != nil, "it is the only one: quit instead"
}

// noServer says why there is no server to act on.
func noServer(a *App) string {
	if a.subject == a.nobody {
		return errNoSession.Error()
	}
	if a.ofTarget() {
		return "this is a recording: there is no server; " + a.keyOf(actRestart) + " starts one on its host"
	}
	if a.noServer == "" { // the footer asks for each frame
		a.noServer = "this is a recording: there is no server; " + a.keyOf(actAgain) + " runs it again"
	}
	return a.noServer
}

// sessionList is the pane of sessions. Its cursor is on the one that is shown,
// so what can be done to a session is done to that.
type sessionList struct {
	app  *App
	w, h int
	top  int // the first session on the screen
}

// sessionRows is how many lines a session takes.
const sessionRows = 2

func (l *sessionList) setSize(w, h int) { l.w, l.h = w, h }

func (l *sessionList) titles() (left, right string) {
	return "1 Sessions " + paint.Thousands(len(l.app.subjects)), ""
}

// at is the place of the session that is shown.
func (l *sessionList) at() int {
	for i, s := range l.app.subjects {
		if s == l.app.front {
			return i
		}
	}
	return 0
}

func (l *sessionList) move(action string) bool {
	page := max(l.h/sessionRows-1, 1)
	switch action {
	case actUp:
		l.show(l.at() - 1)
	case actDown:
		l.show(l.at() + 1)
	case actPageUp, actHalfUp:
		l.show(l.at() - page)
	case actPageDown, actHalfDown:
		l.show(l.at() + page)
	case actTop:
		l.show(0)
	case actBottom:
		l.show(len(l.app.subjects) - 1)
	default:
		return false
	}
	return true
}

// show shows the session at a place of the list, or the nearest there is.
func (l *sessionList) show(at int) {
	if n := len(l.app.subjects); n > 0 {
		l.app.show(l.app.subjects[between(0, at, n-1)])
	}
}

// step shows the next session, and behind the last the first.
func (l *sessionList) step(by int) {
	n := len(l.app.subjects)
	l.show((l.at() + by + n) % n)
}

func (l *sessionList) paint(out *paint.Lines, focused bool) {
	out.Options = l.app.look()
	out.Resize(l.w, l.h)
	fit := max(l.h/sessionRows, 1)
	at := l.at()
	l.top = max(min(l.top, at, len(l.app.subjects)-fit), at-fit+1, 0)
	for i, s := range l.app.subjects[l.top:min(l.top+fit, len(l.app.subjects))] {
		y := i * sessionRows
		l.app.as(s, func() {
			l.paintName(out.Line(y), l.top+i == at, focused)
			if y+1 < l.h {
				l.paintState(out.Line(y + 1))
			}
		})
	}
}

func (l *sessionList) paintName(line *paint.Line, selected, focused bool) {
	a := l.app
	mark, style := a.sessionMark()
	right, hurry := a.sessionBusy()
	cursor, name := " ", a.theme.Text
	if selected {
		cursor, name = ">", a.theme.Selected
		if !focused {
			name = a.theme.SelectedBlur
		}
	}
	line.Text(a.theme.Key, cursor)
	line.Text(style, mark)
	line.Text(theme.Style{}, " ")
	line.Begin(name)
	room := max(line.Room()-len(right)-1, 6)
	line.Field(theme.Style{}, []byte(a.sessionName()), room, termsafe.Left)
	line.End(name)
	line.Text(theme.Style{}, " ")
	line.Text(hurry, right)
}

// sessionBusy says what goes on in a session, in a word: somebody is waited for,
// requests are pending, or how fast messages come.
func (a *App) sessionBusy() (string, theme.Style) {
	pending := a.stats.PendingOut + a.stats.PendingIn
	switch {
	case a.session == nil:
	case len(a.waiting) > 0:
		return "asks you", a.theme.Error
	case pending > 0:
		return paint.Thousands(pending) + " pend", a.theme.Warn
	case a.rate.perSecond() > 0:
		return paint.Thousands(a.rate.perSecond()) + "/s", a.theme.Dim
	}
	return "", a.theme.Dim
}

// paintState paints the state of a session and where it runs, and at the right
// the size of its recording. Where there is no room that is left out for a host,
// and this machine for that.
func (l *sessionList) paintState(line *paint.Line) {
	a := l.app
	place, host := "local", a.host()
	if host != "" {
		place = "ssh " + host
	}
	state, bytes := fileState(a.file.Recording), size(a.file.Size)
	if a.session != nil {
		state, _ = liveState(a.status, a.theme)
	}
	if a.file.Recording == session.RecordingNone {
		bytes = ""
	}
	line.PadTo(4)
	if room := line.Room(); termsafe.Width(state+", "+place)+1+len(bytes) > room && bytes != "" {
		if host != "" {
			bytes = ""
		} else {
			place = ""
		}
		if termsafe.Width(state+", "+place) > room {
			place = host
		}
	}
	if place != "" {
		state += ", " + place
	}
	line.Text(a.theme.Dim, state)
	if bytes != "" {
		line.PadTo(max(l.w-len(bytes), 0))
		line.Text(a.theme.Dim, bytes)
	}
}

// sessionMark tells in one cell what has become of a session.
func (a *App) sessionMark() (string, theme.Style) {
	if a.session == nil {
		return "R", a.theme.Text
	}
	if a.linkState() == string(executor.LinkStalled) {
		return "!", a.theme.Warn
	}
	_, style := liveState(a.status, a.theme)
	switch a.status.State {
	case session.Ready, session.Running:
		return "*", style
	case session.Idle:
		return "-", a.theme.Dim
	case session.Failed, session.Closed:
		if style == a.theme.Error {
			return "x", style
		}
		return "-", a.theme.Dim
	}
	return "~", style
}

// sessionName is the title without the place, which stands beside it.
func (a *App) sessionName() string {
	title := a.subjectTitle()
	return strings.TrimSuffix(title, " (local)")
}

// askName asks for another name of the session.
func (a *App) askName() {
	s := a.subject
	a.prompt = newPrompt("name", "", s.title, func(a *App, text string) (tea.Cmd, error) {
		if text = strings.TrimSpace(text); text == "" {
			return nil, errors.New("it needs a name")
		}
		s.title = text
		a.markAll()
		return nil, nil
	})
}

// removeSession takes a session off the list, at once if no server runs.
func (a *App) removeSession() tea.Cmd {
	s := a.subject
	if running, _ := canKill(a); !running {
		return a.drop(s)
	}
	a.dialog = &dialog{
		title: "Remove the session?",
		lines: append(a.ladder(), "Its recording is kept."),
		yes:   func(a *App) tea.Cmd { return a.drop(s) },
	}
	return nil
}

// drop takes a session off the screen, and ends it in the background.
func (a *App) drop(s *subject) tea.Cmd {
	at := a.sessions.at()
	var save tea.Cmd
	a.as(s, func() {
		a.keepDraft()
		save = tea.Batch(a.saveDrafts(), func() tea.Msg {
			return result{what: "notes of " + s.title, err: s.notes.end()}
		})
	})
	end := tea.Batch(save, a.end(s))
	s.forget()
	s.stop()
	for i, other := range a.subjects {
		if other == s {
			a.subjects = append(a.subjects[:i:i], a.subjects[i+1:]...)
		}
	}
	open := a.overlays[:0:0]
	for _, o := range a.overlays {
		if o.subject != s {
			open = append(open, o)
		}
	}
	a.overlays = open
	if len(a.subjects) > 0 {
		a.sessions.show(at)
		return a.tagged(end) // what comes of it is told where one is then
	}
	if a.grid != nil {
		a.toGrid()
		return a.tagged(end)
	}
	a.show(a.nobody)
	a.focusOn(trafficID)
	return tea.Batch(a.tagged(a.goHome()), a.tagged(end))
}

// end ends the session of a subject that is on the screen no more.
func (a *App) end(s *subject) tea.Cmd {
	release := s.release
	if release == nil && s.session != nil { // it is the caller's to close, but its server ends
		release = func(ctx context.Context) error {
			_, err := s.session.Shutdown(ctx)
			return err
		}
	}
	if release == nil {
		return nil
	}
	name, ctx := s.title, a.ctx
	return func() tea.Msg {
		err := release(ctx)
		return result{what: fmt.Sprintf("end %s", name), err: err, text: name + " is removed"}
	}
}
