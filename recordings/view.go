package recordings

import (
	"errors"
	"fmt"
	"math"

	"mcpdbg/session"
)

// Len returns the number of rows that can be read.
func (f *File) Len() int { return f.index.Len() }

// Method returns the name behind a row's Method.
func (f *File) Method(id uint16) string { return f.index.Method(id) }

// Rows copies rows from number from on into dst and returns how many.
func (f *File) Rows(from int, dst []session.Row) int {
	n := f.index.Rows(from, dst)
	f.markUnkept(dst[:n])
	return n
}

func (f *File) markUnkept(rows []session.Row) {
	f.store.RLock()
	defer f.store.RUnlock()
	if f.memory == nil {
		return
	}
	for i := range rows {
		if off := rows[i].Off; off >= f.stopped && off < f.memory.first {
			rows[i].Flags |= session.FlagDropped
		}
	}
}

// Entry decodes the entry of a row. See session.Source. The error is
// ErrNotKept for a row with session.FlagUnkept.
func (f *File) Entry(row session.Row, limit int) (session.Entry, error) {
	return f.EntryInto(row, limit, nil)
}

// EntryInto is Entry with the bytes in buf, if they fit into its capacity.
func (f *File) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	e, err := readEntry((*stored)(f), row, limit, buf)
	return e, f.readError(row, err)
}

// readError replaces an error by ErrShrunk if bytes are gone.
func (f *File) readError(row session.Row, err error) error {
	if err == nil || errors.Is(err, ErrNotKept) {
		return err
	}
	if f.look(); !f.watch.cut() {
		return err
	}
	return fmt.Errorf("read the entry at byte %d: %w", row.Off, ErrShrunk)
}

// ReadLine reads bytes of the entry's line from offset off on, as io.ReaderAt does.
func (f *File) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	n, err := readLine((*stored)(f), row, p, off)
	if n < len(p) && off+int64(n) < int64(row.Len) {
		err = f.readError(row, err)
	}
	return n, err
}

// Search implements session.Searcher.
func (f *File) Search(rows []session.Row, needle session.Needle, found []session.Found) {
	f.searcher.search((*stored)(f), rows, needle, found)
}

// Stats returns the counts over the whole log.
func (f *File) Stats() session.Stats {
	s := f.index.Stats()
	s.Recording = f.keeps
	f.mu.Lock()
	if f.closed && f.keeps == session.RecordingOn {
		s.Recording = session.RecordingDone
	}
	f.mu.Unlock()
	s.RecordingMoved = f.watch.moved()
	if err := f.writeError(); err != nil {
		s.Recording, s.RecordingError = session.RecordingStopped, err.Error()
	} else if err := f.watch.failure(); err != nil {
		s.Recording, s.RecordingError = session.RecordingIncomplete, err.Error()
	} else if err := f.rowsError(); err != nil {
		s.RecordingError = err.Error()
	}
	if info, err := f.files.Stat(); err == nil {
		s.Size = info.Size()
	}
	return s
}

// stopReason returns why the recording is incomplete, or nil.
func (f *File) stopReason() error {
	if err := f.writeError(); err != nil {
		return err
	}
	return f.watch.failure()
}

// writeError returns why recording stopped, or nil.
func (f *File) writeError() error {
	f.store.RLock()
	defer f.store.RUnlock()
	if f.failure != nil {
		return f.failure
	}
	if err := f.syncer.failure(); err != nil {
		return fmt.Errorf("sync recording to disk: %w", err)
	}
	return nil
}

// rowsError returns why rows are missing, or nil.
func (f *File) rowsError() error {
	f.store.RLock()
	defer f.store.RUnlock()
	return f.noRows
}

// Rows copies rows from number from on into dst and returns how many.
func (r *Recording) Rows(from int, dst []session.Row) int { return r.RowsAsOf(math.MaxInt, from, dst) }

// RowsAsOf is like Rows, but returns rows as they were when Len was k. See
// session.Rewinder.
func (r *Recording) RowsAsOf(k, from int, dst []session.Row) int {
	for {
		x := r.index.Load()
		rows := x.Len() // before more are added
		n := x.RowsAsOf(k, from, dst)
		if n >= min(len(dst), max(0, min(k, rows)-from)) || !r.rebuild(x) {
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
