package recordings

import (
	"errors"
	"sort"
)

const (
	memoryLimit = 64 << 20
	// memoryBlock is how many bytes are dropped at once.
	memoryBlock = 1 << 20
)

// ErrNotKept is the error for entries that were dropped: recording had stopped and
// memory is limited. Their rows have session.FlagUnkept.
var ErrNotKept = errors.New("the entry's bytes were not kept: recording had stopped")

// memory continues a file that can't be written, with its offsets. The oldest blocks are
// dropped at limit. It is not safe for concurrent use.
type memory struct {
	limit  int
	blocks []block
	kept   int
	first  int64 // of the oldest byte kept
	next   int64
}

// A block holds complete lines.
type block struct {
	off  int64
	data []byte
}

func (m *memory) add(line []byte) {
	last := len(m.blocks) - 1
	if last < 0 || len(m.blocks[last].data)+len(line) > memoryBlock {
		m.blocks = append(m.blocks, block{off: m.next})
		last++
	}
	m.blocks[last].data = append(m.blocks[last].data, line...)
	m.kept += len(line)
	m.next += int64(len(line))
	for m.kept > m.limit {
		m.kept -= len(m.blocks[0].data)
		m.blocks[0].data = nil
		m.blocks = m.blocks[1:]
		m.first = m.next
		if len(m.blocks) > 0 {
			m.first = m.blocks[0].off
		}
	}
}

// skip counts a line that is too long to be kept, and drops all lines before it: the kept
// lines have no gaps.
func (m *memory) skip(length int64) {
	m.next += length
	m.blocks, m.kept, m.first = nil, 0, m.next
}

// ReadAt reads from a single line.
func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	if off < m.first || off >= m.next {
		return 0, ErrNotKept
	}
	i := sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].off > off }) - 1
	n := copy(p, m.blocks[i].data[off-m.blocks[i].off:])
	return n, nil
}
