package imports

import (
	"cmp"
	"errors"
	"fmt"
	"io"
)

// A document is a source that is one JSON text, read incrementally. If it ends early
// or is not valid JSON, reading ends with a note.
type document struct {
	source *source
	to     *recorder
}

// errBroken reports an incomplete or invalid document.
const errBroken = unreadable("the rest is missing or not valid JSON")

// next returns the next byte that is not whitespace, without consuming it.
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

// value reads the next value, which is valid until the next call. If it is longer than
// maxLine, only its beginning is returned.
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

// whole returns the value that was read, unless it is empty or too long.
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
