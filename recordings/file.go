package recordings

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/index"
)

// ErrClosed is the error of Append after Close.
var ErrClosed = errors.New("the recording is closed")

// maxPayload is the longest payload of an entry: its line, with each byte escaped, must
// fit into the 32 bits of a row.
const maxPayload = 512 << 20

// A File is the log of a live session and the recording it is written to. It
// implements session.Log. All methods are safe for concurrent use.
type File struct {
	path     string
	header   session.Header
	start    time.Time                               // with the monotonic clock
	files    chain                                   // one file, or several with Options.MaxPart
	write    func(*os.File, []byte) (int, error)     // replaced in tests
	allocate func(f *os.File, off, size int64) error // replaced in tests
	keeps    session.RecordingState                  // RecordingOn or RecordingNone
	index    index.Index
	spill    temp
	temp     temp // the file, with Options.NoRecord
	disk     disk
	syncer   *syncer   // nil with Options.NoRecord
	watch    fileWatch // empty with Options.NoRecord
	searcher searcher

	mu      sync.Mutex
	queue   []*waiter
	writing bool
	closed  bool
	changed chan struct{} // nil if unused

	// The fields below belong to the current leader.
	lone    waiter    // used for a leader that did not wait
	waiters sync.Pool // of *waiter
	batch   []*waiter
	n       uint64
	last    int64 // time of entry n
	lengths []uint32
	buf     []byte
	quiet   int // small batches in a row
	end     int64
	written int64
	added   [][]session.Entry
	part    part
	sum     session.Checksum // of what was written, without headers

	store   sync.RWMutex
	memory  *memory // holds lines once the file can't be written; else nil
	stopped int64   // offset at which memory begins
	failure error
	noRows  error // why the index takes no more rows
}

type waiter struct {
	entries []session.Entry
	wake    chan bool // true: lead; false: written
}

// Path returns the path of the first file; "" with Options.NoRecord.
func (f *File) Path() string { return f.path }

// Header returns the first line of the recording.
func (f *File) Header() session.Header { return f.header }

// HeaderLine returns the first line as Create wrote it, with its newline.
func (f *File) HeaderLine() []byte {
	line, _ := appendHeader(nil, f.header) // no error: Create has encoded it before
	return line
}

// Now returns the log's time: microseconds since its start.
func (f *File) Now() int64 { return time.Since(f.start).Microseconds() }

// Append gives each entry its number and time and returns when all are in the
// file (or in memory, once recording has stopped). The error is ErrClosed or
// that of an invalid entry; then nothing was written.
func (f *File) Append(entries []session.Entry) error {
	for i := range entries {
		if size := entries[i].Size(); size > maxPayload {
			return fmt.Errorf("%s entry of %d bytes: longer than %d", entries[i].Kind, size, maxPayload)
		}
		if err := checkBody(&entries[i]); err != nil {
			return err
		}
	}
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return ErrClosed
	}
	f.commit(entries)
	return nil
}

// commit writes entries together with the current batch. It must be called with mu
// locked, and unlocks it.
func (f *File) commit(entries []session.Entry) {
	w := &f.lone
	if f.writing {
		w, _ = f.waiters.Get().(*waiter)
		if w == nil {
			w = &waiter{wake: make(chan bool, 1)}
		}
		defer f.waiters.Put(w)
		w.entries = entries
		f.queue = append(f.queue, w)
		f.mu.Unlock()
		if lead := <-w.wake; !lead {
			return
		}
		f.mu.Lock()
		f.batch, f.queue = f.queue, f.batch[:0]
	} else {
		f.writing = true
		w.entries = entries
		f.batch = append(f.batch[:0], w)
	}
	f.mu.Unlock()

	f.writeBatch()

	f.mu.Lock()
	for _, other := range f.batch {
		other.entries = nil
		if other != w {
			other.wake <- false
		}
	}
	if len(f.queue) > 0 {
		f.queue[0].wake <- true
	} else {
		f.writing = false
	}
	f.notify()
	f.mu.Unlock()
}

// Changed returns a channel that is closed when something changes after the call.
func (f *File) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return f.changed
}

// notify must be called with mu locked.
func (f *File) notify() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Close writes the end entry, releases reserved space, syncs the file to disk,
// checks it for changes by others, unlocks it and stores the index of a large
// one. Rows can still be read until Release. The error is the reason why the
// recording is incomplete, if it is.
func (f *File) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	f.commit(nil) // afterwards everything appended is counted
	stats := f.index.Stats()
	counts := stats.EndCounts()
	f.mu.Lock()
	f.commit([]session.Entry{session.NewEntry(session.KindEnd, 0, session.EndBody{Counts: &counts})})
	release(f.part.f, f.end-f.part.shift, &f.part.reserve)
	f.syncer.stop()
	f.watch.look(true)
	unlock(f.part.f)
	f.storeIndex()
	return f.stopReason()
}

// Release closes the file after Close: nothing can be read any more, and a
// temporary file is gone. A File that is not released is closed when it is
// garbage collected.
func (f *File) Release() error {
	if f.keeps == session.RecordingNone {
		return errors.Join(f.spill.close(), f.temp.close())
	}
	return errors.Join(f.spill.close(), f.files.Close())
}
