package table

import "sort"

// A List is the sequence of rows that a table shows, in ascending order, at
// positions from 0 on. A position shows one row, or a fold of several.
type List interface {
	// Len returns the number of positions.
	Len() int
	// Span returns the first and the last row at a position.
	Span(position int) (first, last int)
	// Position returns the position of a row. If the row is not listed, it
	// returns the position of the next listed row, or Len.
	Position(row int) int
	// Before returns the number of rows listed before a row, including those in
	// folds.
	Before(row int) int
}

// singles is a List of single rows.
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

// everyRow is the List of all rows of a source.
type everyRow struct{ Source }

func (e everyRow) Span(position int) (first, last int) { return position, position }
func (e everyRow) Position(row int) int                { return min(row, e.Len()) }
func (e everyRow) Before(row int) int                  { return min(row, e.Len()) }
