package serve

import (
	"context"
	"sync"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

const (
	// maxWaiting is how many writes may wait for a process that does not read.
	maxWaiting = 128
	// firstLook and maxLook are the pauses between looks at how far they are.
	firstLook = time.Millisecond
	maxLook   = 16 * time.Millisecond
)

// A stdin executes the writes to a process in order, and calls their functions when the
// process has taken all bytes, or never will. Writes that its queue does not take yet wait
// here, and not in the reader of the connection.
type stdin struct {
	proc  executor.Process
	spawn func(func()) bool

	mu      sync.Mutex
	waiting []waitingWrite
	queued  int  // how many of them are in the queue of the process
	closing bool // after those that are not
}

type waitingWrite struct {
	wire.WriteParams
	end  uint64 // executor.Info.Written once it is written
	done func(executor.WriteStatus)
}

// now returns a context that is done: a write with it never waits.
func now() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// try executes a write if nothing waits, and reports whether its status is final.
func (s *stdin) try(w wire.WriteParams) (status executor.WriteStatus, final bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return executor.StdinClosed, true
	case len(s.waiting) > 0:
		return 0, false
	}
	r, err := s.proc.Write(now(), w.WriteID, w.Chunk)
	return r.Status, err == nil && (r.Status != executor.Accepted || r.Bytes == len(w.Chunk))
}

// wait executes a write that try has not completed. It reports whether there was room.
func (s *stdin) wait(w wire.WriteParams, done func(executor.WriteStatus)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) >= maxWaiting {
		return false
	}
	s.waiting = append(s.waiting, waitingWrite{WriteParams: w, done: done})
	return len(s.waiting) > 1 || s.spawn(s.drain)
}

// drain returns when no write waits.
func (s *stdin) drain() {
	for pause := firstLook; ; {
		moved, left := s.step()
		if left == 0 {
			return
		}
		if pause = min(2*pause, maxLook); moved {
			pause = firstLook
		}
		time.Sleep(pause)
	}
}

func (s *stdin) step() (moved bool, left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.queued < len(s.waiting) && s.enqueue(&s.waiting[s.queued]) {
		s.queued++
	}
	if s.closing && s.queued == len(s.waiting) {
		s.proc.CloseStdin()
	}
	info := s.proc.Info()
	over := !info.StdinOpen && info.Unwritten == 0
	for ; s.queued > 0 && (over || s.waiting[0].end <= info.Written); s.queued-- {
		status := executor.Accepted
		if s.waiting[0].end > info.Written {
			status = executor.StdinClosed
		}
		s.waiting[0].done(status)
		s.waiting[0] = waitingWrite{}
		s.waiting = s.waiting[1:]
		moved = true
	}
	return moved, len(s.waiting)
}

// enqueue reports whether the queue of the process took a write, or never will. A write that
// was accepted before is not executed again.
func (s *stdin) enqueue(w *waitingWrite) bool {
	r, err := s.proc.Write(now(), w.WriteID, w.Chunk)
	if err != nil {
		return false
	}
	info := s.proc.Info()
	w.end = info.Written + uint64(info.Unwritten)
	if r.Status != executor.Accepted {
		w.end++ // never
	}
	w.Chunk = nil
	return true
}

// close closes standard input after all writes.
func (s *stdin) close() executor.WriteStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return executor.StdinClosed
	case s.queued == len(s.waiting):
		return s.proc.CloseStdin()
	}
	s.closing = true
	return executor.Accepted
}

// closeLater is close if writes wait for the queue, and reports whether they do.
func (s *stdin) closeLater() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = s.closing || s.queued < len(s.waiting)
	return s.closing
}
