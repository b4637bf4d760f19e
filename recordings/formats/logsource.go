package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mcpdbg/framing"
)

// maxLine is the longest line of a session plus its envelope, in bytes.
const maxLine = framing.DefaultLimit + 1<<20

// quoted is how many bytes of an unreadable line are stored.
const quoted = 4 << 10

type logSource struct {
	in     *bufio.Reader
	head   []byte // the beginning, which in still contains
	only   string
	report *ImportReport
	buf    []byte
}

// line is valid until the next call, without its line end. A line that is too long is
// truncated; size is its full size. The error is io.EOF at the end.
func (s *logSource) line() (line []byte, size int64, err error) {
	s.buf = s.buf[:0]
	for {
		chunk, err := s.in.ReadSlice('\n')
		size += int64(len(chunk))
		if room := maxLine - len(s.buf); room > 0 {
			s.buf = append(s.buf, chunk[:min(len(chunk), room)]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || size == 0) {
			return nil, 0, err
		}
		break
	}
	s.report.Lines++
	if s.report.Lines == 1 {
		s.buf = bytes.TrimPrefix(s.buf, byteOrderMark)
	}
	line = bytes.TrimSuffix(s.buf, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), size, nil
}

// objects calls each for every line, which must be a JSON object; blank lines are
// skipped. Other lines, and those for which each fails, become notes.
func (s *logSource) objects(to *recorder, each func(line []byte) error) error {
	for {
		line, size, err := s.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
			continue
		case size > maxLine:
			err = unreadable(fmt.Sprintf("%d bytes exceed the limit of %d", size, maxLine))
		case !isObject(line):
			err = unreadable("not a JSON object")
		default:
			err = each(line)
		}
		if err = s.keep(to, line, size, err); err != nil {
			return err
		}
	}
}

// unreadable is why a line could not be read.
type unreadable string

func (u unreadable) Error() string { return string(u) }

// keep stores an unreadable line as a note. It returns any other error.
func (s *logSource) keep(to *recorder, what []byte, size int64, err error) error {
	why, ok := errors.AsType[unreadable](err)
	if !ok {
		return err
	}
	r := s.report
	r.Unread++
	if len(r.Problems) < shownBad {
		r.Problems = append(r.Problems, UnreadLine{Line: r.Lines, Why: string(why)})
	}
	text := fmt.Sprintf("line %d of the source could not be read: %s", r.Lines, why)
	if size > quoted {
		text += fmt.Sprintf(" (%d bytes, truncated here)", size)
	}
	return to.note(noteUnread, text, string(what[:min(len(what), quoted)]))
}

func isObject(text []byte) bool {
	return len(text) > 1 && text[0] == '{' && json.Valid(text)
}
