package kit

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/theme"
)

// A Menu is a box in the middle of the screen with a Picker in it.
type Menu struct {
	Picker
	block paint.Lines
}

// Box draws the menu in the middle of the screen, at most width cells wide; item
// paints what is behind the cursor's mark.
func (m *Menu) Box(on *Screen, width int, title, right string, item func(l *paint.Line, i int, style theme.Style)) {
	r := on.Body().Center(min(width, on.Width-2), min(len(m.Items)+3, on.Height-2))
	in := r.Inner()
	m.block.Options = on.Look()
	m.block.Resize(in.W, in.H)
	if in.H > 0 {
		on.PaintQuery(m.block.Line(0), m.Query, "type to narrow the list")
	}
	m.Paint(on, &m.block, 1, func(l *paint.Line, p Pick, selected bool) {
		style := on.Theme.Text
		if selected {
			style = on.Theme.Strong
		}
		item(l, p.Item, style)
	})
	on.Canvas.Box(r, on.Border(title, right, true), &m.block)
}
