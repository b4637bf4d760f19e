package help

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// The sizes of the menu, in cells.
const (
	menuWidth  = 100 // with its border, if there is room
	twoColumns = 84  // of a screen with two columns of lines
)

// A Menu lists the actions of the focused part, the most important first, and runs the one
// that is chosen: by the cursor or by its key. Its last lines explain the signs on the
// screen.
type Menu struct {
	title  string
	kind   string // of session
	lines  []item
	signs  []kit.Sign
	total  int // commands
	at     int
	rows   int // of a page
	column int // columns of a page
	block  paint.Lines
}

// An item is a line of the menu.
type item struct {
	keys, text string
	id         string
	reason     string // why it is not possible now, or ""
}

// newMenu returns the menu of a scope.
func newMenu(c host.Context) *Menu {
	focus := c.Host.Beneath(c.Workspace)
	if _, ok := c.View.(*Palette); ok {
		focus = ScopePalette
	}
	actions := c.Host.Actions()
	scope, _ := actions.Scope(focus)
	m := &Menu{title: scope.Title, lines: items(focus, actions.Offered(focus, c)), total: len(offered(c)), signs: c.Panes().Signs()}
	switch {
	case c.Workspace.Session != nil:
		m.kind = "live session"
	case c.Workspace.Tap != nil && c.Workspace.Tap.Link != nil:
		m.kind = "live tap"
	case !c.Workspace.Empty():
		m.kind = "recording"
	}
	return m
}

// items returns the lines of a menu: first those written for the scope, then its other
// actions with a key that are possible now. Impossible ones come last.
func items(scope string, offered []keymap.Entry) []item {
	byID := map[string]keymap.Entry{}
	for _, e := range offered {
		byID[e.ID] = e
	}
	var lines, moves []item
	taken := map[string]bool{ActMenu: true, ActMenuTyping: true}
	for _, l := range menuLines(scope) {
		if it, ok := itemOf(l, byID); ok {
			lines = append(lines, it)
		}
		for _, id := range l.ids {
			taken[id] = true
		}
	}
	for _, l := range movements {
		for i, id := range l.ids {
			if own := scope + "-" + id; byID[id].ID == "" && byID[own].ID != "" {
				l.ids = slices.Clone(l.ids)
				l.ids[i] = own
			}
		}
		if it, ok := itemOf(l, byID); ok {
			moves = append(moves, it)
		}
		for _, id := range l.ids {
			taken[id] = true
		}
	}
	offered = slices.Clone(offered)
	sort.SliceStable(offered, func(i, j int) bool {
		a, b := &offered[i], &offered[j]
		return cmp.Or(compareBools(a.Scope == keymap.Global, b.Scope == keymap.Global), cmp.Compare(b.Priority, a.Priority)) < 0
	})
	for _, e := range offered {
		if len(e.Keys) > 0 && !taken[e.ID] && e.Disabled == "" {
			lines = append(lines, item{e.Keys[0], e.Title, e.ID, e.Disabled})
		}
	}
	lines = append(lines, moves...)
	sort.SliceStable(lines, func(i, j int) bool {
		a, b := &lines[i], &lines[j]
		return compareBools(a.reason != "", b.reason != "") < 0
	})
	return lines
}

// itemOf returns a line with the first key of each of its actions. It fails if none of
// them has a key.
func itemOf(l line, byID map[string]keymap.Entry) (item, bool) {
	var keys []string
	it := item{text: l.text, reason: "-"}
	for _, id := range l.ids {
		e, ok := byID[id]
		if !ok || len(e.Keys) == 0 || e.Disabled == host.NoTap {
			continue
		}
		keys = append(keys, e.Keys[0])
		if it.id == "" || it.reason != "" && e.Disabled == "" {
			it.id, it.reason = id, e.Disabled
		}
	}
	it.keys = strings.Join(keys, " ")
	return it, keys != nil
}

// Scope implements host.View.
func (*Menu) Scope() string { return Scope }

// Update implements host.View: the shell passes no keys to a menu.
func (*Menu) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// Back implements host.Stepping.
func (m *Menu) Back(c host.Context) tea.Cmd {
	c.Host.Close(m)
	return nil
}

