package smoke

import (
	"context"

	"mcpdbg/session/executor"
)

const (
	// reachedAhead is for how many targets a seat hosts are reached at once.
	// Reaching a host is mostly waiting, and one that never answers is not to hold
	// up those that do.
	reachedAhead = 12
	// maxAhead bounds the connections that are open for it.
	maxAhead = 256
)

// seats are for the targets whose servers run at once. A target sits down when
// its command is about to be executed; before, it is one of those ahead. Who sits
// waits for no connection: it may be one of those ahead that has it, and waits for
// a seat.
type seats struct{ taken, ahead chan struct{} }

func newSeats(n int) seats {
	return seats{taken: make(chan struct{}, n), ahead: make(chan struct{}, max(n, min(n*reachedAhead, maxAhead)))}
}

// wait waits until a target may be begun.
func (s seats) wait() *seat {
	s.ahead <- struct{}{}
	return &seat{of: s, ahead: true}
}

// A seat is the place of one target. It belongs to one goroutine.
type seat struct {
	of         seats
	ahead, sat bool
}

// sit waits for a seat, unless the target has one, and tells whether it has one
// then: not if ctx ends before. The clocks of ctx stand still meanwhile. waits is
// called if it has to wait.
func (s *seat) sit(ctx context.Context, waits func()) bool {
	if s.sat {
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
	s.sat = true
	s.goOn()
	return ctx.Err() == nil
}

// stand gives the seat up, until there is a server again to sit down for.
func (s *seat) stand() {
	if s.sat {
		<-s.of.taken
		s.sat = false
	}
}

// goOn lets another target be begun.
func (s *seat) goOn() {
	if s.ahead {
		<-s.of.ahead
		s.ahead = false
	}
}

// leave gives up what the target has. It may be called twice.
func (s *seat) leave() {
	s.goOn()
	s.stand()
}
