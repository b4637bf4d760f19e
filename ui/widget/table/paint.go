package table

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// gutter is the cells before the first column: the cursor, the mark of the row, and its
// flag if flags are on.
func (t *Table) gutter() int { return 2 + t.flags }

// Paint paints the table into out. The style of the selected row depends on focused.
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
		l.Field(t.theme.Dim, []byte(c.Title), p.Width, c.Align)
	}
}

type look uint8

const (
	plain look = iota
	blurred
	selected
)

// painted returns the row at a position, from the cache if unchanged.
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

func (t *Table) paintRow(l *paint.Line, row int, lk look) {
	t.cells.reset()
	t.source.Paint(row, &t.cells)
	l.Reset(t.width, t.options)

	l.BeginRow(t.theme.Cursor(lk == selected).If(lk != plain))
	l.Text(t.cells.markStyle, t.cells.mark)
	if t.flags > 0 {
		l.PadTo(2)
		l.Text(t.cells.flagStyle, t.cells.flag)
	}
	for _, p := range t.placed {
		l.PadTo(t.gutter() + p.X)
		if p.Column == t.cells.last {
			p.Width = l.Room()
		}
		t.paintColumn(l, p)
		if p.Column == t.cells.last {
			break
		}
	}
	l.EndRow()
}

func (t *Table) paintColumn(l *paint.Line, p placedColumn) {
	c := t.columns[p.Column]
	cell := &t.cache.scratch
	cell.Reset(t.cells.Width(p.Column), t.options)
	cell.PartOf(l)
	for _, piece := range t.cells.pieces {
		if piece.column == p.Column {
			cell.Bytes(piece.style, t.cells.arena[piece.start:piece.end])
		}
	}
	if c.Align == termsafe.Right {
		l.PadTo(l.Cells() + p.Width - cell.Cells())
	}
	l.Append(cell, t.cells.Width(p.Column)-p.Width)
}

// rowCache caches painted rows. Each position has a fixed slot, which positions visible
// at the same time never share, so nothing is searched, evicted or allocated; buffers are
// painted over.
type rowCache struct {
	rows    []cachedRow
	scratch paint.Line
}

type cachedRow struct {
	key  rowKey
	line paint.Line
}

// rowKey is what the look of a row depends on, except the layout and the theme, which
// clear the cache when they change.
type rowKey struct {
	row     int
	version uint32
	look    look
	valid   bool
}

// resize makes room for three pages of rows and clears the cache.
func (c *rowCache) resize(screen int) {
	if n := 3 * screen; n != len(c.rows) {
		c.rows = make([]cachedRow, n)
	}
	c.clear()
}

// clear keeps the buffers.
func (c *rowCache) clear() {
	for i := range c.rows {
		c.rows[i].key = rowKey{}
	}
}

func (c *rowCache) at(position int) *cachedRow {
	return &c.rows[position%len(c.rows)]
}
