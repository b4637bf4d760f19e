package via

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
)

// A gate withholds a stream until it is that of the server.
type gate struct {
	opened chan struct{}
	once   sync.Once
	r      io.Reader // set before opened is closed
}

func newGate() *gate { return &gate{opened: make(chan struct{})} }

// Only the first call has an effect.
func (g *gate) open(r io.Reader) {
	g.once.Do(func() {
		g.r = r
		close(g.opened)
	})
}

func (g *gate) Read(b []byte) (int, error) {
	<-g.opened
	return g.r.Read(b)
}

// A statusReader takes the report of the exit status out of a stream: one line that
// begins anywhere, because the server may not have ended its own.
type statusReader struct {
	r      io.Reader
	marker []byte
	report func(code int)
	end    func() // called at the end of the stream, if set

	ready []byte // to be returned
	held  []byte // may be the beginning of the report
	err   error
	done  bool // the report was found
}

func (s *statusReader) Read(b []byte) (int, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		n, err := s.r.Read(b)
		if s.done {
			return n, err
		}
		if s.err = err; err != nil && s.end != nil {
			defer s.end()
		}
		if len(s.held) == 0 && n > 0 && bytes.IndexByte(b[:n], s.marker[0]) < 0 {
			return n, err
		}
		s.feed(b[:n])
	}
	n := copy(b, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// feed sorts what was read into ready and held.
func (s *statusReader) feed(p []byte) {
	text := append(s.held, p...)
	s.held = nil
	if at := bytes.Index(text, s.marker); at >= 0 {
		line, rest, whole := bytes.Cut(text[at+len(s.marker):], []byte("\n"))
		code, err := strconv.Atoi(strings.TrimSpace(string(line)))
		switch {
		case whole && err == nil:
			s.report(code)
			s.done, s.ready = true, append(text[:at:at], rest...)
			return
		case !whole && len(line) < 8 && s.err == nil:
			s.ready, s.held = text[:at:at], text[at:]
			return
		}
	}
	keep := len(text)
	if s.err == nil {
		keep -= overlap(text, s.marker)
	}
	s.ready, s.held = text[:keep:keep], text[keep:]
}

// overlap returns how many bytes at the end of text begin the marker.
func overlap(text, marker []byte) int {
	for n := min(len(text), len(marker)-1); n > 0; n-- {
		if bytes.HasPrefix(marker, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}
