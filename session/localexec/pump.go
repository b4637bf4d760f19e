package localexec

import (
	"errors"
	"os"
	"time"

	"mcpdbg/session/executor"
)

const (
	// flushTime is how long the news of an exit waits for a pump that is busy.
	flushTime = 100 * time.Millisecond
	// flushBytes is how much of a pipe is taken to be from before the exit: the
	// largest pipe an ordinary user can have on Linux (pipe-max-size).
	flushBytes = 1 << 20
)

// A pump reads one output pipe of a process until its end.
type pump struct {
	journal *executor.Journal
	stream  executor.Stream
	file    *os.File
	slab    executor.Slab
	flushed chan struct{} // closed when the pipe was empty after flush was called
	done    chan struct{} // closed when run ends
}

func newPump(j *executor.Journal, s executor.Stream, f *os.File) *pump {
	return &pump{journal: j, stream: s, file: f, flushed: make(chan struct{}), done: make(chan struct{})}
}

func (p *pump) run() {
	defer close(p.done)
	for {
		err := p.copy(p.file.Read)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = p.flush()
		}
		if err != nil {
			break
		}
	}
	p.journal.EOF(p.stream)
	// All was read, or the pipe was given up: nothing depends on the close.
	_ = p.file.Close()
}

// copy reads once and hands on what came.
func (p *pump) copy(read func([]byte) (int, error)) error {
	n, err := read(p.slab.Space())
	if n > 0 {
		p.journal.Output(p.stream, p.slab.Take(n))
	}
	return err
}

// flush takes out what the pipe holds, without waiting for more.
func (p *pump) flush() error {
	defer close(p.flushed)
	if err := p.file.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	for left := flushBytes; left > 0; {
		n := 0
		err := p.copy(func(b []byte) (_ int, err error) {
			n, err = readNow(p.file, b)
			return n, err
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		left -= n
	}
	return nil
}

// flush waits until the pumps have read what the pipes held when it was
// called, so that the output of a process comes before its exit. A pump that
// is held, or in a slow handler, is not waited for long.
func flush(pumps []*pump) {
	timeout := time.NewTimer(flushTime)
	defer timeout.Stop()
	for _, p := range pumps {
		if p.file.SetReadDeadline(time.Unix(1, 0)) != nil {
			continue // no such thing here (Windows), or the pump is done
		}
		select {
		case <-p.flushed:
		case <-p.done:
		case <-timeout.C:
			return
		}
	}
}

// awaitEnd waits until each pump has seen the end of its pipe, but not longer
// than limit, and reports whether all have.
func awaitEnd(pumps []*pump, limit time.Duration) bool {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for _, p := range pumps {
		select {
		case <-p.done:
		case <-timeout.C:
			return false
		}
	}
	return true
}
