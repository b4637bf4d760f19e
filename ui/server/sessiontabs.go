package server

import (
	"strconv"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
)

// A SessionTab is a session in the line that names all sessions.
type SessionTab struct {
	Number   int // of the session, from 0
	Text     string
	Style    theme.Style
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
		t.Text, t.Style = t.Text+" ?", screen.Theme.Warn
	case mark == "x" || mark == "!":
		t.Text, t.Style = t.Text+" !", screen.Theme.Error
	}
	if visible {
		t.Style = screen.Theme.Selected
	}
	t.Text += " "
	t.To = termsafe.Width(t.Text)
	return t
}
