package kit

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// A Dialog is what surrounds a text over the panes: the titles above, and below the keys
// that act in it.
type Dialog struct {
	Title, Right string // may be untrusted
	Keys         []key.Binding
	Note         string // replaces the keys
	Asks         bool   // a question of the program, which nothing else can look like
}

// An edge is all that a border depends on. While it stays the same, nothing is rendered.
type edge struct {
	width              int
	title, right, foot string
	asks, ascii        bool
	theme              *paint.Theme
}

// A border is the rendered edge of a dialog of any height: its first row, one with text
// inside, one with a rule across, and the last. The text is not part of it: the canvas
// paints that, so that most keys cost no rendering.
type border struct {
	edge
	rows  []string
	parts *lipgloss.Compositor
}

// A placed is a border where it was drawn.
type placed struct {
	border
	at paint.Rect
}

// DropsKeys is what a box says that opened by itself or asks, until keys reach it.
const DropsKeys = "ignores keys until you stop typing"

// maxBorders is how many borders are kept: those of a few dialogs over each other, before
// and after a change.
const maxBorders = 8

// Begin begins a frame.
func (s *Screen) Begin() {
	s.Canvas.Reset(s.Width, s.Height)
	s.top = nil
}

// Dialog draws a block with a border around it over the screen, which is dimmed.
func (s *Screen) Dialog(r paint.Rect, d Dialog, block *paint.Lines) {
	s.Canvas.Dim(s.Theme.Backdrop)
	if s.Drops {
		d.Note = DropsKeys
	}
	if r.W < 2 || r.H < 2 {
		return
	}
	e := edge{width: r.W, asks: d.Asks, ascii: s.ASCII, theme: s.Theme}
	room := r.W - 6
	left := room
	if right := termsafe.Width(d.Right) + 3; d.Right != "" && termsafe.Width(d.Right) <= r.W-TitleLeast {
		e.right, left = termsafe.String(d.Right), room-right
	}
	e.title = termsafe.Truncate(d.Title, max(left, 0), s.Look().Ellipsis)
	if e.foot = s.foot(d.Keys, room); d.Note != "" {
		e.foot = "\x00" + termsafe.Truncate(d.Note, max(room, 0), s.Look().Ellipsis)
	}
	i := slices.IndexFunc(s.borders, func(b border) bool { return b.edge == e })
	if i < 0 {
		s.borders = append(s.borders[max(0, len(s.borders)+1-maxBorders):], s.render(e))
		i = len(s.borders) - 1
	}
	s.top = &placed{s.borders[i], r}
	s.Canvas.Surround(r, s.top.rows, block)
}

// TitleLeast is the cells of a border that the right title leaves to the other and the ends.
const TitleLeast = 25

// foot joins the keys that fit, each with its title. The last one is omitted last.
func (s *Screen) foot(keys []key.Binding, room int) string {
	keys = slices.Clone(keys)
	width := func() int {
		n := -hintGap
		for _, k := range keys {
			n += termsafe.Width(k.Help().Key+" "+k.Help().Desc) + hintGap
		}
		return n
	}
	for len(keys) > 0 && width() > room {
		keys = slices.Delete(keys, max(len(keys)-2, 0), max(len(keys)-1, 1))
	}
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(k.Help().Key + "\x00 " + k.Help().Desc + "\n")
	}
	return b.String()
}

// hintGap is the cells between two keys.
const hintGap = 3

// lastRow is the number of the last row of a border.
const lastRow = 3

// render renders the border of a dialog, with a layer for each part that the mouse can
// click. Each layer has a Z of its own: they are sorted, but not stably.
func (s *Screen) render(e edge) border {
	look := s.Theme.Lipgloss
	lines, line, heading := lipgloss.RoundedBorder(), s.Theme.FocusRule, s.Theme.FocusTitle
	switch {
	case e.asks && e.ascii:
		lines = lipgloss.Border{Top: "*", Bottom: "*", Left: "*", Right: "*", TopLeft: "*", TopRight: "*", BottomLeft: "*", BottomRight: "*", MiddleLeft: "*", MiddleRight: "*"}
	case e.asks:
		lines, line, heading = lipgloss.DoubleBorder(), s.Theme.Strong, s.Theme.Strong
	case e.ascii:
		lines = lipgloss.ASCIIBorder()
	}
	box := lipgloss.NewStyle().Border(lines).BorderForeground(look(line).GetForeground()).Width(e.width).Height(lastRow + 1)
	layers := []*lipgloss.Layer{lipgloss.NewLayer(box.Render())}
	add := func(id, text string, x, y int) {
		layers = append(layers, lipgloss.NewLayer(text).ID(id).X(x).Y(y).Z(len(layers)))
	}
	add("", lipgloss.NewStyle().Foreground(look(line).GetForeground()).Render(lines.MiddleLeft+strings.Repeat(lines.Top, e.width-2)+lines.MiddleRight), 0, 2)
	if e.title != "" {
		add("", " "+look(heading).Render(e.title)+" ", 2, 0)
	}
	if e.right != "" {
		add("", " "+look(s.Theme.Dim).Render(e.right)+" ", e.width-termsafe.Width(e.right)-4, 0)
	}
	x, mark := 2, " "
	for part := range strings.Lines(e.foot) {
		key, title, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\x00")
		add("", mark, x, lastRow)
		x += len([]rune(mark))
		add(key, look(s.Theme.Accent).Render(key)+look(s.Theme.Text).Render(title)+" ", x, lastRow)
		x += termsafe.Width(key + title)
		mark = " " + paint.Glyph(s.Look(), "·", "*") + " "
	}
	parts := lipgloss.NewCompositor(layers...)
	return border{edge: e, rows: strings.Split(parts.Render(), "\n"), parts: parts}
}

// Key returns the key in the border of the topmost dialog at a cell of the screen, or "".
func (s *Screen) Key(x, y int) string {
	if s.top == nil || y != s.top.at.Y+s.top.at.H-1 {
		return ""
	}
	return s.top.parts.Hit(x-s.top.at.X, lastRow).ID()
}

// HasDialog reports whether a dialog was drawn since Begin.
func (s *Screen) HasDialog() bool { return s.top != nil }
