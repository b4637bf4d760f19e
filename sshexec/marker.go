package sshexec

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
	errEnded = errors.New("the command ended before it")
)

// A scanner looks for a marker at the start of a line. What precedes it is noise: output
// of startup files, not of the server.
type scanner struct {
	marker string
	buf    []byte
	from   int // start of the incomplete line
}

// A reading is one stream up to its marker.
type reading struct {
	line  string // what follows the marker in its line
	noise []byte // before it, or all output if it did not come
	rest  []byte // output after its line
	err   error  // why it did not come
}

func (s *scanner) feed(p []byte) (reading, bool) {
	s.buf = append(s.buf, p...)
	for {
		end := bytes.IndexByte(s.buf[s.from:], '\n')
		if end < 0 {
			break
		}
		line := s.buf[s.from : s.from+end]
		next := s.from + end + 1
		after, ok := bytes.CutPrefix(line, []byte(s.marker))
		if ok && (len(after) == 0 || after[0] == ' ') {
			return reading{
				line:  string(bytes.TrimPrefix(after, []byte(" "))),
				noise: bytes.TrimSuffix(s.buf[:s.from], []byte("\n")), // the marker's own
				rest:  s.buf[next:],
			}, true
		}
		s.from = next
	}
	if len(s.buf) > noiseLimit {
		return reading{noise: s.buf, err: errNoise}, true
	}
	return reading{}, false
}

// await reads r up to the line that begins with marker, in a goroutine that ends with the
// connection at the latest.
func await(r io.Reader, marker string) <-chan reading {
	done := make(chan reading, 1)
	go func() {
		s := scanner{marker: marker}
		for buf := make([]byte, 32<<10); ; {
			n, err := r.Read(buf)
			result, complete := s.feed(buf[:n])
			if !complete && err != nil {
				result, complete = reading{noise: s.buf, err: errEnded}, true
			}
			if complete {
				done <- result
				return
			}
		}
	}()
	return done
}
