package session

import (
	"fmt"
	"hash/crc32"

	"github.com/cespare/xxhash/v2"

	"mcpdbg/framing"
)

// A Sum counts and hashes the bytes of one stream. Its zero value is not ready:
// see NewSum.
type Sum struct {
	bytes      uint64
	xxh64      xxhash.Digest
	crc32      uint32
	tail       [2]byte // a line end
	incomplete bool
}

// NewSum returns the sum of no bytes.
func NewSum() Sum {
	s := Sum{}
	s.xxh64.Reset()
	return s
}

// Add adds the next bytes of the stream.
func (s *Sum) Add(b []byte) {
	s.bytes += uint64(len(b))
	_, _ = s.xxh64.Write(b) // a hash never fails
	s.crc32 = crc32.Update(s.crc32, crc32.IEEETable, b)
}

// AddLine adds the payload of an entry and the line end after it.
func (s *Sum) AddLine(payload []byte, eol framing.EOL) {
	s.Add(payload)
	s.Add(s.tail[:copy(s.tail[:], eol.String())])
}

// Body returns the sum of the bytes so far, as closed and failed entries have it.
func (s *Sum) Body() StreamSum {
	b := StreamSum{Bytes: s.bytes, XXH64: fmt.Sprintf("%016x", s.xxh64.Sum64()), CRC32: fmt.Sprintf("%08x", s.crc32)}
	if s.incomplete {
		b.Complete = new(bool)
	}
	return b
}
