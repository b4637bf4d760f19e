package session

import (
	"bytes"

	"mcpdbg/framing"
)

// maxOpenLine is how many bytes of a line are kept that several writes make up.
// A longer one is no message to the index.
const maxOpenLine = 1 << 20

// An openLine is the line of stdin that the last write left without an end. The
// zero value is none.
type openLine struct {
	bytes []byte
	over  bool // there were more than maxOpenLine
}

func (l *openLine) open() bool { return len(l.bytes) > 0 || l.over }

func (l *openLine) add(b []byte) {
	if l.over || len(l.bytes)+len(b) > maxOpenLine {
		l.bytes, l.over = nil, true
		return
	}
	l.bytes = append(l.bytes, b...)
}

// close returns the whole line and begins anew; false if it was too long.
func (l *openLine) close() ([]byte, bool) {
	line, ok := l.bytes, !l.over
	*l = openLine{}
	return line, ok
}

// openStdin takes a write that continues a line, or leaves one open. Messages
// belong to the row of the write that completes their line: only then can the
// server read them. The row is what the first line is that it completes.
func (x *Index) openStdin(e *Entry, row *Row) {
	row.Flags |= FlagPart | FlagProblem
	first := true
	for rest := e.Payload; ; first = false {
		line, more, ended := bytes.Cut(rest, []byte{'\n'})
		rest = more
		x.openIn.add(line)
		if !ended && e.EOL == framing.NoEOL {
			return
		}
		if ended && !first || ended && len(more) > 0 {
			row.Flags |= FlagBatch
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
