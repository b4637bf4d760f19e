package framing

const (
	// A longer line is kept outside Go's heap, in memory that grows without copying.
	reserveAbove = 1 << 20
	// keepUpTo is the size of the largest slice that is kept for the next line.
	keepUpTo = 256 << 10
	// headSize is how many bytes of a diverted line are held.
	headSize = 1 << 10
)

// A buffer holds the bytes of one open line. Short lines share a slice. A line
// above reserveAbove moves to address space reserved for the longest line, of
// which only written pages take memory, and which is released when the line is
// done: a line of 256 MiB takes 256 MiB, not a multiple due to doubling slices
// and garbage. If reserving fails, a slice grows by an eighth at a time, which
// takes twice the line during a copy.
//
// The bytes of a diverted line go to a function instead, and only the first ones
// are held.
type buffer struct {
	data     []byte
	reserved bool         // data came from reserve
	divert   func([]byte) // nil unless the line is diverted
	diverted int          // to divert
}

func (b *buffer) len() int {
	if b.divert != nil {
		return b.diverted
	}
	return len(b.data)
}

func (b *buffer) bytes() []byte { return b.data[:len(b.data):len(b.data)] }

// The buffer must not grow beyond limit.
func (b *buffer) append(p []byte, limit int) {
	if b.divert != nil {
		b.divert(p)
		b.diverted += len(p)
		b.data = append(b.data, p[:min(len(p), headSize-len(b.data))]...)
		return
	}
	if need := len(b.data) + len(p); need > cap(b.data) && need > reserveAbove {
		place, err := reserve(limit)
		if err != nil {
			place = make([]byte, min(need+need/8, limit))
		}
		b.data = append(place[:0], b.data...)
		b.reserved = err == nil
	}
	b.data = append(b.data, p...)
}

// divertTo passes all bytes, and those that are added later, to write.
func (b *buffer) divertTo(write func([]byte)) {
	write(b.data)
	head := append([]byte(nil), b.data[:min(len(b.data), headSize)]...)
	n := len(b.data)
	b.release()
	*b = buffer{data: head, divert: write, diverted: n}
}

// clear empties the buffer for the next line.
func (b *buffer) clear() {
	if b.reserved || cap(b.data) > keepUpTo {
		b.release()
	}
	b.divert, b.diverted = nil, 0
	b.data = b.data[:0]
}

func (b *buffer) release() {
	if b.reserved {
		unreserve(b.data)
	}
	*b = buffer{}
}
