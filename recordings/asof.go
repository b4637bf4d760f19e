package recordings

import (
	"math"

	"mcpdbg/session"
)

// Rows copies rows from number from on into dst and returns how many.
func (r *Recording) Rows(from int, dst []session.Row) int { return r.RowsAsOf(math.MaxInt, from, dst) }

// RowsAsOf is like Rows, but returns rows as they were when Len was k. See
// session.Rewinder.
func (r *Recording) RowsAsOf(k, from int, dst []session.Row) int {
	for {
		x := r.index.Load()
		n := x.RowsAsOf(k, from, dst)
		if n == min(len(dst), max(0, min(k, x.Len())-from)) || !r.rebuild(x) {
			return n
		}
	}
}

// StatsAsOf returns the counts as they were when Len was k. See session.Rewinder.
func (r *Recording) StatsAsOf(k int) session.Stats { return r.index.Load().StatsAsOf(k) }

// RowsAsOf is like Rows, but returns rows as they were when Len was k. See
// session.Rewinder.
func (f *File) RowsAsOf(k, from int, dst []session.Row) int {
	n := f.index.RowsAsOf(k, from, dst)
	f.markUnkept(dst[:n])
	return n
}

// StatsAsOf returns the counts as they were when Len was k. See session.Rewinder.
func (f *File) StatsAsOf(k int) session.Stats { return f.index.StatsAsOf(k) }

// Forgotten returns what RowsAsOf and StatsAsOf do not know exactly.
func (r *Recording) Forgotten() session.Forgotten { return r.index.Load().Forgotten() }

// Forgotten returns what RowsAsOf and StatsAsOf do not know exactly.
func (f *File) Forgotten() session.Forgotten { return f.index.Forgotten() }

// Batch returns the counts of the batch at a row. See session.ElementReader.
func (r *Recording) Batch(row int) (b session.Batch, ok bool) { return r.index.Load().Batch(row) }

// Batch returns the counts of the batch at a row. See session.ElementReader.
func (f *File) Batch(row int) (b session.Batch, ok bool) { return f.index.Batch(row) }

// ElementPairs calls visit for the pairs of a row as they were when Len was k. See
// session.ElementReader.
func (r *Recording) ElementPairs(k, row int, visit func(session.ElementPair) bool) (known bool) {
	return r.index.Load().ElementPairs(k, row, visit)
}

// ElementPairs calls visit for the pairs of a row as they were when Len was k. See
// session.ElementReader.
func (f *File) ElementPairs(k, row int, visit func(session.ElementPair) bool) (known bool) {
	return f.index.ElementPairs(k, row, visit)
}
