package session

import (
	"fmt"
	"hash/crc32"

	"github.com/cespare/xxhash/v2"

	"mcpdbg/framing"
)

// Sums sum up one stream of one process, as closed and failed entries of a recording have
// it: see docs/reference/recording-format.md.
type Sums struct {
	Bytes    uint64 `json:"bytes"`
	XXH64    string `json:"xxh64"`              // of all of them, 16 hex digits
	CRC32    string `json:"crc32,omitempty"`    // likewise, 8 hex digits; "" in older recordings
	Complete *bool  `json:"complete,omitempty"` // false after a gap
}

// A Checksum counts and hashes the bytes of one stream. Its zero value is not ready:
// see NewChecksum.
type Checksum struct {
	Incomplete bool // bytes are missing

	bytes uint64
	xxh64 xxhash.Digest
	crc32 uint32
	tail  [2]byte // a line end
}

// NewChecksum returns the checksum of a stream without bytes.
func NewChecksum() Checksum {
	s := Checksum{}
	s.xxh64.Reset()
	return s
}

// Add adds the next bytes of the stream.
func (s *Checksum) Add(b []byte) {
	s.bytes += uint64(len(b))
	_, _ = s.xxh64.Write(b) // a hash never fails
	s.crc32 = crc32.Update(s.crc32, crc32.IEEETable, b)
}

// AddLine adds the payload of an entry and the line end after it.
func (s *Checksum) AddLine(payload []byte, eol framing.EOL) {
	s.Add(payload)
	s.Add(s.tail[:copy(s.tail[:], eol.String())])
}

// Sums returns the sums of the bytes so far.
func (s *Checksum) Sums() Sums {
	sums := Sums{Bytes: s.bytes, XXH64: fmt.Sprintf("%016x", s.xxh64.Sum64()), CRC32: fmt.Sprintf("%08x", s.crc32)}
	if s.Incomplete {
		sums.Complete = new(bool)
	}
	return sums
}
