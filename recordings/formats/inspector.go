package formats

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"mcpdbg/session"
)

// The protocol export of the MCP Inspector 2.x (npm @modelcontextprotocol/
// inspector): a pretty-printed array of entries, each a request with its response, a
// notification, or a response without a request.

var inspectorEntry = expression(`"direction":\s*"(request|response|notification)"`)

func looksInspector(head []byte) bool {
	head = bytes.TrimSpace(head[:min(len(head), 64<<10)])
	return bytes.HasPrefix(head, []byte("[")) && inspectorEntry().Match(head) && bytes.Contains(head, []byte(`"message":`))
}

func readInspector(s *logSource, to *recorder) error {
	to.wall, to.ordered = true, true
	to.remark("messages were parsed and rewritten, so numbers and escapes may differ from what was sent")
	to.remark("stderr, stdout lines that are not messages and the exit status are missing; times are in milliseconds; the Inspector keeps only the last 1,000 entries")
	doc := document{source: s, to: to}
	return doc.end(doc.elements(func(entry []byte) error { return inspectorMessages(to, entry) }))
}

func inspectorMessages(to *recorder, entry []byte) error {
	m := map[string][]byte{}
	for name, value := range members(entry) {
		m[name] = value
	}
	if len(m["message"]) == 0 || m["message"][0] != '{' {
		return unreadable("the message is missing")
	}
	from, err := inspectorSide(m)
	if err != nil {
		return err
	}
	at := wallTime(m["timestamp"])
	if err := to.add(logItem{kind: from, at: at, payload: compact(m["message"])}); err != nil {
		return err
	}
	if ms, ok := number(m["duration"]); ok && at != unknown {
		if took := micros(max(ms, 0), 1e3); took != unknown {
			at += took
		}
	}
	if response := m["response"]; len(response) > 0 && response[0] == '{' {
		back := session.KindStdout
		if from == session.KindStdout {
			back = session.KindStdin
		}
		if err := to.add(logItem{kind: back, at: at, payload: compact(response)}); err != nil {
			return err
		}
	}
	if failed := text(m["clientError"]); failed != "" {
		return to.add(logItem{kind: session.KindNote, at: at, note: session.NoteBody{
			Text: "the Inspector reported for a request: " + clip(failed, quoted), Code: noteSaid}})
	}
	return nil
}

func inspectorSide(m map[string][]byte) (session.Kind, error) {
	switch text(m["origin"]) {
	case "client":
		return session.KindStdin, nil
	case "server":
		return session.KindStdout, nil
	}
	direction := text(m["direction"])
	switch direction { // in versions without origin
	case "request":
		return session.KindStdin, nil
	case "response", "notification":
		return session.KindStdout, nil
	}
	return 0, unreadable(fmt.Sprintf("unknown direction %q", clip(direction, 40)))
}

// A document is one JSON text, read incrementally. If it ends early or is not valid JSON,
// reading ends with a note.
type document struct {
	source *logSource
	to     *recorder
}

const errBroken = unreadable("the rest is missing or not valid JSON")

// next does not consume the byte, which is not whitespace.
func (d *document) next() (byte, error) {
	for {
		c, err := d.source.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errBroken
		}
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != byteOrderMark[0] && c != byteOrderMark[1] && c != byteOrderMark[2] {
			return c, d.source.in.UnreadByte()
		}
	}
}

// consume consumes the next byte if it is c.
func (d *document) consume(c byte) (bool, error) {
	n, err := d.next()
	if err != nil || n != c {
		return false, err
	}
	_, err = d.source.in.ReadByte()
	return true, err
}

// value is valid until the next call. Of a value longer than maxLine, only the beginning
// is returned.
func (d *document) value() ([]byte, error) {
	s := d.source
	s.buf = s.buf[:0]
	if _, err := d.next(); err != nil {
		return nil, err
	}
	size := int64(0)
	depth, quoted, escaped := 0, false, false
	for {
		c, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return s.buf, errBroken
		}
		if err != nil {
			return nil, err
		}
		if end := !quoted && depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}' || c <= ' '); end {
			return d.whole(size, s.in.UnreadByte())
		}
		if size++; size <= maxLine {
			s.buf = append(s.buf, c)
		}
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		}
		if depth == 0 && !quoted && (c == '"' || c == '}' || c == ']') {
			return d.whole(size, nil)
		}
	}
}

func (d *document) whole(size int64, err error) ([]byte, error) {
	switch {
	case err != nil:
	case size == 0:
		err = errBroken
	case size > maxLine:
		err = unreadable(fmt.Sprintf("%d bytes exceed the limit of %d", size, maxLine))
	}
	return d.source.buf, err
}

// elements calls each for the elements of the next array, which must be objects. Other
// values, and those for which each fails, become notes.
func (d *document) elements(each func([]byte) error) error {
	if ok, err := d.consume('['); err != nil || !ok {
		return cmp.Or(err, error(errBroken))
	}
	for {
		if end, err := d.consume(']'); err != nil || end {
			return err
		}
		value, err := d.value()
		if errors.Is(err, errBroken) {
			return err
		}
		d.source.report.Lines++
		switch {
		case err != nil:
		case !isObject(value):
			err = unreadable("not a JSON object")
		default:
			err = each(value)
		}
		if err := d.source.keep(d.to, value, int64(len(value)), err); err != nil {
			return err
		}
		if _, err := d.consume(','); err != nil {
			return err
		}
	}
}

// end stores the last input as a note if the document is incomplete.
func (d *document) end(err error) error {
	if !errors.Is(err, errBroken) {
		return err
	}
	d.source.report.Lines++
	rest := d.source.buf
	return d.source.keep(d.to, rest, int64(len(rest)), err)
}