// move moves the cursor by an action.
func (m *Menu) move(way string) {
	page := max(m.rows*m.column, 1)
	switch way {
	case kit.Left:
		m.at -= m.rows
	case kit.Right:
		m.at += m.rows
	case kit.PageDown:
		m.at += page
	case kit.PageUp:
		m.at -= page
	default:
		n, _ := kit.LinesOf(way, page)
		m.at += n
	}
	m.at = kit.Between(0, m.at, max(len(m.lines)-1, 0))
}

// Run closes the menu and carries out the line at the cursor.
func (m *Menu) Run(c host.Context) tea.Cmd {
	if m.at >= len(m.lines) {
		return nil
	}
	c.Host.Close(m)
	return c.Host.Do(c.Workspace, m.lines[m.at].id, "")
}

// Click runs the line at a cell of the screen, and reports whether there is one.
func (m *Menu) Click(c host.Context, x, y int) (cmd tea.Cmd, hit bool) {
	place := m.block.Place()
	if !place.Contains(x, y) || y-place.Y >= m.rows {
		return nil, place.Contains(x, y)
	}
	at := m.first() + (x-place.X)*m.column/place.W*m.rows + y - place.Y
	if at >= len(m.lines) {
		return nil, true
	}
	m.at = at
	return m.Run(c), true
}

// first returns the first line of the page of the cursor.
func (m *Menu) first() int {
	page := max(m.rows*m.column, 1)
	return m.at / page * page
}

// Draw implements host.View.
func (m *Menu) Draw(c host.Context) {
	screen := c.Host.Screen()
	body := screen.Body()
	width := min(menuWidth, body.W)
	m.column = 1
	if screen.Width >= twoColumns {
		m.column = 2
	}
	legend := m.legend(width - 2)
	legend = legend[:min(len(legend), max((body.H-4)/2, 0))]
	m.rows = max(1, min((len(m.lines)+m.column-1)/m.column, body.H-2-len(legend)-min(len(legend), 1)))
	r := body.Center(width, m.rows+2+len(legend)+min(len(legend), 1))
	in := r.Inner()
	c.Block(&m.block, in)
	m.paintLines(screen)
	if len(legend) > 0 && m.rows < in.H {
		screen.PaintRule(m.block.Line(m.rows))
	}
	for i, signs := range legend {
		if y := m.rows + 1 + i; y < in.H {
			m.paintSigns(screen, m.block.Line(y), signs, i == 0)
		}
	}
	right := m.kind
	if page := m.rows * m.column; len(m.lines) > page {
		right = fmt.Sprintf("page %d of %d  %s", m.at/page+1, (len(m.lines)+page-1)/page, right)
	}
	screen.Dialog(r, kit.Dialog{Title: "Menu: " + m.title, Right: right, Note: m.hint(c, in.W)}, &m.block)
}

// hint is why the line of the cursor is not possible, which may be cut in the line, or what
// the keys of the menu do, as far as there is room.
func (m *Menu) hint(c host.Context, width int) string {
	if m.at < len(m.lines) && m.lines[m.at].reason != "" {
		return "not now: " + m.lines[m.at].reason
	}
	closes := c.Host.Key(Scope+"-"+host.CloseName) + " close"
	search := c.Host.Key(actSearch) + " searches all " + wording.Counted(m.total, "command") + " and the help"
	for _, text := range []string{"enter runs the line, its key too · " + search + " · " + closes, "enter runs the line, its key too · " + closes} {
		if c.Host.Screen().ASCII {
			text = strings.ReplaceAll(text, " · ", "; ")
		}
		if termsafe.Width(text)+4 <= width {
			return text
		}
	}
	return "enter runs; " + closes
}

func (m *Menu) paintLines(screen *kit.Screen) {
	const gap = 2
	width, _ := m.block.Size()
	first, keys := m.first(), make([]int, m.column)
	page := m.lines[first:min(first+m.rows*m.column, len(m.lines))]
	for i, it := range page {
		keys[i/m.rows] = max(keys[i/m.rows], termsafe.Width(it.keys))
	}
	for i, it := range page {
		l, column := m.block.Painted(i%m.rows), i/m.rows
		l.PadTo(column * width / m.column)
		cursor, key, style := " ", screen.Theme.Accent, screen.Theme.Text
		text := it.text
		if it.reason != "" {
			key, style, text = screen.Theme.Dim, screen.Theme.Dim, it.text+": "+it.reason
		}
		if first+i == m.at {
			cursor = ">"
		}
		l.Text(screen.Theme.Accent, " "+cursor+" ")
		l.Field(key, []byte(it.keys), keys[column]+gap, termsafe.Left)
		if first+i == m.at {
			style = screen.Theme.Strong
		}
		l.Field(style, []byte(text), max((column+1)*width/m.column-l.Cells()-1, 0), termsafe.Left)
	}
}

