package recordings

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"mcpdbg/session"
)

// A Recording is a recording opened for reading. It implements session.Source.
// All methods may be called from any goroutine, Close after all others.
//
// The rows are those of the live session. Of one that OpenAtOnce opened they
// come in order while the file is read in the background by a goroutine that
// belongs to the Recording; Stats().Recording is session.RecordingReading
// meanwhile, or session.RecordingOn while its recorder is at work.
type Recording struct {
	path     string
	f        file
	header   session.Header
	tail     *tailRows
	index    atomic.Pointer[session.Index]
	searcher searcher

	building sync.Mutex
	indexer  indexer     // of the index
	restored *storedRows // what the index was restored from; else nil
	spill    temp        // rows that memory has no room for

	atOnce    bool   // OpenAtOnce opened it
	storedAt  string // the file for the index, "" for none
	storedEnd int64  // how much of the recording that file covers

	quit    chan struct{}  // closed by Close
	over    sync.WaitGroup // the goroutine
	indexed chan struct{}

	mu      sync.Mutex
	state   session.RecordingState
	stopped string // why the recorder could not write the rest, with session.RecordingCut
	live    bool
	size    int64    // of the file
	at      position // of the rows that are published
	lines   int      // how many rows there will be; 0: not known
	done    bool     // all that was there at first is indexed
	err     error
	changed chan struct{} // nil if nobody asked
}

// Progress tells how far a recording has been read.
type Progress struct {
	Bytes int64 // of the file, from its beginning, whose rows can be read
	Size  int64 // of the file, as far as is known; it grows while it is followed
	Rows  int
	// Lines is how many entries a large file has, none of which may be damaged:
	// known after a tenth of the time that indexing takes, and 0 before.
	Lines int
	// Done says that all rows of the file as it was opened can be read, or that
	// there will not be any more because of Err.
	Done bool
	Err  error
}

// newRecording reads the header and the tail, takes up the index that was stored
// in the file stored, if there is one, and begins to index the rest.
func newRecording(path string, f file, atOnce bool, stored string) (*Recording, error) {
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
	if !r.restore(info) {
		r.index.Store(r.indexer.index)
	}
	r.at = r.indexer.position
	r.state = session.RecordingReading
	if atOnce && r.live {
		r.state = session.RecordingOn
	}
	if atOnce && (r.toIndex() > tailBytes || r.at.Entries > manyRows) {
		if r.tail, err = readTail(r, begin, r.size); err != nil {
			return nil, err
		}
	}
	r.over.Go(func() { r.run(atOnce && r.live) })
	return r, nil
}

// manyRows are so many that who lists them all, as a screen does, would be seen
// to do so: even with a stored index the last ones are wanted first.
const manyRows = 1 << 16

// toIndex is how many bytes are not indexed yet.
func (r *Recording) toIndex() int64 { return r.size - r.at.End }

// openMemory is how many bytes of rows are kept in memory: 2 M rows. What is
// stored is read back page by page anyway, and views read few rows at a time.
const openMemory = 64 << 20

func (r *Recording) newIndex() *session.Index {
	return &session.Index{Memory: openMemory, Spill: r.spill.create}
}

// begin begins to index from where the first line ends.
func (r *Recording) begin(end int64) {
	r.indexer = indexer{f: r.f, index: r.newIndex(), position: position{End: end}}
}

// Tail returns the last rows of the file as it was opened, at most 256, as a
// source of their own: there before all others, and numbered from 0. Whose
// request or answer is not among them has no Pair and no State. It is nil if
// the recording itself had all rows when OpenAtOnce returned, and they are few. Lines that make up
// the last MiB alone are not in it, so it may be empty. It can be read until the
// Recording is closed.
func (r *Recording) Tail() session.Source {
	if r.tail == nil {
		return nil
	}
	return r.tail
}

// Progress tells how far the recording has been read.
func (r *Recording) Progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Progress{Bytes: r.at.End, Size: r.size, Rows: r.index.Load().Len(), Lines: r.lines, Done: r.done, Err: r.err}
}

// Indexed is closed when Progress is Done.
func (r *Recording) Indexed() <-chan struct{} { return r.indexed }

// Header returns the first line of the recording.
func (r *Recording) Header() session.Header { return r.header }

// Warnings tells what was not understood so far.
func (r *Recording) Warnings() Warnings {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.at.Warnings
	w.MissingParts, _ = r.f.missing()
	return w
}

// Live tells whether the recorder is still running: that of a recording which is
// followed as of now, that of another as it was opened.
func (r *Recording) Live() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live
}

// Len is the number of rows that can be read.
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

// ReadLine reads bytes of the entry's line, from off on, as io.ReaderAt does.
func (r *Recording) ReadLine(row session.Row, p []byte, off int64) (int, error) {
	n, err := readLine(r.f, row, p, off)
	if n < len(p) && off+int64(n) < int64(row.Len) {
		err = r.readError(row, err)
	}
	return n, err
}

// Search implements session.Searcher.
func (r *Recording) Search(rows []session.Row, lower []byte, found []session.Found) {
	r.searcher.search(r.f, rows, lower, found)
}

// Method is the name behind a row's Method.
func (r *Recording) Method(id uint16) string { return r.index.Load().Method(id) }

// Stats returns the counts over the rows that can be read.
func (r *Recording) Stats() session.Stats {
	r.mu.Lock()
	state, size, err, stopped := r.state, r.size, r.err, r.stopped
	r.mu.Unlock()
	s := r.index.Load().Stats() // after the state: when that is final, so are these
	s.Recording, s.Size, s.RecordingError = state, size, stopped
	if err != nil {
		s.RecordingError = err.Error()
	}
	return s
}

// Changed is closed when something was added or changed after the call.
func (r *Recording) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

// change changes what readers see, and tells them.
func (r *Recording) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Close ends what goes on in the background and closes the file. Nothing can be
// read afterwards.
func (r *Recording) Close() error {
	close(r.quit)
	r.over.Wait()
	err := errors.Join(r.spill.close(), r.f.Close())
	if r.restored != nil {
		err = errors.Join(err, r.restored.close())
	}
	return err
}
