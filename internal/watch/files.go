package watch

import (
	"io"
	"os"
	"time"

	"github.com/cespare/xxhash/v2"
)

const (
	// maxHashed is the size up to which the content of a file decides whether it
	// has changed; above it its time does.
	maxHashed = 1 << 20
	// hashedAtOnce is how many bytes are read of all files together at the start.
	hashedAtOnce = 64 << 20
)

// A state is what is known of a file.
type state struct {
	there  bool
	size   int64
	mod    time.Time
	sum    uint64
	hashed bool
}

// stateOf looks at a file, and at its content if it is not too large. What is no
// file, or can't be looked at, is not there.
func stateOf(file string, limit int64) state {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return state{}
	}
	s := state{there: true, size: info.Size(), mod: info.ModTime()}
	if s.size > limit {
		return s
	}
	f, err := os.Open(file)
	if err != nil {
		return s
	}
	defer f.Close()
	h := xxhash.New()
	if n, err := io.Copy(h, io.LimitReader(f, limit)); err == nil {
		s.size, s.sum, s.hashed = n, h.Sum64(), true
	}
	return s
}

// differs tells whether a file is another one now.
func (s state) differs(now state) bool {
	switch {
	case s.there != now.there:
		return true
	case !s.there:
		return false
	case s.size != now.size:
		return true
	case s.hashed && now.hashed:
		return s.sum != now.sum
	}
	return !s.mod.Equal(now.mod)
}
