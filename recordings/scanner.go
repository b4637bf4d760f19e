package recordings

import (
	"errors"
	"fmt"
	"io"

	"mcpdbg/session"
)

// A Scanner reads a recording from front to back, an entry at a time, for those
// who make another file of it. It holds one line and its payload in memory, and
// builds no index. It belongs to one goroutine.
type Scanner struct {
	path    string
	f       file
	file    *io.SectionReader // f, as long as it was
	first   []byte            // the header line
	header  session.Header
	lines   *lineReader
	d       decoder
	scratch []byte
	l       line
	entry   session.Entry
	err     error
}

// NewScanner opens a recording as it is now: what is added to a file that is
// still being written is not read. The errors are those of Open.
func NewScanner(path string) (*Scanner, error) {
	f, err := openFile(path)
	if _, ok := errors.AsType[*FormatError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	s := &Scanner{path: path, f: f}
	if err := s.open(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

func (s *Scanner) open() error {
	header, begin, err := readHeader(s.path, s.f)
	if err != nil {
		return err
	}
	info, err := s.f.Stat()
	if err != nil {
		return fmt.Errorf("open recording: %w", err)
	}
	s.header, s.first = header, make([]byte, begin)
	s.file = io.NewSectionReader(s.f, 0, info.Size())
	if _, err := s.f.ReadAt(s.first, 0); err != nil {
		return fmt.Errorf("open recording %s: %w", s.path, err)
	}
	s.Rewind()
	return nil
}

// Rewind goes back to the first entry.
func (s *Scanner) Rewind() {
	s.lines, s.d, s.err = linesFrom(s.file, int64(len(s.first))), decoder{}, nil
}

// Header is the first line, decoded.
func (s *Scanner) Header() session.Header { return s.header }

// HeaderLine is the first line as it stands in the file.
func (s *Scanner) HeaderLine() []byte { return s.first }

// Next goes to the next line, and tells whether there is one. At the end, or
// after an error, there is none; Err tells which.
func (s *Scanner) Next() bool {
	if s.err != nil {
		return false
	}
	s.l, s.err = s.lines.next()
	if s.err != nil && !errors.Is(s.err, io.EOF) {
		s.err = fmt.Errorf("read recording %s: byte %d: %w", s.path, s.lines.off, s.err)
	}
	return s.err == nil
}

// Err is why Next stopped, nil at the end of the file.
func (s *Scanner) Err() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// Line is the current line with its newline, as it stands in the file. It is
// good until Next; of a line that is too long to be held it is the beginning.
func (s *Scanner) Line() []byte { return s.l.data }

// Torn tells whether the current line has no newline: then it is the last one,
// and its end is missing.
func (s *Scanner) Torn() bool { return !s.l.whole }

// Decode decodes the current line. The entry is good until Next. Of a line
// that is no entry, or too long to be held, there is an error.
func (s *Scanner) Decode() (*session.Entry, error) {
	if s.l.size > int64(len(s.l.data)) {
		return nil, fmt.Errorf("a line of %d bytes is too long to be read", s.l.size)
	}
	// Decoding unescapes in place, and Line is to stay as it is.
	s.scratch = append(s.scratch[:0], s.l.data...)
	s.entry = session.Entry{}
	if err := s.d.into(&s.entry, s.scratch); err != nil {
		return nil, err
	}
	return &s.entry, nil
}

// Payload is where in Line the payload of the entry that Decode returned
// begins: the comma before its member. It is 0 for other kinds.
func (s *Scanner) Payload() int { return s.d.before }

// Close closes the file.
func (s *Scanner) Close() error { return s.f.Close() }
