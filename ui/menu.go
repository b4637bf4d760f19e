package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// A menu is an overlay that is a box with a picker in it. Who embeds it paints
// it by box.
type menu struct {
	picker
	of    string // the scope of its actions
	block paint.Lines
}

func (m *menu) scope() string  { return m.of }
func (m *menu) picks() *picker { return &m.picker }

func (m *menu) typed(_ *App, msg tea.Msg) tea.Cmd {
	m.picker.typed(msg)
	return nil
}

// box draws the menu in the middle of the screen, at most width cells wide; item
// paints what is behind the cursor's mark.
func (m *menu) box(a *App, width int, title, right string, item func(l *paint.Line, i int, style theme.Style)) {
	r := a.below().Center(min(width, a.width-2), min(len(m.items)+3, a.height-2))
	in := r.Inner()
	m.block.Options = a.look()
	m.block.Resize(in.W, in.H)
	if in.H > 0 {
		a.paintQuery(m.block.Line(0), m.query, "type to narrow the list")
	}
	m.paint(a, &m.block, 1, func(l *paint.Line, p pick, selected bool) {
		style := a.theme.Text
		if selected {
			style = a.theme.Strong
		}
		item(l, p.item, style)
	})
	a.canvas.Box(r, a.border(title, right, true), &m.block)
}
