package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"mcpdbg/session"
	"mcpdbg/session/index"
)

const (
	// tailCount is more than a screen shows.
	tailCount = 256
	// A file of up to tailBytes is read whole instead.
	tailBytes = 1 << 20
	tailStep  = 128 << 10
)

// tailRows are the last rows of a recording, a session.Source.
type tailRows struct {
	r     *Recording
	index index.Index
	never chan struct{}
}

// readTail reads the last rows of r, whose size is size and whose first line ends at
// begin.
func readTail(r *Recording, begin, size int64) (*tailRows, error) {
	data, off, err := lastLines(r.f, begin, size)
	if err != nil {
		return nil, fmt.Errorf("open recording %s: %w", r.path, err)
	}
	t := &tailRows{r: r, never: make(chan struct{})}
	t.index.Partial = true
	b := lineBlock{data: data[:bytes.LastIndexByte(data, '\n')+1], off: off}
	b.size, b.decoder.rows = int64(len(b.data)), true
	b.decode()
	if err := t.index.AddLines(b.entries, b.begins, b.lengths); err != nil {
		return nil, fmt.Errorf("open recording %s: %w", r.path, err)
	}
	t.index.Publish()
	return t, nil
}

// lastLines reads the last tailCount lines, or as many as fit into tailBytes, and returns
// the offset of the first. A last line without its newline is not counted.
func lastLines(f io.ReaderAt, begin, size int64) (data []byte, off int64, err error) {
	buf := make([]byte, min(tailBytes, size-begin))
	start, newlines := len(buf), 0
	for newlines <= tailCount && start > 0 && size-int64(len(buf)-start) > begin {
		step := min(tailStep, start, int(size-int64(len(buf)-start)-begin))
		start -= step
		piece := buf[start : start+step]
		if n, err := f.ReadAt(piece, size-int64(len(buf)-start)); n < step && err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		} else if n < step {
			return nil, 0, io.ErrUnexpectedEOF
		}
		newlines += bytes.Count(piece, []byte{'\n'})
	}
	data, off = buf[start:], size-int64(len(buf)-start)
	if off > begin { // the first line is not whole
		data, off = cutLine(data, off)
		newlines--
	}
	for ; newlines > tailCount; newlines-- {
		data, off = cutLine(data, off)
	}
	return data, off, nil
}

func cutLine(data []byte, off int64) ([]byte, int64) {
	i := bytes.IndexByte(data, '\n') + 1
	if i == 0 {
		i = len(data)
	}
	return data[i:], off + int64(i)
}

func (t *tailRows) Header() session.Header { return t.r.header }

func (t *tailRows) Len() int { return t.index.Len() }

func (t *tailRows) Rows(from int, dst []session.Row) int { return t.index.Rows(from, dst) }

func (t *tailRows) Entry(row session.Row, limit int) (session.Entry, error) {
	return t.r.Entry(row, limit)
}

func (t *tailRows) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	return t.r.EntryInto(row, limit, buf)
}

func (t *tailRows) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	return t.r.ReadLine(row, p, off)
}

func (t *tailRows) Method(id uint16) string { return t.index.Method(id) }

// Stats counts the tail only. The state is that the rest is still being read.
func (t *tailRows) Stats() session.Stats {
	s := t.index.Stats()
	s.Size, s.Recording = t.r.Stats().Size, session.RecordingReading
	return s
}

// Changed is never closed.
func (t *tailRows) Changed() <-chan struct{} { return t.never }
