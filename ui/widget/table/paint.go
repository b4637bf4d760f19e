package table

import (
	"slices"
	"strings"

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
	t.paintRows(out, w, y, focused)
	// Rows may have other texts in other columns; the next frame must not move them again.
	for pass := 0; pass < maxPasses && t.fitNeeds(w); pass++ {
		if t.header && t.height > 0 {
			t.paintHeader(out.Line(0))
		}
		t.paintRows(out, w, y, focused)
	}
}

// maxPasses is how often rows are painted again in a frame until the columns fit them.
const maxPasses = 3

func (t *Table) paintRows(out *paint.Lines, w window, y int, focused bool) {
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

// PaintRow paints a row of the source as if it were listed.
func (t *Table) PaintRow(l *paint.Line, row int, marked, focused bool) {
	look := plain
	if marked {
		look = blurred
		if focused {
			look = selected
		}
	}
	t.paintRow(&t.cache.apart, row, look)
	l.Append(&t.cache.apart.line, 0)
}

// Visible calls see for each visible row as it was painted: its number, its mark, its flag
// and its line, which is valid during the call.
func (t *Table) Visible(see func(row int, mark, flag string, line *paint.Line)) {
	w := t.window()
	for i := 0; i < t.lines() && w.top+i < w.len; i++ {
		if entry := t.cache.at(w.top + i); entry.key.valid {
			see(entry.key.row, entry.mark, entry.flag, &entry.line)
		}
	}
}

// needStep is the step of needs, in cells, so that columns move seldom.
const needStep = 4

// fitNeeds finds what the columns by need could use for the visible rows, which are
// painted, and reports whether that moved a column.
func (t *Table) fitNeeds(w window) bool {
	moved := false
	for i, column := range t.byNeed {
		need := uint16(0)
		for line := 0; line < t.lines() && w.top+line < w.len; line++ {
			need = max(need, t.cache.at(w.top + line).needs[i])
		}
		cells := (int(need) + needStep - 1) / needStep * needStep
		moved = moved || cells != t.needs[column]
		t.needs[column] = cells
	}
	if moved {
		before := slices.Clone(t.placed)
		if t.arrange(); slices.Equal(before, t.placed) {
			return false
		}
		t.cache.clear()
	}
	return moved
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
		t.paintRow(entry, row, lk)
	}
	return &entry.line
}

func (t *Table) paintRow(entry *cachedRow, row int, lk look) {
	t.cells.reset()
	t.source.Paint(row, &t.cells)
	l, width := &entry.line, t.width
	if t.cells.rule != "" {
		width += t.aside
	}
	l.Reset(width, t.options)
	entry.needs, entry.mark, entry.flag = [maxByNeed]uint16{}, t.cells.mark, t.cells.flag

	l.BeginRow(t.theme.Cursor(lk == selected).If(lk != plain))
	l.Text(t.cells.markStyle, t.cells.mark)
	if t.flags > 0 {
		l.PadTo(2)
		l.Text(t.cells.flagStyle, t.cells.flag)
	}
	if t.cells.rule != "" {
		t.paintRule(l)
	} else {
		t.paintColumns(entry)
	}
	l.EndRow()
}

func (t *Table) paintColumns(entry *cachedRow) {
	l := &entry.line
	for _, p := range t.placed {
		l.PadTo(t.gutter() + p.X)
		if p.Column == t.cells.last {
			p.Width = l.Room()
		}
		t.paintColumn(entry, p)
		if p.Column == t.cells.last {
			break
		}
	}
	for i, column := range t.byNeed {
		for _, piece := range t.cells.pieces {
			if piece.column == column && piece.end > piece.start && entry.needs[i] == 0 {
				entry.needs[i] = 1 // of a column that is not placed
			}
		}
	}
}

func (t *Table) paintRule(l *paint.Line) {
	style, glyph := t.cells.ruleStyle, t.cells.rule
	l.PadTo(t.gutter())
	l.Text(style, strings.Repeat(glyph, 3)+" ")
	for _, p := range t.cells.pieces {
		l.Bytes(p.style, t.cells.arena[p.start:p.end])
	}
	l.Text(style, " ")
	l.Rule(style, glyph)
}

// maxNeed is the most cells that a column can need.
const maxNeed = 240

func (t *Table) paintColumn(entry *cachedRow, p placedColumn) {
	c, l := t.columns[p.Column], &entry.line
	cell := &t.cache.scratch
	room := t.cells.Width(p.Column)
	if c.ByNeed {
		room = max(room, maxNeed)
	}
	cell.Reset(room, t.options)
	cell.PartOf(l)
	for _, piece := range t.cells.pieces {
		if piece.column == p.Column {
			cell.Bytes(piece.style, t.cells.arena[piece.start:piece.end])
		}
	}
	tail, end := &t.cells.tail, 0 // cells of the tail, with the space before it
	if tail.column == p.Column && tail.text != "" {
		end = 1 + termsafe.Width(tail.text)
	}
	if c.ByNeed && p.Column != t.cells.last {
		need := cell.Cells() + end
		if t.cells.wanted.column == p.Column {
			need = max(need, min(t.cells.wanted.end, maxNeed))
		}
		entry.needs[slices.Index(t.byNeed, p.Column)] = uint16(need)
	}
	if c.Align == termsafe.Right {
		l.PadTo(l.Cells() + p.Width - cell.Cells())
	}
	from, start := t.cells.Width(p.Column)-p.Width, l.Cells()
	l.AppendCut(cell, from, min(p.Width-end, l.Room()))
	if end > 0 {
		l.PadTo(min(start+p.Width-end, l.Cells()) + 1)
		l.Text(tail.style, tail.text)
	}
}

// rowCache caches painted rows. Each position has a fixed slot, which positions visible
// at the same time never share, so nothing is searched, evicted or allocated; buffers are
// painted over.
type rowCache struct {
	rows    []cachedRow
	scratch paint.Line
	apart   cachedRow // of PaintRow
}

type cachedRow struct {
	key  rowKey
	line paint.Line
	// needs is what the columns by need could use, in cells.
	needs      [maxByNeed]uint16
	mark, flag string
}

// maxByNeed is how many columns of a table can be by need.
const maxByNeed = 4

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
