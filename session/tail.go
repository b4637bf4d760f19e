package session

import "sync"

const (
	tailLines    = 20  // of stderr, the last ones
	headLines    = 5   // of stray stdout, the first ones
	quotedLength = 500 // bytes of one line
)

// tail keeps what an error about a start quotes: the last lines of stderr and
// the first stdout lines that were not messages. The zero value is empty; its
// methods may be called from any goroutine.
type tail struct {
	mu     sync.Mutex
	stderr []string // ring
	next   int
	stray  []string
}

// Tail returns the last lines that the latest process wrote to stderr, and the
// first of its stdout that were not messages, each cut at 500 bytes, with … for
// the rest: untrusted text.
func (s *Session) Tail() (stderr, stray []string) {
	r, err := s.current()
	if err != nil {
		return nil, nil
	}
	return r.lines.lines()
}

// quoted is a line, or its beginning with a mark.
func quoted(line []byte) string {
	if len(line) <= quotedLength {
		return string(line)
	}
	return string(line[:quotedLength]) + "…"
}

func (t *tail) addStderr(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.stderr) < tailLines {
		t.stderr = append(t.stderr, quoted(line))
		return
	}
	t.stderr[t.next] = quoted(line)
	t.next = (t.next + 1) % tailLines
}

func (t *tail) addStray(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.stray) < headLines {
		t.stray = append(t.stray, quoted(line))
	}
}

// lines returns both, oldest first.
func (t *tail) lines() (stderr, stray []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	stderr = append(stderr, t.stderr[t.next:]...)
	stderr = append(stderr, t.stderr[:t.next]...)
	return stderr, append(stray, t.stray...)
}

// lastStderr is the last line of stderr, if there is one.
func (t *tail) lastStderr() string {
	stderr, _ := t.lines()
	if len(stderr) == 0 {
		return ""
	}
	return "stderr: " + stderr[len(stderr)-1]
}
