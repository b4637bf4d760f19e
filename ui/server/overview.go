package server

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// ScopeOverview is the scope of the pane in the action table.
const ScopeOverview = "overview"

// ActOverview is the name of the action that shows the overview.
const ActOverview = "overview"

// OverviewActions returns the action that shows the overview.
func OverviewActions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: ActOverview, Scope: keymap.Global, Title: "overview", Synonyms: []string{"server", "info", "capabilities", "about"}, Help: "Show the server: its name, protocol, start, capabilities and problems.", Enabled: func(c host.Context) (bool, string) {
			return !c.Workspace.Empty(), "there is no session"
		}}, Do: func(c host.Context) tea.Cmd {
			c.Workspace.Overview = true
			return c.Host.Do(c.Workspace, host.ActDetail, "")
		}},
	}
}

// An Overview shows the overview in place of the detail. It belongs to the goroutine of the
// program.
type Overview struct {
	// Context is what the pane is about.
	Context func() host.Context
	// OpenList opens a list of the catalog by its name.
	OpenList func(c host.Context, list string) tea.Cmd

	w, h int
	all  []placed
	top  int // the first visible line
	sel  int // the number of the place with the cursor, among all places
	was  bool
}

// SetSize sets the size of the pane inside its border, in cells.
func (p *Overview) SetSize(w, h int) { p.w, p.h = w, h }

// Titles returns the texts in the upper border.
func (p *Overview) Titles() (left, right string) { return "3 Server", "" }

// Act moves the cursor between the places that enter opens.
func (p *Overview) Act(action string) bool {
	switch action {
	case kit.Down, kit.Right:
		p.sel++
	case kit.Up, kit.Left:
		p.sel--
	case kit.Top:
		p.sel = 0
	case kit.Bottom:
		p.sel = len(p.all)
	default:
		return false
	}
	return true
}

// Switched reports whether the overview has been shown or hidden since the last call.
func (p *Overview) Switched(shown bool) bool {
	was := p.was
	p.was = shown
	return was != shown
}

// cursor returns the position of the selected place, -1 if there is none.
func (p *Overview) cursor() int {
	var places []int
	for i, a := range p.all {
		if a.place != (factTarget{}) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return -1
	}
	p.sel = kit.Between(0, p.sel, len(places)-1)
	return places[p.sel]
}

func (p *Overview) arrange() (lines int) {
	p.all, lines = arranged(p.Context(), p.w-1, p.h)
	return lines
}

// Paint paints the pane inside its border.
func (p *Overview) Paint(out *paint.Lines, focused bool) {
	c := p.Context()
	screen := c.Host.Screen()
	out.Options = screen.Look()
	out.Resize(p.w, p.h)
	lines := p.arrange()
	selected := p.cursor()
	if !focused {
		selected = -1
	}
	p.top = kit.Between(0, p.top, max(lines-p.h, 0))
	if selected >= 0 && p.h > 0 {
		y := p.all[selected].y
		p.top = min(max(p.top, y+1-p.h), y)
	}
	paintFacts(screen, out, p.all, p.top, selected)
}

// Scroll scrolls by n lines, with the mouse wheel.
func (p *Overview) Scroll(n int) { p.top = max(p.top+n, 0) }

// Open opens the place with the cursor.
func (p *Overview) Open() tea.Cmd {
	p.arrange()
	if i := p.cursor(); i >= 0 {
		return p.enter(p.all[i].place)
	}
	return nil
}

// Press opens the place at a cell inside the border.
func (p *Overview) Press(x, y int) tea.Cmd {
	if place, ok := placeAt(p.all, x, y+p.top); ok {
		return p.enter(place)
	}
	return nil
}

func (p *Overview) enter(place factTarget) tea.Cmd {
	c := p.Context()
	if place.List != "" {
		return p.OpenList(c, place.List)
	}
	return c.Host.Do(c.Workspace, place.Action, "")
}
