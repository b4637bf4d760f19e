package session

import "sync"

const (
	tailLines    = 20  // of stderr, the last ones
	headLines    = 5   // of stray stdout, the first ones
	quotedLength = 500 // bytes of one line
)

// tail keeps the lines that errors about a start quote: the last ones of stderr
// and the first stdout lines that were not messages. The zero value is empty;
// its methods may be called from any goroutine.
type tail struct {
	mu     sync.Mutex
	stderr []string // ring
	next   int
	stray  []string
}

// Tail returns the last stderr lines of the latest process and its first stdout
// lines that were not messages. Lines are cut at 500 bytes and marked with ….
// They are untrusted text.
func (s *Session) Tail() (stderr, stray []string) {
	r, err := s.current()
	if err != nil {
		return nil, nil
	}
	return r.lines.lines()
}

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

func (t *tail) lines() (stderr, stray []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	stderr = append(stderr, t.stderr[t.next:]...)
	stderr = append(stderr, t.stderr[:t.next]...)
	return stderr, append(stray, t.stray...)
}

func (t *tail) lastStderr() string {
	stderr, _ := t.lines()
	if len(stderr) == 0 {
		return ""
	}
	return "stderr: " + stderr[len(stderr)-1]
}
