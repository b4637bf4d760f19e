package link

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// maxSaid is how much text of a peer is kept.
	maxSaid = 4 << 10
	// RFC 4253 sets no limit; OpenSSH accepts 1024 lines.
	maxGreeting = 64 << 10
	// RFC 4253, with the line end.
	maxVersion = 255
)

var errNotSSH = errors.New("the peer does not speak SSH")

// A greeting reads a server's text before its version line, and that line. The text, such
// as "Too many users", is kept; x/crypto would drop it.
type greeting struct {
	from    *bufio.Reader
	said    []byte // before the version line, at most maxSaid
	total   int
	pending []byte // data to return, once the version line has come
	found   bool
}

func newGreeting(from io.Reader) *greeting {
	return &greeting{from: bufio.NewReaderSize(from, maxSaid)}
}

// Read returns the version line and the data after it.
func (g *greeting) Read(p []byte) (int, error) {
	if !g.found {
		if err := g.find(); err != nil {
			return 0, err
		}
	}
	n := copy(p, g.pending)
	g.pending = g.pending[n:]
	return n, nil
}

func (g *greeting) empty() bool { return g.found && len(g.pending) == 0 }

func (g *greeting) find() error {
	atStart := true
	for g.total < maxGreeting {
		line, err := g.from.ReadSlice('\n')
		if atStart && err == nil && bytes.HasPrefix(line, []byte("SSH-")) {
			known := bytes.HasPrefix(line, []byte("SSH-2.0-")) || bytes.HasPrefix(line, []byte("SSH-1.99-"))
			if !known || len(line) > maxVersion {
				g.keep(line)
				return fmt.Errorf("%w of version 2: its version line is %.40q", errNotSSH, line)
			}
			g.pending = bytes.Clone(line)
			behind, err := g.from.Peek(g.from.Buffered())
			g.pending = append(g.pending, behind...)
			g.found = true
			return err
		}
		g.keep(line)
		switch {
		case err == nil:
			atStart = true
		case errors.Is(err, bufio.ErrBufferFull):
			atStart = false
		default:
			return err
		}
	}
	return fmt.Errorf("%w: no version line in %d KiB", errNotSSH, maxGreeting>>10)
}

func (g *greeting) keep(text []byte) {
	g.total += len(text)
	g.said = append(g.said, text[:min(len(text), maxSaid-len(g.said))]...)
}
