package watch

import (
	"io"
	"os"
	"time"

	"github.com/cespare/xxhash/v2"
)

const (
	// maxHashed is the size in bytes up to which the content of a file decides
	// whether it has changed; for larger files the modification time decides.
	maxHashed = 1 << 20
	// maxInitialHash is the number of bytes of all files together that are
	// hashed at the start.
	maxInitialHash = 64 << 20
)

// A state is the last known state of a file.
type state struct {
	exists bool
	size   int64
	mod    time.Time
	sum    uint64
	hashed bool
}

// stateOf returns the state of a file, with a hash of its content unless it is
// larger than limit. Anything but a readable regular file counts as missing.
func stateOf(file string, limit int64) state {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return state{}
	}
	s := state{exists: true, size: info.Size(), mod: info.ModTime()}
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

// differs reports whether a file has changed.
func (s state) differs(now state) bool {
	switch {
	case s.exists != now.exists:
		return true
	case !s.exists:
		return false
	case s.size != now.size:
		return true
	case s.hashed && now.hashed:
		return s.sum != now.sum
	}
	return !s.mod.Equal(now.mod)
}
