package workspace

import (
	"mcpdbg/session"
)

// Renumber maps the number of a row to its number in another projection; nil
// keeps the number.
type Renumber func(row int) int

// Renumbering returns the mapping of row numbers from the projection shown to
// another one. One of them may begin in the middle of the log, so an entry is
// identified by its offset in the file.
func (w *Workspace) Renumbering(to *Projection) Renumber {
	from := w.Shown
	if from.Index.Partial == to.Index.Partial {
		return nil
	}
	old := from.Rows
	return func(row int) int {
		r, ok := old.At(from.Index.Exchanges.Parent(row))
		if !ok {
			return 0
		}
		return rowAt(to.Source, r.Off)
	}
}

// rowAt returns the row whose entry begins at an offset in the file, or else the
// first row after it.
func rowAt(source session.Source, off int64) int {
	rows := Rows{Source: source}
	low, high := 0, source.Len()
	for low < high {
		middle := (low + high) / 2
		if row, ok := rows.At(middle); ok && row.Off < off {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
