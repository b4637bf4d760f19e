package table

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
)

// gutter returns the number of cells before the first column: one for the
// cursor, one for the mark of the row, and one for its flag if flags are on.
func (t *Table) gutter() int { return 2 + t.flags }

// Paint paints the table into out. Focused reports whether the pane has the
// focus, which changes the style of the selected row.
func (t *Table) Paint(out *paint.Lines, focused bool) {
	out.Options = t.options
	out.Resize(t.width+t.aside, t.height)
	y := 0
	if t.header && t.height > 0 {
		t.paintHeader(out.Line(0))
		y = 1
	}
	w := t.window()
	if w.len == 0 && y < t.height {
		l := out.Line(y)
		l.PadTo(t.gutter())
		l.Text(t.theme.Dim, t.empty)
		return
	}
	for i := 0; i < t.lines() && w.top+i < w.len; i++ {
		look := plain
		if w.top+i == w.cursor && !t.unmarked {
			look = blurred
			if focused {
				look = selected
			}
		}
		out.Line(y+i).Append(t.painted(w.top+i, look), 0)
	}
}

func (t *Table) paintHeader(l *paint.Line) {
	for _, p := range t.placed {
		l.PadTo(t.gutter() + p.X)
		c := t.columns[p.Column]
		l.Field(t.theme.Header, []byte(c.Title), p.Width, c.Align)
	}
}

// look is how a row differs from its neighbours in style.
type look uint8

const (
	plain look = iota
	blurred
	selected
)

// painted returns the row at a position, from the cache if it is unchanged.
func (t *Table) painted(position int, lk look) *paint.Line {
	row := t.row(position)
	entry := t.cache.at(position)
	key := rowKey{row: row, version: t.source.Version(row), look: lk, valid: true}
	if entry.key != key {
		entry.key = key
		t.paintRow(&entry.line, row, lk)
	}
	return &entry.line
}

// paintRow paints one row. A selected row has a single style, so that it is
// readable with any palette.
func (t *Table) paintRow(l *paint.Line, row int, lk look) {
	t.cells.reset()
	t.source.Paint(row, &t.cells)
	l.Reset(t.width, t.options)

	var whole theme.Style
	switch lk {
	case blurred:
		whole = t.theme.SelectedBlur
	case selected:
		whole = t.theme.Selected
	}
	l.Begin(whole)
	if lk != plain {
		l.Text(theme.Style{}, ">")
	}
	l.PadTo(1)
	l.Text(t.cells.markStyle.If(lk == plain), t.cells.mark)
	if t.flags > 0 {
		l.PadTo(2)
		l.Text(t.cells.flagStyle.If(lk == plain), t.cells.flag)
	}
	for _, p := range t.placed {
		l.PadTo(t.gutter() + p.X)
		if p.Column == t.cells.last {
			p.Width = l.Room()
		}
		t.paintColumn(l, p, lk)
		if p.Column == t.cells.last {
			break
		}
	}
	if lk != plain {
		l.Fill()
	}
	l.End(whole)
}

func (t *Table) paintColumn(l *paint.Line, p placedColumn, lk look) {
	c := t.columns[p.Column]
	cell := &t.cache.scratch
	cell.Reset(t.cells.Width(p.Column), t.options)
	for _, piece := range t.cells.pieces {
		if piece.column == p.Column {
			cell.Bytes(piece.style.If(lk == plain), t.cells.arena[piece.start:piece.end])
		}
	}
	if c.Align == termsafe.Right {
		l.PadTo(l.Cells() + p.Width - cell.Cells())
	}
	l.Append(cell, t.cells.Width(p.Column)-p.Width)
}
