package recordings

import (
	"errors"
	"fmt"

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

// markUnkept marks the rows whose bytes were dropped.
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

// readError replaces the error of reading an entry by ErrShrunk if bytes are gone.
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
func (f *File) Search(rows []session.Row, lower []byte, found []session.Found) {
	f.searcher.search((*stored)(f), rows, lower, found)
}

// readAt reads from the files, or from the memory that continues them.
func (f *File) readAt(p []byte, off int64) (int, error) {
	f.store.RLock()
	if f.memory != nil && off >= f.stopped {
		defer f.store.RUnlock()
		return f.memory.ReadAt(p, off)
	}
	f.store.RUnlock()
	return f.files.ReadAt(p, off)
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

// stopReason returns why the recording is incomplete, nil if it is not.
func (f *File) stopReason() error {
	if err := f.writeError(); err != nil {
		return err
	}
	return f.watch.failure()
}

// writeError returns why recording stopped, nil if it did not.
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

// rowsError returns why rows are missing, nil if none are.
func (f *File) rowsError() error {
	f.store.RLock()
	defer f.store.RUnlock()
	return f.noRows
}
