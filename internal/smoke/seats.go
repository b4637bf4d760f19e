package smoke

import (
	"sync"
	"time"
)

// slowHost is how long a host may take to be reached before its target makes room
// for another one: it does nothing but wait.
const slowHost = time.Second

// seats are for the targets that are checked at once. A target whose host takes
// long to be reached gets up for another one and goes on standing, as long as
// not more stand than there are seats.
type seats struct{ taken, standing chan struct{} }

func newSeats(n int) seats { return seats{make(chan struct{}, n), make(chan struct{}, n)} }

// take waits for a seat.
func (s seats) take() *seat {
	s.taken <- struct{}{}
	return &seat{of: s}
}

// A seat is that of one target. Its phases come from one goroutine at a time.
type seat struct {
	of    seats
	timer *time.Timer // while the host is being reached; nil before

	mu       sync.Mutex
	standing bool
	reaching bool
}

// phase is told each phase of the target.
func (s *seat) phase(p Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.reaching
	s.reaching = p == PhaseWait || p == PhaseResolve || p == PhaseConnect || p == PhaseHostKey
	switch {
	case s.standing || s.reaching == before:
	case s.reaching:
		s.timer = time.AfterFunc(slowHost, s.getUp)
	default:
		s.timer.Stop()
	}
}

// getUp lets another target have the seat, or tries again later.
func (s *seat) getUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.reaching {
		return
	}
	select {
	case s.of.standing <- struct{}{}:
		s.standing = true
		<-s.of.taken
	default:
		s.timer.Reset(slowHost)
	}
}

// leave gives up what the target has.
func (s *seat) leave() {
	s.phase(PhaseDone)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.standing {
		<-s.of.standing
	} else {
		<-s.of.taken
	}
}
