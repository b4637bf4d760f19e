package executor

import (
	"sort"
	"time"
)

// traffic counts the bytes of each stream up to some point of the sequence.
type traffic [2]uint64

func (t traffic) plus(s Stream, n int) traffic {
	t[s] += uint64(n)
	return t
}

// A record is one chunk of output with the byte counts before it, for the exact size of a
// gap after the output is gone.
type record struct {
	seq    uint64
	stream Stream
	data   []byte
	before traffic
}

func (r record) after() traffic { return r.before.plus(r.stream, len(r.data)) }

// records is a growing ring of records in the order of their numbers. The zero
// value is empty.
type records struct {
	ring  []record // its length is a power of two
	head  int
	count int
	bytes int
}

func (r *records) at(i int) *record { return &r.ring[(r.head+i)&(len(r.ring)-1)] }

func (r *records) push(rec record) {
	if r.count == len(r.ring) {
		r.grow()
	}
	r.count++
	*r.at(r.count - 1) = rec
	r.bytes += len(rec.data)
}

func (r *records) grow() {
	ring := make([]record, max(16, 2*len(r.ring)))
	for i := range r.count {
		ring[i] = *r.at(i)
	}
	r.ring, r.head = ring, 0
}

func (r *records) pop() record {
	slot := r.at(0)
	rec := *slot
	slot.data = nil
	r.head = (r.head + 1) & (len(r.ring) - 1)
	r.count--
	r.bytes -= len(rec.data)
	return rec
}

// after returns the index of the first record above seq, or count.
func (r *records) after(seq uint64) int {
	if r.count > 0 && r.at(0).seq == seq+1 {
		return 0
	}
	return sort.Search(r.count, func(i int) bool { return r.at(i).seq > seq })
}

// retained is the output that can still be read: first the output that the
// pinned subscriber has taken, which is limited, then the rest, which is all
// kept.
type retained struct {
	records
	maxBytes, maxChunks int

	taken      int // number of taken records, the oldest ones
	takenBytes int
	gone       uint64 // the highest evicted number
}

// markTaken marks the records up to number seq as taken and evicts those beyond the limits.
func (r *retained) markTaken(seq uint64) {
	for r.taken < r.count && r.at(r.taken).seq <= seq {
		r.takenBytes += len(r.at(r.taken).data)
		r.taken++
	}
	for r.takenBytes > r.maxBytes || r.taken > r.maxChunks {
		r.evict()
	}
}

func (r *retained) evict() {
	rec := r.pop()
	r.gone = rec.seq
	if r.taken > 0 {
		r.taken--
		r.takenBytes -= len(rec.data)
	}
}

func (r *retained) untaken() int { return r.bytes - r.takenBytes }

// A quiet process gets the smallest slab; one that fills slabs quickly gets larger ones,
// so that one read can empty the pipe.
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
