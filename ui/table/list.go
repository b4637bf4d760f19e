package table

import "sort"

// A List is the rows that a table shows, in ascending order, at positions from
// 0 on. At a position stands one row, or a fold of several.
type List interface {
	// Len returns the number of positions.
	Len() int
	// Span returns the first and the last row that stand at a position.
	Span(position int) (first, last int)
	// Position returns where a row stands, or if it is not listed the next one
	// that is; Len if there is none.
	Position(row int) int
	// Before returns how many rows are listed before a row, those in folds too.
	Before(row int) int
}

// Rows is a List of single rows.
type Rows []uint32

// Len implements List.
func (r Rows) Len() int { return len(r) }

// Span implements List.
func (r Rows) Span(position int) (first, last int) {
	return int(r[position]), int(r[position])
}

// Position implements List.
func (r Rows) Position(row int) int {
	return sort.Search(len(r), func(i int) bool { return int(r[i]) >= row })
}

// Before implements List.
func (r Rows) Before(row int) int { return r.Position(row) }

// everyRow is the List of all rows of a source.
type everyRow struct{ Source }

func (e everyRow) Span(position int) (first, last int) { return position, position }
func (e everyRow) Position(row int) int                { return min(row, e.Len()) }
func (e everyRow) Before(row int) int                  { return min(row, e.Len()) }
