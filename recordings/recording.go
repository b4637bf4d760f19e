package recordings

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/index"
)

// A Recording is a recording opened for reading. It implements session.Source.
// All methods are safe for concurrent use; Close must be called last.
//
// The rows are those of the live session. A Recording that OpenProgressive or OpenTail
// opened gets them in order while a goroutine of its own reads the file; meanwhile
// Stats().Recording is session.RecordingReading, or session.RecordingOn while its
// recorder is running.
type Recording struct {
	path     string
	f        file
	header   session.Header
	tail     *tailRows
	index    atomic.Pointer[index.Index]
	searcher searcher

	building sync.Mutex
	indexer  indexer
	handover handover    // of blocks from indexer
	restored *storedRows // what the index was restored from
	spill    temp

	atOnce    bool
	storedAt  string // the file for the index, "" for none
	storedEnd int64  // how much of the recording that file covers

	quit    chan struct{} // closed by Close
	over    sync.WaitGroup
	indexed chan struct{}

	mu      sync.Mutex
	state   session.RecordingState
	stopped string // why the recorder could not write the rest, with session.RecordingCut
	live    bool
	size    int64
	at      position
	lines   int  // how many rows to expect; 0: unknown
	done    bool // the file as it was opened is indexed
	err     error
	changed chan struct{} // nil if unused
}

// Progress is how far a recording has been read.
type Progress struct {
	Bytes int64 // of the file, from its beginning, whose rows can be read
	Size  int64 // of the file when it was last checked; it grows while it is followed
	Rows  int
	// Entries is how many entries were read, also those that OpenWith skipped.
	Entries uint64
	// Lines is how many entries a large file has if none is damaged: known after
	// a tenth of the time that indexing takes, and 0 before.
	Lines int
	// Done means that all rows of the file as it was opened can be read, or that
	// Err has ended the reading.
	Done bool
	Err  error
}

// An opening is what is ready when a recording is opened.
type opening uint8

const (
	allRows   opening = iota // once it is indexed
	firstRows                // the stored index and the tail; the rest follows at once
	lastRows                 // the tail; the rest follows after screenHeadStart
)

// newRecording reads the header and the tail, loads the index from the file stored, if
// there is one, and starts indexing the rest.
func newRecording(path string, f file, what opening, stored string) (*Recording, error) {
	atOnce := what != allRows
	r := &Recording{path: path, f: f, atOnce: atOnce, storedAt: stored, quit: make(chan struct{}), indexed: make(chan struct{}), live: f.locked()}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	header, begin, err := readHeader(path, f)
	if err != nil {
		return nil, err
	}
	r.header, r.size = header, info.Size()
	r.begin(begin)
	r.index.Store(r.indexer.index)
	r.at = r.indexer.position
	r.state = session.RecordingReading
	if atOnce && r.live {
		r.state = session.RecordingOn
	}
	wait := what == lastRows && r.toIndex() > tailBytes
	if !wait {
		r.restore(info)
	}
	if atOnce && r.toIndex() > tailBytes {
		if r.tail, err = readTail(r, begin, r.size); err != nil {
			return nil, err
		}
	}
	r.over.Go(func() {
		if wait {
			select {
			case <-time.After(screenHeadStart):
				r.restore(info)
			case <-r.quit:
			}
		}
		r.run(atOnce && r.live)
	})
	return r, nil
}

func (r *Recording) toIndex() int64 { return r.size - r.at.End }

// openMemory is 2 M rows. Stored rows are read back page by page, and views read few rows
// at a time.
const openMemory = 64 << 20

func (r *Recording) newIndex() *index.Index {
	return &index.Index{Memory: openMemory, Spill: r.spill.create}
}

// begin prepares to index from end, where the first line ends.
func (r *Recording) begin(end int64) {
	r.indexer = indexer{f: r.f, index: r.newIndex(), position: position{End: end}, handover: &r.handover}
}

// Tail returns the last rows of the file as it was opened, at most 256, as a
// source of their own that is available before all other rows and numbered from
// 0. A row whose request or response is not among them has no Pair and no State.
// Tail is nil for a short file, and for OpenProgressive with a stored index: all rows
// can be read then. It omits a line that takes up the whole last MiB, so it may be
// empty. It can be read until the Recording is closed.
func (r *Recording) Tail() session.Source {
	if r.tail == nil {
		return nil
	}
	return r.tail
}

// Progress returns how far the recording has been read.
func (r *Recording) Progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Progress{Bytes: r.at.End, Size: r.size, Rows: r.index.Load().Len(), Entries: r.at.Entries, Lines: r.lines, Done: r.done, Err: r.err}
}

// Indexed returns a channel that is closed when Progress is Done.
func (r *Recording) Indexed() <-chan struct{} { return r.indexed }

// Header returns the first line of the recording.
func (r *Recording) Header() session.Header { return r.header }

// Warnings counts the problems found so far while reading.
func (r *Recording) Warnings() Warnings {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.at.Warnings
	w.MissingParts, _ = r.f.missing()
	return w
}

// Live reports whether the recorder is still running: now, for a recording that is
// followed, or else when it was opened.
func (r *Recording) Live() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live
}

// Len returns the number of rows that can be read.
func (r *Recording) Len() int { return r.index.Load().Len() }

// Entry decodes the entry of a row. See session.Source. The error is ErrShrunk
// for a row whose bytes are no longer in the file.
func (r *Recording) Entry(row session.Row, limit int) (session.Entry, error) {
	e, err := readEntry(r.f, row, limit, nil)
	return e, r.readError(row, err)
}

// EntryInto is Entry with the bytes in buf, if they fit into its capacity.
func (r *Recording) EntryInto(row session.Row, limit int, buf []byte) (session.Entry, error) {
	e, err := readEntry(r.f, row, limit, buf)
	return e, r.readError(row, err)
}

// ReadLine reads bytes of the entry's line from offset off on, as io.ReaderAt does.
func (r *Recording) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	n, err := readLine(r.f, row, p, off)
	if n < len(p) && off+int64(n) < int64(row.Len) {
		err = r.readError(row, err)
	}
	return n, err
}

// Search implements session.Searcher.
func (r *Recording) Search(rows []session.Row, needle session.Needle, found []session.Found) {
	r.searcher.search(r.f, rows, needle, found)
}

// Method returns the name behind a row's Method.
func (r *Recording) Method(id uint16) string { return r.index.Load().Method(id) }

// Stats returns the counts over the rows that can be read.
func (r *Recording) Stats() session.Stats {
	r.mu.Lock()
	state, size, err, stopped := r.state, r.size, r.err, r.stopped
	r.mu.Unlock()
	s := r.index.Load().Stats() // after the state: if that is final, so are the counts
	s.Recording, s.Size, s.RecordingError = state, size, stopped
	if err != nil {
		s.RecordingError = err.Error()
	}
	return s
}

// Changed returns a channel that is closed when something changes after the call.
func (r *Recording) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

func (r *Recording) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Close stops the background work and closes the file. Nothing can be read
// afterwards.
func (r *Recording) Close() error {
	close(r.quit)
	r.over.Wait()
	err := errors.Join(r.spill.close(), r.f.Close())
	if r.restored != nil {
		err = errors.Join(err, r.restored.close())
	}
	return err
}
