package recordings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"mcpdbg/session"
)

// Warnings count what was not understood in a recording. None of it kept the
// rest from being read.
type Warnings struct {
	UnknownKinds int // entries of a kind that a newer program wrote; they have rows
	UnknownKeys  int // members of entries that were skipped
	BadLines     int // lines that are no entry; they have no rows
	LongLines    int // lines too long to be looked into; they have rows, and are not paired
	OutOfOrder   int // entries whose number or time falls
}

// String says what was counted, "" if nothing was.
func (w Warnings) String() string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{w.UnknownKinds, "entries of an unknown kind"}, {w.UnknownKeys, "unknown members"},
		{w.BadLines, "lines that are no entry"}, {w.LongLines, "lines too long to look into"},
		{w.OutOfOrder, "entries out of order"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

// A Recording is a recording opened for reading. It implements session.Source.
// All methods may be called from any goroutine, Close after all others.
type Recording struct {
	f        file
	header   session.Header
	index    session.Index
	spill    temp // rows that memory has no room for
	warnings Warnings
	state    session.RecordingState
	live     bool
	size     int64
	changed  chan struct{} // never closed: what was read stays as it is
}

// A file is what a recording is read from: an os.File, or bytes in a test.
type file interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
}

// Open reads a recording. The file is read once, from end to end, and is not
// followed if it is still being written. A torn last line is left out. The
// error is a *FormatError for a file that is no recording, or one of a version
// that this program does not know.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	r := &Recording{f: f, changed: make(chan struct{}), live: locked(f)}
	r.index.Spill = r.spill.create
	if err := r.read(path); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// read reads the header and indexes the entries.
func (r *Recording) read(path string) error {
	header, lines, err := openLines(path, r.f)
	if err != nil {
		return err
	}
	r.header = header
	torn := false
	d, n, t := decoder{rows: true}, uint64(0), int64(math.MinInt64)
	last := session.KindUnknown
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("open recording %s: byte %d: %w", path, lines.off, err)
		}
		if !l.whole {
			torn = true
			continue
		}
		e, ok := r.decode(&d, l)
		if !ok {
			continue
		}
		if e.N <= n || e.T < t {
			r.warnings.OutOfOrder++
		}
		n, t, last = e.N, e.T, e.Kind
		if err := r.index.Add(&e, l.off, int(l.size)); err != nil {
			return fmt.Errorf("open recording %s: %w", path, err)
		}
	}
	r.index.Publish()
	r.warnings.UnknownKeys = d.unknown
	r.size = lines.off
	r.state = session.RecordingDone
	if torn || last != session.KindEnd {
		r.state = session.RecordingTorn
	}
	return nil
}

// decode decodes a line for the index, and counts what is wrong with it.
func (r *Recording) decode(d *decoder, l line) (e session.Entry, ok bool) {
	var err error
	switch {
	case l.size > math.MaxUint32:
		err = errMalformed
	case l.size > int64(len(l.data)):
		r.warnings.LongLines++
		e, err = d.head(l.data)
	default:
		e, err = d.decode(l.data)
	}
	if err != nil {
		r.warnings.BadLines++
		return e, false
	}
	if e.Kind == session.KindUnknown {
		r.warnings.UnknownKinds++
	}
	return e, true
}

// openLines reads the header and returns the lines after it.
func openLines(path string, f file) (session.Header, *lineReader, error) {
	first, err := newLineReader(io.LimitReader(f, longestHeader)).next()
	if err != nil && !errors.Is(err, io.EOF) {
		return session.Header{}, nil, fmt.Errorf("open recording %s: %w", path, err)
	}
	header, err := parseHeader(path, first.data)
	if err != nil {
		return header, nil, err
	}
	if _, err := f.Seek(first.size, io.SeekStart); err != nil {
		return header, nil, fmt.Errorf("open recording %s: %w", path, err)
	}
	lines := newLineReader(f)
	lines.off = first.size
	return header, lines, nil
}

// parseHeader reads the first line of the file at path.
func parseHeader(path string, first []byte) (session.Header, error) {
	var h session.Header
	var version struct {
		Major *int `json:"mcpdbg"`
	}
	switch err := json.Unmarshal(first, &version); {
	case err != nil || version.Major == nil:
		return h, &FormatError{Path: path, Looks: looksLike(first)}
	case *version.Major != Version:
		return h, &FormatError{Path: path, Major: *version.Major}
	}
	if err := json.Unmarshal(first, &h); err != nil {
		return h, fmt.Errorf("open recording %s: header: %w", path, err)
	}
	return h, nil
}

// Header returns the first line of the recording.
func (r *Recording) Header() session.Header { return r.header }

// Warnings tells what was not understood.
func (r *Recording) Warnings() Warnings { return r.warnings }

// Live tells whether the recorder was still running when the file was opened.
func (r *Recording) Live() bool { return r.live }

// Len is the number of rows.
func (r *Recording) Len() int { return r.index.Len() }

// Rows copies rows from number from on into dst and returns how many.
func (r *Recording) Rows(from int, dst []session.Row) int { return r.index.Rows(from, dst) }

// Entry decodes the entry of a row. See session.Source.
func (r *Recording) Entry(row session.Row, limit int) (session.Entry, error) {
	return readEntry(r.f, row, limit, nil)
}

// EntryInto is Entry with the bytes in buf, if they fit into its capacity.
func (r *Recording) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	return readEntry(r.f, row, limit, buf)
}

// ReadLine reads bytes of the entry's line, from off on, as io.ReaderAt does.
func (r *Recording) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	return readLine(r.f, row, p, off)
}

// Method is the name behind a row's Method.
func (r *Recording) Method(id uint16) string { return r.index.Method(id) }

// Stats returns the counts over the whole recording.
func (r *Recording) Stats() session.Stats {
	s := r.index.Stats()
	s.Size, s.Recording = r.size, r.state
	return s
}

// Changed is never closed.
func (r *Recording) Changed() <-chan struct{} { return r.changed }

// Close closes the file. Nothing can be read afterwards.
func (r *Recording) Close() error { return errors.Join(r.spill.close(), r.f.Close()) }
