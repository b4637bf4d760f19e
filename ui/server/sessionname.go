package server

import (
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
)

// PaintName paints the first line of a session in the list of sessions: state, name, and
// activity.
func PaintName(c host.Context, line *paint.Line, selected, focused bool) {
	th := c.Host.Screen().Theme
	mark, style := sessionMark(c)
	right, hurry := sessionBusy(c)
	cursor, name := " ", th.Text
	if selected {
		cursor, name = ">", th.Selected
		if !focused {
			name = th.SelectedBlur
		}
	}
	line.Text(th.Key, cursor)
	line.Text(style, mark)
	line.Text(theme.Style{}, " ")
	line.Begin(name)
	room := max(line.Room()-len(right)-1, 6)
	line.Field(theme.Style{}, []byte(c.Workspace.SessionName()), room, termsafe.Left)
	line.End(name)
	line.Text(theme.Style{}, " ")
	line.Text(hurry, right)
}

// sessionBusy describes in a word the activity of a session: a request waits for
// the user, requests are pending, or the message rate.
func sessionBusy(c host.Context) (string, theme.Style) {
	pending := c.Workspace.Stats.PendingOut + c.Workspace.Stats.PendingIn
	switch {
	case c.Workspace.Session == nil:
	case len(c.Workspace.Waiting) > 0:
		return "asks you", c.Host.Screen().Theme.Error
	case pending > 0:
		return wording.Thousands(pending) + " pending", c.Host.Screen().Theme.Warn
	case c.Workspace.Rate.PerSecond() > 0:
		return wording.Thousands(c.Workspace.Rate.PerSecond()) + "/s", c.Host.Screen().Theme.Dim
	}
	return "", c.Host.Screen().Theme.Dim
}

// PaintState paints the second line: state and place, and on the right the size of the
// recording. If there is too little room, it omits the size of a session on a host, and
// the place of a local one.
func PaintState(c host.Context, line *paint.Line) {
	th := c.Host.Screen().Theme
	place, on := "local", c.Workspace.Host()
	if on != "" {
		place = "ssh " + on
	}
	state, bytes := fileState(c.Workspace.File.Recording), wording.Size(c.Workspace.File.Size)
	if c.Workspace.Session != nil {
		state, _ = liveState(c.Workspace.Status, th)
	}
	if c.Workspace.File.Recording == session.RecordingNone {
		bytes = ""
	}
	line.PadTo(4)
	if room := line.Room(); termsafe.Width(state+", "+place)+1+len(bytes) > room && bytes != "" {
		if on != "" {
			bytes = ""
		} else {
			place = ""
		}
		if termsafe.Width(state+", "+place) > room {
			place = on
		}
	}
	if place != "" {
		state += ", " + place
	}
	line.Text(th.Dim, state)
	if bytes != "" {
		line.PadTo(line.Cells() + max(line.Room()-len(bytes), 0))
		line.Text(th.Dim, bytes)
	}
}

// sessionMark returns a mark of one cell for the state of a session.
func sessionMark(c host.Context) (string, theme.Style) {
	if c.Workspace.Session == nil {
		return "R", c.Host.Screen().Theme.Text
	}
	if c.Workspace.LinkState() == string(executor.LinkStalled) {
		return "!", c.Host.Screen().Theme.Warn
	}
	_, style := liveState(c.Workspace.Status, c.Host.Screen().Theme)
	switch c.Workspace.Status.State {
	case session.Ready, session.Running:
		return "*", style
	case session.Idle:
		return "-", c.Host.Screen().Theme.Dim
	case session.Failed, session.Closed:
		if style == c.Host.Screen().Theme.Error {
			return "x", style
		}
		return "-", c.Host.Screen().Theme.Dim
	}
	return "~", style
}