// legend divides the signs into lines.
func (m *Menu) legend(width int) (lines [][]kit.Sign) {
	room := 0
	for _, s := range m.signs {
		need := termsafe.Width(s.Glyph) + 1 + len(s.Words) + 2
		if room < need {
			lines, room = append(lines, nil), width-2
			if len(lines) == 1 {
				room -= len(legendTitle)
			}
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], s)
		room -= need
	}
	return lines
}

const legendTitle = "marks here:  "

func (m *Menu) paintSigns(screen *kit.Screen, l *paint.Line, signs []kit.Sign, titled bool) {
	l.PadTo(1)
	if titled {
		l.Text(screen.Theme.Dim, legendTitle)
	}
	for _, s := range signs {
		l.Text(s.Style, s.Glyph)
		l.Text(screen.Theme.Text, " "+s.Words+"  ")
	}
}

// Scope is the scope of the menu.
const Scope = "menu"

// The actions of the menu.
const (
	ActMenu       = host.ActHelp
	ActMenuTyping = "menu-typing"
	actSearch     = "menu-search"
	actRun        = "menu-run"
)

// Actions are those that open the menu, and those in it.
func Actions() []host.Action {
	moves := func(name, title string, keys ...string) host.Action {
		return host.Action{Entry: host.Entry{ID: Scope + "-" + name, Keys: keys, Scope: Scope, Title: title, Help: "Move the cursor: " + title + "."},
			Do: host.On(func(_ host.Context, m *Menu) tea.Cmd { m.move(name); return nil })}
	}
	return []host.Action{
		{Entry: host.Entry{ID: ActMenu, Keys: []string{"?"}, Scope: keymap.Global, Title: "menu", Help: "Show what can be done here, and what the marks mean.", Synonyms: []string{"help", "docs", "manual", "keys", "shortcuts", "legend"}, Last: true}, Do: open},
		{Entry: host.Entry{ID: ActMenuTyping, Keys: []string{"f1", "ctrl+_", "ctrl+/"}, Scope: keymap.Global, Everywhere: true, Title: "menu", Help: "Show what can be done here, also while you type.", Hint: key.Help{Key: "ctrl+/", Desc: "menu"}, Last: true}, Do: open},
		{Entry: host.Entry{ID: actRun, Keys: []string{"enter"}, Scope: Scope, Title: "run", Help: "Carry out the selected line.", Priority: 90}, Do: host.On(func(c host.Context, m *Menu) tea.Cmd { return m.Run(c) })},
		{Entry: host.Entry{ID: actSearch, Keys: []string{"/"}, Scope: Scope, Title: "search", Help: "Search all commands and the help."}, Do: host.On(func(c host.Context, m *Menu) tea.Cmd {
			c.Host.Close(m)
			return c.Host.Do(c.Workspace, ActPalette, "")
		})},
		moves(kit.Down, "down", "j", "down"),
		moves(kit.Up, "up", "k", "up"),
		moves(kit.Left, "left", "h", "left"),
		moves(kit.Right, "right", "l", "right"),
		moves(kit.PageDown, "next page", "pgdown", "ctrl+d"),
		moves(kit.PageUp, "previous page", "pgup", "ctrl+u"),
		moves(kit.Top, "first", "g", "home"),
		moves(kit.Bottom, "last", "G", "end"),
		host.Override(host.Entry{Name: host.CloseName, Scope: Scope, Keys: []string{"esc", "q", "?"}, Help: "Close the menu. Any other key closes it, too, and acts as usual."}),
	}
}

func open(c host.Context) tea.Cmd {
	c.Host.Open(c.Workspace, newMenu(c))
	return nil
}
