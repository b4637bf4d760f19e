package rule

import (
	"bytes"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/message"
)

// An openLine is the part sent so far of a line that has no newline yet. The zero
// value means that there is none.
type openLine struct {
	text    []byte
	tooLong bool // text is no longer kept
}

// add continues the line and returns the text so far.
func (o *openLine) add(data []byte) []byte {
	if o.tooLong || len(o.text)+len(data) > maxLine {
		o.text, o.tooLong = nil, true
		return nil
	}
	o.text = append(o.text, data...)
	return o.text
}

// sent checks a write to the server: one line, several, or a part of one. A line is
// checked where it ends.
func (l *Checker) sent(at message.Place, e *session.Entry) {
	open := &l.run.open
	if whole := len(open.text) == 0 && !open.tooLong && e.EOL != framing.NoEOL; whole && !e.Cut && bytes.IndexByte(e.Payload, '\n') < 0 {
		l.sentLine(at, e.Msg, e.Payload) // nearly every write
		return
	}
	if e.Cut {
		*open = openLine{tooLong: e.EOL == framing.NoEOL}
		l.run.lastSent = sentRequest // assume a request
		l.run.lifecycle.Lost()
		return
	}
	rest := e.Payload
	for {
		line, after, found := bytes.Cut(rest, []byte{'\n'})
		if !found && e.EOL == framing.NoEOL {
			open.add(rest)
			return
		}
		if text := open.add(line); !open.tooLong {
			l.sentLine(at, framing.Scan(text), text)
		}
		*open = openLine{}
		if rest = after; !found {
			return
		}
	}
}

func (l *Checker) sentLine(at message.Place, m framing.Message, line []byte) {
	if m.Valid() {
		l.line(at, false, m, line)
		return
	}
	l.run.unreadable++
	switch p := m.Problems; {
	case p&framing.ProblemBOM != 0:
		l.report(frm03, at, "before "+quote(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))))
	case p&framing.ProblemBlank != 0:
		l.report(frm10, at, "a blank line")
	}
}
