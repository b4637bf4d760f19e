package index

import (
	"bytes"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// maxOpenLine is how many bytes of a line that consists of several writes are
// kept. The index does not treat a longer one as a message.
const maxOpenLine = 1 << 20

// An openLine is the unterminated line of the last write to stdin. In the zero
// value no line is open.
type openLine struct {
	bytes []byte
	over  bool // longer than maxOpenLine
}

func (l *openLine) open() bool { return len(l.bytes) > 0 || l.over }

func (l *openLine) add(b []byte) {
	if l.over || len(l.bytes)+len(b) > maxOpenLine {
		l.bytes, l.over = nil, true
		return
	}
	l.bytes = append(l.bytes, b...)
}

// close returns the whole line and resets l; it returns false if the line was
// too long.
func (l *openLine) close() ([]byte, bool) {
	line, ok := l.bytes, !l.over
	*l = openLine{}
	return line, ok
}

// openStdin handles a write that continues a line or leaves one open. Messages
// belong to the row of the write that completes their line: only then can the
// server read them. The row has the message kind of the first line that it
// completes.
func (x *Index) openStdin(e *session.Entry, row *session.Row) {
	row.Flags |= session.FlagPart | session.FlagProblem
	first := true
	for rest := e.Payload; ; first = false {
		line, more, ended := bytes.Cut(rest, []byte{'\n'})
		rest = more
		x.openIn.add(line)
		if !ended && e.EOL == framing.NoEOL {
			return
		}
		if ended && !first || ended && len(more) > 0 {
			row.Flags |= session.FlagBatch
		}
		if whole, ok := x.openIn.close(); ok {
			m := framing.Scan(whole)
			if first {
				row.Msg = m.Kind
			}
			x.line(e.Kind, m, whole, row)
		}
		if !ended {
			return
		}
	}
}
