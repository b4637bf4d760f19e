package server

import (
	"strconv"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// PaintName paints the first line of a session in the list of sessions: state, name, and
// activity.
func PaintName(c host.Context, line *paint.Line, selected, focused bool) {
	th := c.Host.Screen().Theme
	mark, style := sessionMark(c)
	right, hurry := sessionBusy(c)
	line.BeginRow(th.Cursor(focused).If(selected))
	line.Text(style, mark)
	line.Text(paint.Style{}, " ")
	room := max(line.Room()-len(right)-1, 6)
	line.Field(th.Text, []byte(c.Workspace.SessionName()), room, termsafe.Left)
	line.Text(paint.Style{}, " ")
	line.Text(hurry, right)
	line.EndRow()
}

// sessionBusy describes in a word the activity of a session: a request waits for
// the user, requests are pending, or the message rate.
func sessionBusy(c host.Context) (string, paint.Style) {
	pending := c.Workspace.Stats.PendingOut + c.Workspace.Stats.PendingIn
	switch {
	case c.Workspace.Session == nil:
	case len(c.Workspace.Waiting) > 0:
		return "asks you", c.Host.Screen().Theme.Waits
	case pending > 0:
		return wording.Thousands(pending) + " pending", c.Host.Screen().Theme.Accent
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

func sessionMark(c host.Context) (string, paint.Style) {
	if c.Workspace.Session == nil {
		return "R", c.Host.Screen().Theme.Text
	}
	if c.Workspace.LinkState() == string(executor.LinkStalled) {
		return "!", c.Host.Screen().Theme.Odd
	}
	_, style := liveState(c.Workspace.Status, c.Host.Screen().Theme)
	switch c.Workspace.Status.State {
	case session.Ready, session.Running:
		return "*", style
	case session.Idle:
		return "-", c.Host.Screen().Theme.Dim
	case session.Failed, session.Closed:
		if style == c.Host.Screen().Theme.Failed {
			return "x", style
		}
		return "-", c.Host.Screen().Theme.Dim
	}
	return "~", style
}

// A SessionTab is a session in the line that names all sessions.
type SessionTab struct {
	Number   int // of the session, from 0
	Text     string
	Style    paint.Style
	From, To int // the columns of the text
}

// mostName is the number of cells of a name in a tab.
const mostName = 28

// SessionTabs returns the tabs of as many sessions as width cells can name, the visible one
// among them.
func SessionTabs(sessions []host.Context, visible, width int) []SessionTab {
	tabs := make([]SessionTab, len(sessions))
	for i, c := range sessions {
		tabs[i] = sessionTab(c, i, i == visible)
	}
	first, last := visible, visible
	used := tabs[visible].To
	for grown := true; grown; {
		grown = false
		if first > 0 && used+tabGap+tabs[first-1].To < width {
			first, grown = first-1, true
			used += tabGap + tabs[first].To
		}
		if last < len(tabs)-1 && used+tabGap+tabs[last+1].To < width {
			last, grown = last+1, true
			used += tabGap + tabs[last].To
		}
	}
	at := 0
	for i := range tabs[first : last+1] {
		t := &tabs[first+i]
		t.From, t.To = at, at+t.To
		at = t.To + tabGap
	}
	return tabs[first : last+1]
}

const tabGap = 1

func sessionTab(c host.Context, number int, visible bool) SessionTab {
	screen := c.Host.Screen()
	name, _, _ := termsafe.AppendString(nil, c.Workspace.SessionName(), mostName, screen.Look())
	t := SessionTab{Number: number, Text: " " + strconv.Itoa(number+1) + " " + string(name), Style: screen.Theme.Dim}
	mark, _ := sessionMark(c)
	switch {
	case len(c.Workspace.Waiting) > 0:
		t.Text, t.Style = t.Text+" ?", screen.Theme.Odd
	case mark == "x" || mark == "!":
		t.Text, t.Style = t.Text+" !", screen.Theme.Failed
	}
	if visible {
		t.Style = screen.Theme.Selected
	}
	t.Text += " "
	t.To = termsafe.Width(t.Text)
	return t
}
