package server

import (
	"strconv"
	"strings"

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
	case held(c) > 0:
		return wording.Thousands(held(c)) + " held", c.Host.Screen().Theme.Waits
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
// recording. If there is too little room, it omits the size of a session elsewhere, and
// the place of a local one.
func PaintState(c host.Context, line *paint.Line) {
	th := c.Host.Screen().Theme
	place := c.Workspace.Place()
	elsewhere := place != "local"
	state, bytes := fileState(c.Workspace.File.Recording), wording.Size(c.Workspace.File.Size)
	if c.Workspace.Session != nil {
		state, _ = liveState(c.Workspace.Status, th)
	}
	if c.Workspace.File.Recording == session.RecordingNone {
		bytes = ""
	}
	line.PadTo(4)
	if room := line.Room(); termsafe.Width(state+", "+place)+1+len(bytes) > room && bytes != "" {
		if elsewhere {
			bytes = ""
		} else {
			place = ""
		}
		if termsafe.Width(state+", "+place) > room {
			place = strings.TrimPrefix(place, "ssh ")
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

// held returns how many messages of a live tap wait for a person.
func held(c host.Context) int {
	if t := c.Workspace.Tap; t != nil {
		return len(t.State.Held)
	}
	return 0
}

func sessionMark(c host.Context) (string, paint.Style) {
	if c.Workspace.Session == nil {
		return "R", c.Host.Screen().Theme.Text
	}
	if state := executor.LinkState(c.Workspace.LinkState()); state == executor.LinkStalled || state == executor.LinkRecovering {
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

// A SessionTab is a session in the line that names all sessions, or an arrow next to them.
type SessionTab struct {
	Number   int // of the session that a click shows, from 0
	Text     string
	Style    paint.Style
	From, To int // the columns of the text
}

const (
	mostName = 28 // cells of a name in a tab
	tabGap   = 1
)

// SessionTabs returns the tabs of as many sessions as width cells can name, the visible one
// among them, between arrows that lead to its neighbors.
func SessionTabs(sessions []host.Context, visible, width int) []SessionTab {
	n := len(sessions)
	look, dim := sessions[visible].Host.Screen().Look(), sessions[visible].Host.Screen().Theme.Dim
	before := SessionTab{Number: (visible + n - 1) % n, Text: paint.Glyph(look, " ‹", " <"), Style: dim, To: 2}
	after := SessionTab{Number: (visible + 1) % n, Text: paint.Glyph(look, "›", ">"), Style: dim, To: 1}
	tabs, names := make([]SessionTab, n), map[string]int{}
	for _, c := range sessions {
		names[tabName(c)]++
	}
	for i, c := range sessions {
		tabs[i] = sessionTab(c, i, i == visible, names[tabName(c)] > 1)
	}
	first, last := visible, visible
	used := before.To + tabGap + tabs[visible].To + tabGap + after.To
	for grown := true; grown; {
		grown = false
		if first > 0 && used+tabGap+tabs[first-1].To < width {
			first, grown = first-1, true
			used += tabGap + tabs[first].To
		}
		if last < n-1 && used+tabGap+tabs[last+1].To < width {
			last, grown = last+1, true
			used += tabGap + tabs[last].To
		}
	}
	line := append(append([]SessionTab{before}, tabs[first:last+1]...), after)
	at := 0
	for i := range line {
		t := &line[i]
		t.From, t.To = at, at+t.To
		at = t.To + tabGap
	}
	return line
}

func tabName(c host.Context) string {
	name := c.Workspace.SessionName()
	if on := c.Workspace.Host(); on != "" && !strings.HasSuffix(name, " on "+on+")") {
		name += "@" + on
	}
	return name
}

// sessionTab returns the tab of a session with its worst mark. A twin has the name of
// another session, and adds its pid.
func sessionTab(c host.Context, number int, visible, twin bool) SessionTab {
	screen := c.Host.Screen()
	name, _, _ := termsafe.AppendString(nil, tabName(c), mostName, screen.Look())
	t := SessionTab{Number: number, Text: string(name), Style: screen.Theme.Dim}
	if pid := c.Workspace.Shown.Lifecycle.Start.PID; twin && pid != 0 {
		t.Text += " " + strconv.Itoa(pid)
	}
	mark, _ := sessionMark(c)
	switch {
	case mark == "x" || mark == "!":
		t.Text, t.Style = t.Text+" "+paint.Glyph(screen.Look(), "✗", "E"), screen.Theme.Failed
	case len(c.Workspace.Waiting) > 0:
		t.Text, t.Style = t.Text+" ?", screen.Theme.Odd
	case held(c) > 0:
		t.Text, t.Style = t.Text+" H", screen.Theme.Odd
	}
	if visible {
		t.Text, t.Style = "["+t.Text+"]", screen.Theme.Strong
	} else {
		t.Text = " " + t.Text + " "
	}
	t.To = termsafe.Width(t.Text)
	return t
}
