package recordings

import "mcpdbg/session"

// RowsAsOf is Rows as it was when Len was k. See session.Rewinder.
func (r *Recording) RowsAsOf(k, from int, dst []session.Row) int {
	return r.index.RowsAsOf(k, from, dst)
}

// StatsAsOf are the counts as they were when Len was k. See session.Rewinder.
func (r *Recording) StatsAsOf(k int) session.Stats { return r.index.StatsAsOf(k) }

// RowsAsOf is Rows as it was when Len was k. See session.Rewinder.
func (f *File) RowsAsOf(k, from int, dst []session.Row) int {
	n := f.index.RowsAsOf(k, from, dst)
	f.markUnkept(dst[:n])
	return n
}

// StatsAsOf are the counts as they were when Len was k. See session.Rewinder.
func (f *File) StatsAsOf(k int) session.Stats { return f.index.StatsAsOf(k) }

// Forgotten is what RowsAsOf and StatsAsOf do not know exactly.
func (r *Recording) Forgotten() session.Forgotten { return r.index.Forgotten() }

// Forgotten is what RowsAsOf and StatsAsOf do not know exactly.
func (f *File) Forgotten() session.Forgotten { return f.index.Forgotten() }
