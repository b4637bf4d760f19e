package recordings

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// headRoom is enough for the members before a payload: framing.MaxCuts cuts with the
// largest numbers.
const headRoom = 256 << 10

// stored is a File as an io.ReaderAt. (A method value would be allocated for every row on
// the screen.)
type stored File

func (s *stored) ReadAt(p []byte, off int64) (int, error) {
	f := (*File)(s)
	f.store.RLock()
	if f.memory != nil && off >= f.stopped {
		defer f.store.RUnlock()
		return f.memory.ReadAt(p, off)
	}
	f.store.RUnlock()
	return f.files.ReadAt(p, off)
}

func readEntry(r io.ReaderAt, row session.Row, limit int, buf []byte) (session.Entry, error) {
	e, err := readPart(r, row, limit, buf)
	if err != nil {
		return session.Entry{}, fmt.Errorf("read the entry at byte %d: %w", row.Off, err)
	}
	return e, nil
}

func readPart(r io.ReaderAt, row session.Row, limit int, buf []byte) (session.Entry, error) {
	var d decoder
	// Most heads are short; one with thousands of cuts is read again.
	for _, room := range []int{1024, headRoom} {
		if limit <= 0 || !row.Kind.IsStream() || int64(row.Len) <= int64(limit+room) {
			break
		}
		line, err := readFull(r, row, limit+room, buf)
		if err != nil {
			return session.Entry{}, err
		}
		var e session.Entry
		if err := d.head(&e, line); err == nil {
			d.begin(&e, limit, int64(row.Len)-int64(d.i))
			e.Msg.Kind = row.Msg
			return e, nil
		}
	}
	line, err := readFull(r, row, int(row.Len), buf)
	if err != nil {
		return session.Entry{}, err
	}
	e, err := d.decode(line)
	if row.Flags&session.FlagPart != 0 {
		e.Msg = framing.Message{} // parts are not scanned
	}
	return e, err
}

// readFull reads the first n bytes of the row's line, into buf if they fit.
func readFull(r io.ReaderAt, row session.Row, n int, buf []byte) ([]byte, error) {
	if cap(buf) < n {
		if n > uncheckedSize && !hasByte(r, row.Off+int64(n)-1) {
			return nil, io.ErrUnexpectedEOF
		}
		buf = make([]byte, n)
	}
	line := buf[:n]
	if got, err := r.ReadAt(line, row.Off); got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return line, nil
}

// Memory for a longer line is allocated only if the file has the line.
const uncheckedSize = 1 << 20

func hasByte(r io.ReaderAt, off int64) bool {
	var last [1]byte
	n, _ := r.ReadAt(last[:], off)
	return n == 1
}

func readLine(r io.ReaderAt, row session.Row, p []byte, off int64) (int, error) {
	if off < 0 || off >= int64(row.Len) {
		return 0, io.EOF
	}
	rest := int64(row.Len) - off
	n, err := r.ReadAt(p[:min(int64(len(p)), rest)], row.Off+off)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Warnings count unknown and damaged data in a recording. The rest of the recording
// could still be read.
type Warnings struct {
	UnknownKinds int // entries of a kind unknown to this version; they have rows
	UnknownKeys  int // members of entries that were skipped
	BadLines     int // lines that are not entries; they have no rows
	LongLines    int // lines too long to decode; they have rows, but are not paired
	OutOfOrder   int // entries whose number or time decreases
	MissingParts int // missing parts of the recording before existing ones
}

// String lists the counts, "" if all are zero.
func (w Warnings) String() string {
	var parts []string
	for _, c := range []struct {
		n         int
		one, many string
	}{
		{w.UnknownKinds, "entry of an unknown kind", "entries of an unknown kind"},
		{w.UnknownKeys, "unknown member", "unknown members"},
		{w.BadLines, "line that is not an entry", "lines that are not entries"},
		{w.LongLines, "line too long to decode", "lines too long to decode"},
		{w.OutOfOrder, "entry out of order", "entries out of order"},
		{w.MissingParts, "missing part", "missing parts"},
	} {
		switch {
		case c.n == 1:
			parts = append(parts, "1 "+c.one)
		case c.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.many))
		}
	}
	return strings.Join(parts, ", ")
}

// Damaged reports whether lines could not be read.
func (w Warnings) Damaged() bool { return w.BadLines+w.LongLines > 0 }

func (w *Warnings) add(other *Warnings) {
	w.UnknownKinds += other.UnknownKinds
	w.UnknownKeys += other.UnknownKeys
	w.BadLines += other.BadLines
	w.LongLines += other.LongLines
	w.OutOfOrder += other.OutOfOrder
}
