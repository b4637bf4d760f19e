package table

import (
	"sort"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// Source is a list of rows, numbered from zero. Rows are added at the end, but a source
// may start over with fewer rows.
type Source interface {
	Len() int
	// Version changes whenever the look of the row changes.
	Version(row int) uint32
	// Paint fills the cells of a row, only if it is visible and has changed.
	Paint(row int, cells *Cells)
}

// A Nested is a Source with further rows, below others, whose numbers are higher than
// Len.
type Nested interface {
	// Parent returns the row that a row is below, or the row itself.
	Parent(row int) int
}

// Table shows a Source. Make one with New.
type Table struct {
	source  Source
	columns []Column
	theme   *paint.Theme
	options termsafe.Options
	header  bool
	empty   string

	width, height int
	aside         int
	placed        []placedColumn
	byNeed        []int // columns
	needs         []int // of columns by need: the cells that the visible rows could use
	scrollX       int
	flags         int // width of the flag column: 0 or 1

	list List
	rows singles // equals list if that was given as rows

	follow bool
	trail  bool // see Trail
	// The row that was selected last. The cursor is on it unless the filter hides it.
	anchor int
	// line of the cursor, from the first visible row
	offset int
	// rows of the source up to the lowest row that has been visible
	seen int

	cache    rowCache
	cells    Cells
	unmarked bool
}

// Config holds the parts and options of a Table.
type Config struct {
	Source  Source
	Columns []Column
	Theme   *paint.Theme
	// Options control how text is cut and escaped. TabStop is useful for logs.
	Options termsafe.Options
	// show a line with the column titles
	Header bool
	// shown without rows
	Empty string
}

// New returns a table that follows and has no size yet.
func New(c Config) *Table {
	t := &Table{
		source: c.Source, columns: c.Columns, theme: c.Theme, options: c.Options,
		header: c.Header, empty: c.Empty, follow: true, list: everyRow{c.Source},
	}
	t.cells.widths = make([]int, len(c.Columns))
	t.cells.rest = make([]int, len(c.Columns))
	t.needs = make([]int, len(c.Columns))
	return t
}

// SetSize sets the size in cells, including the header.
func (t *Table) SetSize(w, h int) {
	if w == t.width && h == t.height {
		return
	}
	t.width, t.height = max(w, 0), max(h, 0)
	t.layout()
}

// SetAside leaves cells free after the table in the lines of Paint, for something that
// its owner paints next to the rows.
func (t *Table) SetAside(cells int) {
	if t.aside != max(cells, 0) {
		t.aside = max(cells, 0)
		t.cache.clear() // rules extend over them
	}
}

// SetColumns changes the layout of the columns, but not their number.
func (t *Table) SetColumns(columns []Column) {
	t.columns = columns
	t.layout()
}

// SetMarked shows or hides the cursor.
func (t *Table) SetMarked(on bool) { t.unmarked = !on }

// SetFlags shows or hides the column for flags.
func (t *Table) SetFlags(on bool) {
	if on == (t.flags == 1) {
		return
	}
	t.flags = 1 - t.flags
	t.layout()
}

// SetTheme changes the styles.
func (t *Table) SetTheme(th *paint.Theme) {
	t.theme = th
	t.cache.clear()
}

// Renumbered must be called when rows of the source have new numbers. number returns that
// of a row; nil means no change. The cursor stays on its row and line.
func (t *Table) Renumbered(number func(row int) int) {
	if number != nil {
		t.anchor = number(t.anchor)
		if t.seen > 0 {
			t.seen = number(t.seen-1) + 1
		}
	}
	t.cache.clear()
}

// SetFilter shows only the given rows, in ascending order. It may be called with a longer
// list as more rows are found. The slice is kept, not copied.
func (t *Table) SetFilter(rows []uint32) {
	t.rows = rows
	t.list = &t.rows
}

// SetList shows only the rows of a list, which may change between calls of other methods.
func (t *Table) SetList(l List) { t.list = l }

// ClearFilter shows all rows.
func (t *Table) ClearFilter() { t.list = everyRow{t.source} }

// Len returns the number of positions: listed rows and folds.
func (t *Table) Len() int {
	n, rows := t.list.Len(), t.source.Len()
	if n > 0 && t.parent(t.row(n-1)) >= rows {
		return t.list.Position(rows)
	}
	return n
}

func (t *Table) parent(row int) int {
	if nested, ok := t.source.(Nested); ok {
		return nested.Parent(row)
	}
	return row
}

// within returns a row, or the last one if the source lacks it.
func (t *Table) within(row int) int {
	last := max(t.source.Len()-1, 0)
	if row = max(row, 0); t.parent(row) > last {
		return last
	}
	return row
}

// Cursor returns the row under the cursor, or the first row of a fold; none in an empty
// table.
func (t *Table) Cursor() (row int, ok bool) {
	w := t.window()
	if w.len == 0 {
		return 0, false
	}
	return t.row(w.cursor), true
}

// Sees reports whether a row is on the first lines of the table, with the header.
func (t *Table) Sees(row, lines int) bool {
	if t.header {
		lines--
	}
	w := t.window()
	position := t.position(row)
	if position >= w.len || position < w.top || position >= w.top+lines {
		return false
	}
	first, last := t.list.Span(position)
	return first <= row && row <= last
}

// AtEnd reports whether the cursor is on the last row.
func (t *Table) AtEnd() bool {
	w := t.window()
	return w.cursor+1 >= w.len
}

// RowAt returns the row on a line of the table, from its top with the header.
func (t *Table) RowAt(line int) (row int, ok bool) {
	if t.header {
		line--
	}
	w := t.window()
	if line < 0 || line >= t.lines() || w.top+line >= w.len {
		return 0, false
	}
	return t.row(w.top + line), true
}

// ColumnAt returns the column at a cell, from the left edge.
func (t *Table) ColumnAt(x int) (column int, ok bool) {
	for _, p := range t.placed {
		if from := t.gutter() + p.X; x >= from && x < from+p.Width {
			return p.Column, true
		}
	}
	return 0, false
}

// Following reports whether the table keeps showing the newest rows.
func (t *Table) Following() bool { return t.follow }

// New returns the number of rows added below those that have been visible, including
// folded ones.
func (t *Table) New() int {
	t.window()
	return t.list.Before(t.source.Len()) - t.list.Before(t.seen)
}

// Status describes following for the title of a pane: "following", or the number of new
// rows, or nothing.
func (t *Table) Status() string {
	switch n := t.New(); {
	case t.follow:
		return "following"
	case n > 0:
		return wording.Thousands(n) + " new below"
	}
	return ""
}

type window struct {
	top, cursor, len int
}

// window returns the visible part of the list. Every use of the list goes through it, so
// a list may grow, shrink or be filtered without notice.
func (t *Table) window() window {
	rows := t.source.Len() // fewer than before if the source has started over
	t.seen = min(t.seen, rows)
	t.anchor = t.within(t.anchor)
	w := window{len: t.Len()}
	if w.len == 0 {
		return w
	}
	lowest := max(w.len-t.body(), 0)
	if t.follow {
		w.cursor, w.top = w.len-1, lowest
		t.anchor = t.row(w.cursor)
	} else {
		w.cursor = min(t.position(t.anchor), w.len-1)
		if t.trail {
			t.offset = w.cursor - min(w.cursor, lowest)
		}
		t.offset = min(t.offset, t.body()-1)
		if w.top = max(w.cursor-t.offset, 0); w.top > lowest {
			// Update offset too, so that new rows do not move the visible ones.
			w.top, t.offset = lowest, w.cursor-lowest
		}
	}
	bottom := min(w.top+t.body(), w.len) - 1
	_, last := t.list.Span(bottom)
	t.seen = max(t.seen, t.parent(last)+1)
	return w
}

func (t *Table) lines() int {
	if t.header {
		return max(t.height-1, 0)
	}
	return t.height
}

// body is the number of lines for movement, never zero: a table without a size can be
// moved in.
func (t *Table) body() int { return max(t.lines(), 1) }

// row returns the row at a position, the first of a fold.
func (t *Table) row(position int) int {
	first, _ := t.list.Span(position)
	return first
}

func (t *Table) position(row int) int { return min(t.list.Position(row), t.Len()) }

func (t *Table) layout() {
	t.byNeed = t.byNeed[:0]
	for i, c := range t.columns {
		if c.ByNeed {
			t.byNeed = append(t.byNeed, i)
		}
	}
	t.arrange()
	t.cache.resize(t.lines())
}

// arrange places the columns in the width of the table.
func (t *Table) arrange() {
	t.placed = layOut(t.columns, t.needs, max(t.width-t.gutter(), 0))
	clear(t.cells.widths)
	clear(t.cells.rest)
	for _, column := range t.byNeed { // text shows that an optional column is needed
		if c := t.columns[column]; c.Optional && t.needs[column] == 0 && c.Min < t.width {
			t.cells.widths[column] = c.Min
		}
	}
	for _, p := range t.placed {
		t.cells.widths[p.Column] = p.Width
		t.cells.rest[p.Column] = max(t.width-t.gutter()-p.X, 0)
		if t.columns[p.Column].Scroll {
			t.cells.widths[p.Column] += t.scrollX
			t.cells.rest[p.Column] += t.scrollX
		}
	}
}

// A List is the sequence of rows of a table, in ascending order, at positions from 0. A
// position shows one row, or a fold of several.
type List interface {
	Len() int
	Span(position int) (first, last int)
	// Position returns the position of a row or the next listed row, or Len.
	Position(row int) int
	// Before returns the number of rows listed before a row, including folded ones.
	Before(row int) int
}

type singles []uint32

// Len implements List.
func (r singles) Len() int { return len(r) }

// Span implements List.
func (r singles) Span(position int) (first, last int) {
	return int(r[position]), int(r[position])
}

// Position implements List.
func (r singles) Position(row int) int {
	return sort.Search(len(r), func(i int) bool { return int(r[i]) >= row })
}

// Before implements List.
func (r singles) Before(row int) int { return r.Position(row) }

type everyRow struct{ Source }

func (e everyRow) Span(position int) (first, last int) { return position, position }
func (e everyRow) Position(row int) int                { return min(row, e.Len()) }
func (e everyRow) Before(row int) int                  { return min(row, e.Len()) }
