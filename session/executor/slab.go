package executor

import "time"

// Sizes of a slab. A quiet process gets the smallest; one that fills slabs
// quickly gets larger ones, so that one read can empty the pipe.
const (
	minSlab  = 4 << 10
	maxSlab  = 256 << 10
	slabStep = 4
	slabBusy = 100 * time.Millisecond // filled sooner than this: grow
	slabIdle = time.Second            // filled later than this: shrink
)

// A Slab is the memory that one pump reads into. Many small chunks share one
// allocation; taken memory is never written again, so that events may be
// retained. The zero value is ready. A Slab belongs to one goroutine.
type Slab struct {
	free   []byte
	size   int
	filled time.Time // when the current allocation was made
}

// Space returns memory to read into: from 1 to MaxChunk bytes.
func (s *Slab) Space() []byte {
	if len(s.free) < max(1, s.size/8) {
		s.refill(time.Now())
	}
	return s.free[:min(len(s.free), MaxChunk)]
}

// Take returns the first n bytes of the last Space, which are not reused.
func (s *Slab) Take(n int) []byte {
	b := s.free[:n:n]
	s.free = s.free[n:]
	return b
}

func (s *Slab) refill(now time.Time) {
	switch age := now.Sub(s.filled); {
	case s.size == 0:
		s.size = minSlab
	case age < slabBusy:
		s.size = min(s.size*slabStep, maxSlab)
	case age > slabIdle:
		s.size = max(s.size/slabStep, minSlab)
	}
	s.free = make([]byte, s.size)
	s.filled = now
}
