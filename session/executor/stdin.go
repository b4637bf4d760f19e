package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// stdinPiece is how many bytes of a queued write go to the pipe at once, so that the
// number of unwritten bytes is known.
const stdinPiece = 64 << 10

var errStdinGone = errors.New("process ended")

// A Stdin writes to the standard input of a process: directly to the pipe if
// the queue is empty, else through the queue, so that writers do not block on a
// process that does not read. All methods may be called from any goroutine.
type Stdin struct {
	w    io.WriteCloser
	try  func([]byte) (int, error)
	emit func(Event)

	mu      sync.Mutex
	queue   []queuedWrite
	bytes   int       // unwritten bytes in queue
	written uint64    // bytes that went to the pipe
	since   time.Time // when the pipe last took some of them, or when the first was queued
	closing bool      // no further writes; close when the queue is empty
	closed  bool
	err     error         // why it was closed, unless by CloseStdin
	drained chan struct{} // closed when the drain goroutine ends; nil if it is not running
	room    chan struct{} // closed when the queue has room again
	ids     acceptedIDs
}

type queuedWrite struct {
	id   string
	data []byte // unwritten bytes
	done int    // bytes written
}

// NewStdin returns a Stdin that writes to w; if w is nil, it is closed. try, if not nil, writes as much as
// fits without blocking; it returns 0, nil if nothing fits. emit is called with
// WriteFailed and must not call back.
func NewStdin(w io.WriteCloser, try func([]byte) (int, error), emit func(Event)) *Stdin {
	return &Stdin{w: w, try: try, emit: emit, closed: w == nil}
}

// Write implements Process.Write. Its only error is that of ctx: the queue
// remained full and nothing was written.
func (s *Stdin) Write(ctx context.Context, id string, p []byte) (WriteResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.closing || s.closed:
			return WriteResult{Status: StdinClosed}, nil
		case s.ids.has(id):
			return WriteResult{Status: Accepted}, nil
		case len(s.queue) == 0:
			return s.direct(id, p), nil
		case s.bytes+len(p) <= WriteQueueLimit && len(s.queue) < MaxQueuedWrites:
			s.enqueue(id, p, 0)
			return WriteResult{Status: Accepted}, nil
		}
		if err := s.waitForRoom(ctx); err != nil {
			return WriteResult{}, fmt.Errorf("wait for the process to read its standard input: %w", err)
		}
	}
}

func (s *Stdin) direct(id string, p []byte) WriteResult {
	n := 0
	if s.try != nil {
		var err error
		n, err = s.try(p)
		s.written += uint64(n)
		if err != nil {
			s.shut(err)
			return WriteResult{Status: StdinClosed, Bytes: n}
		}
	}
	if n < len(p) {
		s.enqueue(id, p, n)
	} else {
		s.ids.add(id)
	}
	return WriteResult{Status: Accepted, Bytes: n}
}

func (s *Stdin) enqueue(id string, p []byte, done int) {
	s.ids.add(id)
	s.queue = append(s.queue, queuedWrite{id: id, data: bytes.Clone(p[done:]), done: done})
	if s.bytes == 0 {
		s.since = time.Now()
	}
	s.bytes += len(p) - done
	if s.drained == nil {
		s.drained = make(chan struct{})
		go s.drain()
	}
}

// waitForRoom releases the lock until a queued write is done.
func (s *Stdin) waitForRoom(ctx context.Context) error {
	if s.room == nil {
		s.room = make(chan struct{})
	}
	room := s.room
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-room:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Stdin) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 && !s.closed {
		s.writePiece()
	}
	if s.closing {
		s.shut(nil)
	}
	if s.closed {
		s.failQueue()
	}
	close(s.drained)
	s.drained = nil
	s.wakeWriters()
}

// writePiece writes a piece of the oldest queued write, without the lock: only drain
// removes writes from the queue.
func (s *Stdin) writePiece() {
	piece := s.queue[0].data
	piece = piece[:min(len(piece), stdinPiece)]
	s.mu.Unlock()
	n, err := s.w.Write(piece)
	s.mu.Lock()
	q := &s.queue[0]
	q.data, q.done = q.data[n:], q.done+n
	s.bytes -= n
	s.written += uint64(n)
	if n > 0 {
		s.since = time.Now()
	}
	if len(q.data) == 0 {
		s.queue[0] = queuedWrite{}
		s.queue = s.queue[1:]
		s.wakeWriters()
	}
	if err != nil {
		s.shut(err)
	}
}

// shut closes the pipe; err is the reason, or nil if everything was written.
func (s *Stdin) shut(err error) {
	if s.closed {
		return
	}
	s.closed, s.err = true, err
	// The pipe is given up, so an error of Close does not matter.
	_ = s.w.Close()
	s.wakeWriters()
}

func (s *Stdin) failQueue() {
	for _, q := range s.queue {
		s.emit(Event{Kind: WriteFailed, WriteID: q.id, N: uint64(q.done), Err: s.err})
	}
	s.queue, s.bytes = nil, 0
}

func (s *Stdin) wakeWriters() {
	if s.room != nil {
		close(s.room)
		s.room = nil
	}
}

// Close implements Process.CloseStdin.
func (s *Stdin) Close() WriteStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || s.closed {
		return StdinClosed
	}
	s.closing = true
	s.wakeWriters()
	if s.drained == nil {
		s.shut(nil)
	}
	return Accepted
}

// Abort closes the pipe at once because the process has ended. When it returns,
// WriteFailed was emitted for every incomplete write.
func (s *Stdin) Abort() {
	s.mu.Lock()
	s.shut(errStdinGone)
	drained := s.drained
	s.mu.Unlock()
	if drained != nil {
		<-drained
	}
}

// Fill sets the fields of info about standard input.
func (s *Stdin) Fill(info *Info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info.StdinOpen, info.Unwritten, info.Written = !s.closing && !s.closed, s.bytes, s.written
	if s.bytes > 0 {
		info.UnwrittenSince = s.since
	}
}

type acceptedIDs struct {
	known map[string]struct{}
	order []string // a ring once it is full
	next  int
}

func (a *acceptedIDs) has(id string) bool {
	_, ok := a.known[id]
	return ok
}

func (a *acceptedIDs) add(id string) {
	if id == "" {
		return
	}
	if a.known == nil {
		a.known = make(map[string]struct{})
	}
	a.known[id] = struct{}{}
	if len(a.order) < MaxWriteIDs {
		a.order = append(a.order, id)
		return
	}
	delete(a.known, a.order[a.next])
	a.order[a.next] = id
	a.next = (a.next + 1) % MaxWriteIDs
}
