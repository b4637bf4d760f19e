package markdown

import (
	"slices"
	"strings"

	"mcpdbg/ui/widget/paint"
)

// A table has columns as wide as their cells, if there is room.
type table struct {
	columns []column
	rows    [][]rich // the first is the heading
	lines   []tableLine
}

type column struct {
	right, center bool
	width         int
}

// A tableLine is a line of a row, with its part of each cell.
type tableLine struct {
	row   int
	parts []part
}

const (
	// minColumn is the least width to which a column is narrowed, in cells.
	minColumn = 4
	maxColumn = 400
)

// layout cuts the rows into lines, with the borders above and below, and returns their
// number.
func (t *table) layout(width int) int {
	t.fit(width)
	t.lines = t.lines[:0]
	for i, cells := range t.rows[1:] {
		var columns [][]part
		height := 1
		for c, cell := range cells {
			parts := wrap(cell.text, t.columns[c].width)
			columns, height = append(columns, parts), max(height, len(parts))
		}
		for y := range height {
			parts := make([]part, len(columns))
			for c := range columns {
				if y < len(columns[c]) {
					parts[c] = columns[c][y]
				}
			}
			t.lines = append(t.lines, tableLine{i + 1, parts})
		}
	}
	return len(t.lines) + 2
}

// fit sets the widths of the columns: those of their cells; if that is too much, the
// widest are narrowed.
func (t *table) fit(room int) {
	room -= 3*len(t.columns) + 1 // a border and a blank on each side
	for c := range t.columns {
		t.columns[c].width = 1
	}
	for _, cells := range t.rows {
		for c, cell := range cells {
			for text := range strings.Lines(cell.text) {
				t.columns[c].width = min(max(t.columns[c].width, width(strings.TrimRight(text, "\n"))), maxColumn)
			}
		}
	}
	for t.width() > room {
		widest := 0
		for c := range t.columns {
			if t.columns[c].width > t.columns[widest].width {
				widest = c
			}
		}
		if t.columns[widest].width <= minColumn {
			return // the line ends where the pane does
		}
		t.columns[widest].width--
	}
}

func (t *table) width() (sum int) {
	for _, c := range t.columns {
		sum += c.width
	}
	return sum
}

// paint paints the heading in the upper border, a line of a row, or the lower border.
func (t *table) paint(p painter, i int) {
	switch {
	case i == 0:
		t.paintHeading(p)
	case i == len(t.lines)+1:
		t.paintBottom(p)
	default:
		t.paintCells(p, t.lines[i-1])
	}
}

func (t *table) paintHeading(p painter) {
	for c, column := range t.columns {
		p.put(p.th.Dim, p.g.top[min(c, 1)])
		text, at := t.rows[0][c], p.l.Cells()
		if text.text == "" {
			p.repeat(p.th.Dim, p.g.horizontal, column.width+2)
			continue
		}
		p.put(paint.Style{}, " ")
		parts := wrap(text.text, column.width)
		bold := slices.Clone(text.runs)
		for i := range bold {
			bold[i].look |= strong
		}
		p.rich(rich{text.text, bold}, parts[0].from, parts[0].to)
		p.put(paint.Style{}, " ")
		p.repeat(p.th.Dim, p.g.horizontal, at+column.width+2-p.l.Cells())
	}
	p.put(p.th.Dim, p.g.top[2])
}

func (t *table) paintBottom(p painter) {
	for c, column := range t.columns {
		p.put(p.th.Dim, p.g.bottom[min(c, 1)])
		p.repeat(p.th.Dim, p.g.horizontal, column.width+2)
	}
	p.put(p.th.Dim, p.g.bottom[2])
}

func (t *table) paintCells(p painter, line tableLine) {
	for c, column := range t.columns {
		p.put(p.th.Dim, p.g.vertical)
		cell, part := t.rows[line.row][c], line.parts[c]
		end := p.l.Cells() + column.width + 2
		blank := column.width - width(cell.text[part.from:part.to])
		switch {
		case column.center:
			blank /= 2
		case !column.right:
			blank = 0
		}
		p.l.PadTo(p.l.Cells() + 1 + max(blank, 0))
		p.rich(cell, part.from, part.to)
		p.l.PadTo(end)
	}
	p.put(p.th.Dim, p.g.vertical)
}
