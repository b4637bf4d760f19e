package table

import (
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// Source is a list of rows, numbered from zero. Rows are only ever added at
// the end, except that a source may begin anew with fewer.
type Source interface {
	// Len returns the number of rows.
	Len() int
	// Version returns a number that changes whenever the row looks
	// different from before.
	Version(row int) uint32
	// Paint says what the row looks like. It is called for visible rows
	// only, and again only when something changed.
	Paint(row int, cells *Cells)
}

// Table shows a Source. Make one with New.
type Table struct {
	source  Source
	columns []Column
	theme   *theme.Theme
	options termsafe.Options
	header  bool
	empty   string

	width, height int
	placed        []Placed
	scrollX       int
	flags         int // cells for flags: 0 or 1

	list List // what is shown of the source
	rows Rows // list, if it was given as rows

	follow bool
	// anchor is the row that was chosen last; the cursor is on it unless
	// the filter hides it.
	anchor int
	// offset is the line of the cursor, counted from the first visible row.
	offset int
	// seen is the number of rows of the source that have been in view, or
	// above a row that has.
	seen int

	cache rowCache
	cells Cells
}

// Config is what a Table is made of.
type Config struct {
	Source  Source
	Columns []Column
	Theme   *theme.Theme
	// Options say how text is cut and escaped. TabStop is of use for logs.
	Options termsafe.Options
	// Header shows a line with the titles of the columns.
	Header bool
	// Empty is shown while there are no rows.
	Empty string
}

// New returns a table that follows, without a size.
func New(c Config) *Table {
	t := &Table{
		source: c.Source, columns: c.Columns, theme: c.Theme, options: c.Options,
		header: c.Header, empty: c.Empty, follow: true, list: everyRow{c.Source},
	}
	t.cells.widths = make([]int, len(c.Columns))
	t.cells.rest = make([]int, len(c.Columns))
	return t
}

// SetSize sets the size in cells, the header included.
func (t *Table) SetSize(w, h int) {
	if w == t.width && h == t.height {
		return
	}
	t.width, t.height = max(w, 0), max(h, 0)
	t.layout()
}

// SetColumns changes how the columns are laid out. There must be as many.
func (t *Table) SetColumns(columns []Column) {
	t.columns = columns
	t.layout()
}

// SetFlags makes room for the flags of rows, or takes it back.
func (t *Table) SetFlags(on bool) {
	if on == (t.flags == 1) {
		return
	}
	t.flags = 1 - t.flags
	t.layout()
}

// SetTheme changes the styles.
func (t *Table) SetTheme(th *theme.Theme) {
	t.theme = th
	t.cache.clear()
}

// Turned tells that the source has other rows behind their numbers, and which
// number a row has now; nil means that all have the same. The cursor stays on
// its row, in its line.
func (t *Table) Turned(number func(row int) int) {
	if number != nil {
		t.anchor = number(t.anchor)
		if t.seen > 0 {
			t.seen = number(t.seen-1) + 1
		}
	}
	t.cache.clear()
}

// SetFilter shows only the given rows, in ascending order. As more of them are
// found it is called again with the longer list, which is kept and not copied.
func (t *Table) SetFilter(rows []uint32) {
	t.rows = rows
	t.list = &t.rows
}

// SetList shows only what a list has, which may change between two calls of
// other methods.
func (t *Table) SetList(l List) { t.list = l }

// ClearFilter shows all rows.
func (t *Table) ClearFilter() { t.list = everyRow{t.source} }

// Len returns the number of positions of the list: rows that the filter lets
// through, and folds.
func (t *Table) Len() int {
	n, rows := t.list.Len(), t.source.Len()
	if n > 0 && t.row(n-1) >= rows {
		return t.list.Position(rows)
	}
	return n
}

// Cursor returns the row under the cursor, of a fold the first one. There is
// none in an empty table.
func (t *Table) Cursor() (row int, ok bool) {
	w := t.window()
	if w.len == 0 {
		return 0, false
	}
	return t.row(w.cursor), true
}

// RowAt returns the row on a line of the table, counted from its top with the
// header.
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

// Following says whether the table shows the newest rows as they come.
func (t *Table) Following() bool { return t.follow }

// New returns how many rows have come below those that were in view, those in
// folds too.
func (t *Table) New() int {
	t.window()
	return t.list.Before(t.source.Len()) - t.list.Before(t.seen)
}

// Status is what the title of a pane says about following: "FOLLOW", "PAUSED",
// or how many rows have come since.
func (t *Table) Status() string {
	switch n := t.New(); {
	case t.follow:
		return "FOLLOW"
	case n > 0:
		return "+" + paint.Thousands(n) + " new"
	}
	return "PAUSED"
}

// window is the part of the list that is on the screen, in positions: indexes
// of the list as filtered.
type window struct {
	top, cursor, len int
}

// window finds the visible part for the present list. Everything that looks
// at the list goes through here, so a list that has grown, shrunk or been
// filtered since the last call needs no notice.
func (t *Table) window() window {
	rows := t.source.Len() // fewer than before if the source has begun anew
	t.seen = min(t.seen, rows)
	t.anchor = min(t.anchor, max(rows-1, 0))
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
		t.offset = min(t.offset, t.body()-1)
		if w.top = max(w.cursor-t.offset, 0); w.top > lowest {
			// Kept, or rows that arrive would move those in sight.
			w.top, t.offset = lowest, w.cursor-lowest
		}
	}
	bottom := min(w.top+t.body(), w.len) - 1
	_, last := t.list.Span(bottom)
	t.seen = max(t.seen, last+1)
	return w
}

// lines is the number of lines for rows.
func (t *Table) lines() int {
	if t.header {
		return max(t.height-1, 0)
	}
	return t.height
}

// body is the number of lines that moves reckon with. It is never zero, so
// that a table without a size can be moved in too.
func (t *Table) body() int { return max(t.lines(), 1) }

// row returns the row at a position, of a fold the first one.
func (t *Table) row(position int) int {
	first, _ := t.list.Span(position)
	return first
}

// position returns the position of a row, or of the next one that is shown.
func (t *Table) position(row int) int { return min(t.list.Position(row), t.Len()) }

func (t *Table) layout() {
	t.placed = Layout(t.columns, max(t.width-t.gutter(), 0))
	clear(t.cells.widths)
	clear(t.cells.rest)
	for _, p := range t.placed {
		t.cells.widths[p.Column] = p.Width
		t.cells.rest[p.Column] = max(t.width-t.gutter()-p.X, 0)
		if t.columns[p.Column].Scroll {
			t.cells.widths[p.Column] += t.scrollX
			t.cells.rest[p.Column] += t.scrollX
		}
	}
	t.cache.resize(t.lines())
}
