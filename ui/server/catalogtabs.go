package server

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

type catalogTab struct {
	text     string
	from, to int
}

// The tab of the server is the last.
func (v *Catalog) at(c host.Context) int {
	if v.server {
		return len(c.Workspace.Shown.Catalog.Lists)
	}
	return v.tab
}

func (v *Catalog) turn(c host.Context, by int) tea.Cmd {
	n := len(c.Workspace.Shown.Catalog.Lists) + 1
	v.turnTo(c, (v.at(c)+by+n)%n)
	return RefreshLists(c)
}

func (v *Catalog) turnTo(c host.Context, number int) {
	v.server = number == len(c.Workspace.Shown.Catalog.Lists)
	if !v.server {
		v.tab = number
	}
	v.picker, v.listed, v.shown, v.alone, v.about = kit.Picker{}, nil, nil, false, kit.Scroll{}
}

// Press goes to the tab at a cell of the screen.
func (v *Catalog) Press(c host.Context, x, y int) (cmd tea.Cmd, hit bool) {
	for i, t := range v.tabs {
		if y == c.Host.Screen().Panes.Y && x >= t.from && x < t.to {
			v.turnTo(c, i)
			return RefreshLists(c), true
		}
	}
	return nil, false
}

// titles returns the titles of all tabs, with the number of items in a known list.
func (v *Catalog) titles(c host.Context) []string {
	var titles []string
	for _, list := range c.Workspace.Shown.Catalog.Lists {
		text := strings.ToUpper(list.Name[:1]) + list.Name[1:]
		if list.Items != nil {
			text += " " + wording.Thousands(len(list.Items))
		}
		if list.Stale {
			text += "*"
		}
		titles = append(titles, text)
	}
	return append(titles, "Server")
}

func (v *Catalog) paintTabs(c host.Context, r paint.Rect) {
	screen, open := c.Host.Screen(), v.at(c)
	block := &paint.Lines{Options: screen.Look()}
	block.Resize(r.W, 1)
	l := block.Line(0)
	v.tabs = v.tabs[:0]
	for i, text := range v.titles(c) {
		style := screen.Theme.Dim
		if i == open {
			text, style = "["+text+"]", screen.Theme.FocusTitle
		}
		l.PadTo(l.Cells() + 1)
		v.tabs = append(v.tabs, catalogTab{text, l.Cells(), l.Cells() + termsafe.Width(text)})
		l.Text(style, text)
	}
	screen.Canvas.Draw(r, block)
}

func (v *Catalog) paintServer(c host.Context, r paint.Rect) {
	screen, in := c.Host.Screen(), r.Inner()
	block := &paint.Lines{Options: screen.Look()}
	block.Resize(in.W, in.H)
	v.about.Fit(in.H, paintOverview(c, block, v.about.Top))
	screen.Canvas.Box(r, screen.Border("Server", "", true), block)
}
