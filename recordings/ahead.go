package recordings

import (
	"fmt"
	"io"

	"mcpdbg/session"
)

const (
	aheadSize = 256 << 10
	// A separate read costs about as much as reading a gap of this size.
	aheadGap = 32 << 10
)

// ReadAhead returns a view for one goroutine that reads entries in order: entries that
// lie close together are read at once, through a buffer of 256 KiB.
func (r *Recording) ReadAhead() session.Source {
	return &ahead{Recording: r, file: window{r: r.f}}
}

// InOrder implements session.OrderReader.
func (r *Recording) InOrder() session.IntoReader {
	return &ahead{Recording: r, file: window{r: r.f}}
}

type ahead struct {
	*Recording
	file window
}

// Entry implements session.Source.
func (a *ahead) Entry(row session.Row, limit int) (session.Entry, error) {
	return a.EntryInto(row, limit, nil)
}

// EntryInto implements session.IntoReader.
func (a *ahead) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	e, err := readEntry(&a.file, row, limit, buf)
	return e, a.readError(row, err)
}

// ReadLine implements session.Source.
func (a *ahead) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	return readLine(&a.file, row, p, off)
}

// ReadAhead is like Recording.ReadAhead, of a log that is being written.
func (f *File) ReadAhead() session.Source { return f.ahead() }

// InOrder implements session.OrderReader.
func (f *File) InOrder() session.IntoReader { return f.ahead() }

func (f *File) ahead() *aheadLive {
	return &aheadLive{File: f, file: window{r: (*stored)(f), end: f.settled}}
}

type aheadLive struct {
	*File
	file window
}

// Entry implements session.Source.
func (a *aheadLive) Entry(row session.Row, limit int) (session.Entry, error) {
	return a.EntryInto(row, limit, nil)
}

// EntryInto implements session.IntoReader.
func (a *aheadLive) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	e, err := readEntry(&a.file, row, limit, buf)
	return e, a.readError(row, err)
}

// ReadLine implements session.Source.
func (a *aheadLive) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	n, err := readLine(&a.file, row, p, off)
	if n < len(p) && off+int64(n) < int64(row.Len) {
		err = a.readError(row, err)
	}
	return n, err
}

// settled returns the end of published rows: the bytes after them may be cut off if the
// rest of a line can't be written.
func (f *File) settled() int64 {
	var last [1]session.Row
	if f.index.Rows(f.index.Len()-1, last[:]) == 0 {
		return 0
	}
	end := last[0].Off + int64(last[0].Len)
	f.store.RLock()
	defer f.store.RUnlock()
	if f.memory != nil {
		end = min(end, f.stopped)
	}
	return end
}

type window struct {
	r    io.ReaderAt
	end  func() int64 // of the bytes that may be kept; nil: all may
	buf  []byte
	off  int64
	next int64 // the end of the furthest read
}

// ReadAt implements io.ReaderAt for one goroutine.
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	near := off >= w.next && off-w.next <= aheadGap
	w.next = max(w.next, end)
	switch {
	case off >= w.off && end <= w.off+int64(len(w.buf)):
		return copy(p, w.buf[off-w.off:]), nil
	case !near || len(p) > aheadSize:
		return w.r.ReadAt(p, off)
	}
	size := aheadSize
	if w.end != nil {
		size = int(min(aheadSize, w.end()-off))
	}
	if size < len(p) {
		return w.r.ReadAt(p, off)
	}
	if cap(w.buf) < size {
		w.buf = make([]byte, min(aheadSize, max(size, 2*cap(w.buf))))
	}
	n, err := w.r.ReadAt(w.buf[:size], off)
	w.buf, w.off = w.buf[:n], off
	if n = copy(p, w.buf); n == len(p) {
		err = nil
	}
	return n, err
}

// HeaderLine returns the first line of the file verbatim, with its newline.
func (r *Recording) HeaderLine() ([]byte, error) {
	l, err := newLineReader(io.NewSectionReader(r.f, 0, longestHeader)).next()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	return l.data, nil
}
