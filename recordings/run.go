package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"mcpdbg/session"
)

// followEvery is not noticeable, and a check costs two system calls.
const followEvery = 100 * time.Millisecond

// A delay of the rest is not noticeable, but a delay of the tail is.
const screenHeadStart = 30 * time.Millisecond

// ErrShrunk is the error for entries whose bytes are gone: the file is shorter than
// it was when they were indexed.
var ErrShrunk = errors.New("the recording got shorter: entry no longer in the file")

var errQuit = errors.New("the recording is closed")

func (r *Recording) run(follow bool) {
	if r.tail != nil {
		r.count() // not needed for short files
	}
	err := r.catchUp()
	if err == nil {
		defer r.store()
	}
	if !follow || err != nil {
		r.end(err)
		close(r.indexed)
		return
	}
	r.change(func() { r.done = true })
	close(r.indexed)
	r.end(r.follow())
}

func (r *Recording) end(err error) {
	state, reported, stopped := session.RecordingTorn, error(nil), ""
	switch {
	case errors.Is(err, errQuit):
		return
	case errors.Is(err, ErrShrunk):
		state = session.RecordingShrunk
	case err != nil:
		reported = fmt.Errorf("open recording %s: byte %d: %w", r.path, r.indexer.End, err)
	default:
		between, next := r.f.missing()
		finished := r.indexer.finished()
		if !finished {
			stopped = r.stopReason()
		}
		switch {
		case stopped != "":
			state = session.RecordingCut
		case between > 0 || !finished && next:
			state = session.RecordingParted
		case finished:
			state = session.RecordingDone
		}
	}
	r.change(func() { r.done, r.err, r.state, r.stopped = true, reported, state, stopped })
}

// stopReason returns why the recorder could not write the rest; "" if the last entry does
// not say.
func (r *Recording) stopReason() string {
	x := &r.indexer
	var last [1]session.Row
	if x.Kind != session.KindNote || x.read != x.End || x.index.Rows(x.index.Len()-1, last[:]) == 0 {
		return ""
	}
	e, err := readEntry(r.f, last[0], 0, nil)
	if err != nil {
		return ""
	}
	text, _ := stoppedReason(&e)
	return text
}

// catchUp returns ErrShrunk if the file got shorter.
func (r *Recording) catchUp() error {
	r.building.Lock()
	defer r.building.Unlock()
	size, err := r.grown()
	if err != nil || size == r.indexer.read {
		return err
	}
	err = r.indexer.catchUp(size, func() error {
		r.indexer.index.Publish()
		r.change(func() { r.at, r.size = r.indexer.position, max(r.size, r.indexer.read) })
		select {
		case <-r.quit:
			return errQuit
		default:
			return nil
		}
	})
	if err == nil && r.indexer.read < size {
		return ErrShrunk
	}
	return err
}

// grown updates and returns the size of the file. The error is ErrShrunk if it shrank.
func (r *Recording) grown() (int64, error) {
	info, err := r.f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	r.mu.Lock()
	defer r.mu.Unlock()
	if size < r.size {
		return 0, ErrShrunk
	}
	r.size = size
	return size, nil
}

func (r *Recording) follow() error {
	for {
		// Check the lock first: whatever was written before its release is read below.
		live := r.f.locked()
		if err := r.catchUp(); err != nil {
			return err
		}
		if !live || r.indexer.finished() {
			r.change(func() { r.live = false })
			return nil
		}
		select {
		case <-r.quit:
			return errQuit
		case <-time.After(followEvery):
		}
	}
}

// readError replaces an error by ErrShrunk if the file shrank.
func (r *Recording) readError(row session.Row, err error) error {
	if err == nil {
		return nil
	}
	if _, shrunk := r.grown(); !errors.Is(shrunk, ErrShrunk) {
		return err
	}
	r.change(func() { r.state = session.RecordingShrunk })
	return fmt.Errorf("read the entry at byte %d: %w", row.Off, ErrShrunk)
}

// minCounted must be left to index for the lines to be counted first.
const minCounted = 16 << 20

// countLines counts newlines in two halves concurrently, in a tenth of the time that
// indexing takes.
func countLines(f io.ReaderAt, from, to int64, quit <-chan struct{}) (int, error) {
	middle := from + (to-from)/2
	var lines [2]int
	var errs [2]error
	var halves sync.WaitGroup
	halves.Go(func() { lines[0], errs[0] = countHalf(f, from, middle, quit) })
	halves.Go(func() { lines[1], errs[1] = countHalf(f, middle, to, quit) })
	halves.Wait()
	return lines[0] + lines[1], errors.Join(errs[0], errs[1])
}

func countHalf(f io.ReaderAt, from, to int64, quit <-chan struct{}) (lines int, err error) {
	buf := make([]byte, blockSize)
	for from < to {
		select {
		case <-quit:
			return 0, errQuit
		default:
		}
		n, err := f.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		if n == 0 {
			return 0, shortRead(err)
		}
		lines += bytes.Count(buf[:n], []byte{'\n'})
		from += int64(n)
	}
	return lines, nil
}

// An error is ignored: indexing will run into it, too.
func (r *Recording) count() {
	if r.size-r.at.End < minCounted {
		return
	}
	if n, err := countLines(r.f, r.at.End, r.size, r.quit); err == nil {
		r.change(func() { r.lines = n + int(r.at.Entries) })
	}
}
