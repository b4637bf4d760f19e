package localexec

import (
	"errors"
	"io"
	"os"
	"time"
)

const (
	// flushTime is how long the exit event waits for the pipes.
	flushTime = 100 * time.Millisecond
	// flushBytes is how many bytes of a pipe count as written before the exit: the
	// largest pipe of an ordinary user on Linux (pipe-max-size).
	flushBytes = 1 << 20
)

// An outputReader reads one output pipe. Read closes the pipe at its end; the pump calls
// it, any goroutine the other methods.
type outputReader interface {
	io.Reader
	// flush waits until the content that the pipe had when it was called was read
	// and handled, and reports whether it was before timeout.
	flush(timeout <-chan time.Time) bool
	// stop ends a Read that waits, and all later ones.
	stop()
}

// flush waits until the content that the pipes had when it was called was read, so that
// output comes before the exit. It waits at most flushTime, for streams that are held or
// in a slow handler.
func flush(pipes ...outputReader) {
	timeout := time.NewTimer(flushTime)
	defer timeout.Stop()
	for _, r := range pipes {
		if !r.flush(timeout.C) {
			return
		}
	}
}

// A pipeReader is an outputReader whose goroutine waits in the poller of the Go
// runtime, without a thread.
type pipeReader struct {
	file    *os.File
	flushed chan struct{} // closed when the pipe is empty after flush was called, or at its end

	flushing bool
	left     int // how many bytes flush may still read
}

func newPipeReader(f *os.File) *pipeReader {
	return &pipeReader{file: f, flushed: make(chan struct{}), left: flushBytes}
}

// Read implements outputReader.
func (r *pipeReader) Read(b []byte) (int, error) {
	n, err := r.read(b)
	if err != nil {
		r.setFlushed()
		r.stop()
	}
	return n, err
}

func (r *pipeReader) read(b []byte) (int, error) {
	if !r.flushing {
		n, err := r.file.Read(b)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if err := r.file.SetReadDeadline(time.Time{}); err != nil {
			return 0, err
		}
		r.flushing = true
	}
	if r.left > 0 {
		n, err := readNow(r.file, b)
		r.left -= n
		if n > 0 || err != nil {
			return n, err
		}
	}
	r.flushing = false
	r.setFlushed()
	return r.file.Read(b)
}

func (r *pipeReader) setFlushed() {
	select {
	case <-r.flushed:
	default:
		close(r.flushed)
	}
}

// flush implements outputReader.
func (r *pipeReader) flush(timeout <-chan time.Time) bool {
	if r.file.SetReadDeadline(time.Unix(1, 0)) != nil {
		return true // unsupported (Windows), or the pipe is at its end
	}
	select {
	case <-r.flushed:
		return true
	case <-timeout:
		return false
	}
}

// stop implements outputReader. Everything was read or the pipe was given up: an
// error of Close does not matter.
func (r *pipeReader) stop() { _ = r.file.Close() }
