package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// noiseLimit is how much a login shell may print before our script's marker.
const noiseLimit = 64 << 10

var (
	errNoise = fmt.Errorf("more than %d KiB came before it", noiseLimit>>10)
	// ErrEnded is the Err of a Reading whose stream ended before the marker.
	ErrEnded = errors.New("the command ended before it")
)

// A Scanner looks for a marker at the start of a line. What precedes it is noise: output
// of startup files, not of the server.
type Scanner struct {
	Marker string
	buf    []byte
	from   int // start of the incomplete line
}

// A Reading is one stream up to its marker.
type Reading struct {
	Line  string // what follows the marker in its line
	Noise []byte // before it, or all output if it did not come
	Rest  []byte // output after its line
	Err   error  // why it did not come
}

// Feed adds output. It reports whether the Reading is complete.
func (s *Scanner) Feed(p []byte) (Reading, bool) {
	s.buf = append(s.buf, p...)
	for {
		end := bytes.IndexByte(s.buf[s.from:], '\n')
		if end < 0 {
			break
		}
		line := s.buf[s.from : s.from+end]
		next := s.from + end + 1
		after, ok := bytes.CutPrefix(line, []byte(s.Marker))
		if ok && (len(after) == 0 || after[0] == ' ') {
			return Reading{
				Line:  string(bytes.TrimPrefix(after, []byte(" "))),
				Noise: bytes.TrimSuffix(s.buf[:s.from], []byte("\n")), // the marker's own
				Rest:  s.buf[next:],
			}, true
		}
		s.from = next
	}
	if len(s.buf) > noiseLimit {
		return Reading{Noise: s.buf, Err: errNoise}, true
	}
	return Reading{}, false
}

// Await reads r up to the line that begins with marker, in a goroutine that ends with the
// connection at the latest.
func Await(r io.Reader, marker string) <-chan Reading {
	done := make(chan Reading, 1)
	go func() {
		s := Scanner{Marker: marker}
		for buf := make([]byte, 32<<10); ; {
			n, err := r.Read(buf)
			result, complete := s.Feed(buf[:n])
			if !complete && err != nil {
				result, complete = Reading{Noise: s.buf, Err: ErrEnded}, true
			}
			if complete {
				done <- result
				return
			}
		}
	}()
	return done
}
