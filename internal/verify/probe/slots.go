package probe

import (
	"context"

	"mcpdbg/session/executor"
)

const (
	// reachedAhead is the number of hosts per slot reached in advance: that is mostly
	// waiting, and a silent one must not delay the others.
	reachedAhead = 12
	// maxAhead limits the connections that are open for that.
	maxAhead = 256
)

// slots limit the servers that run at once. A target takes a slot when its command is
// about to be executed; before, it counts as ahead. A target with a slot never waits for
// a connection, because one that is ahead and waits for a slot may hold it.
type slots struct{ taken, ahead chan struct{} }

func newSlots(n int) slots {
	return slots{taken: make(chan struct{}, n), ahead: make(chan struct{}, max(n, min(n*reachedAhead, maxAhead)))}
}

func (s slots) wait() *slot {
	s.ahead <- struct{}{}
	return &slot{of: s, ahead: true}
}

// rejoin waits like wait, after leave. It fails if ctx ends first, whose timeouts are
// paused meanwhile.
func (s *slot) rejoin(ctx context.Context) error {
	resume := executor.Pause(ctx)
	defer resume()
	select {
	case s.of.ahead <- struct{}{}:
		s.ahead = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A slot is the place of one target, for one goroutine.
type slot struct {
	of          slots
	ahead, held bool
}

// acquire reports whether the target now has the slot. It fails if ctx ends first, whose
// timeouts are paused meanwhile. waits is called if it has to wait.
func (s *slot) acquire(ctx context.Context, waits func()) bool {
	if s.held {
		return true
	}
	select {
	case s.of.taken <- struct{}{}:
	default:
		waits()
		resume := executor.Pause(ctx)
		defer resume()
		select {
		case s.of.taken <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	s.held = true
	s.letNext()
	return ctx.Err() == nil
}

func (s *slot) release() {
	if s.held {
		<-s.of.taken
		s.held = false
	}
}

func (s *slot) letNext() {
	if s.ahead {
		<-s.of.ahead
		s.ahead = false
	}
}

// leave may be called twice.
func (s *slot) leave() {
	s.letNext()
	s.release()
}
