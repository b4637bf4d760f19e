package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"mcpdbg/session"
)

// A Scanner reads a recording from front to back, an entry at a time, for callers
// that convert it to another file. It holds one line and its payload in memory and
// builds no index. It must be used by one goroutine only.
type Scanner struct {
	path    string
	f       file
	file    *io.SectionReader // of the size when it was opened
	first   []byte
	header  session.Header
	lines   *lineReader
	d       decoder
	scratch []byte
	spare   bool // the entry does not refer to the line
	l       line
	entry   session.Entry
	err     error
}

// NewScanner opens a recording at its current size: entries added later, to a file that
// is still being written, are not read. The errors are those of Open.
func NewScanner(path string) (*Scanner, error) {
	f, err := openFiles(path)
	if err != nil {
		return nil, err
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
	lines := linesFrom(s.file, int64(len(s.first)))
	lines.f = s.file
	if s.lines != nil {
		lines.large = s.lines.large
	}
	s.lines, s.d, s.err = lines, decoder{}, nil
}

// Header returns the decoded first line.
func (s *Scanner) Header() session.Header { return s.header }

// HeaderLine returns the first line of the file verbatim.
func (s *Scanner) HeaderLine() []byte { return s.first }

// Next advances to the next line and reports whether there is one. It returns false
// at the end and after an error; see Err.
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

// Err returns the error that stopped Next, nil at the end of the file.
func (s *Scanner) Err() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// Line returns the current line verbatim with its newline. It is valid until Next.
// Of a line that is too long to be held it is only the beginning.
func (s *Scanner) Line() []byte { return s.l.data }

// Torn reports whether the current line has no newline: then it is the last one,
// and its end is missing.
func (s *Scanner) Torn() bool { return !s.l.whole }

// Decode decodes the current line. The entry is valid until Next. It fails for a
// line that is not an entry or is too long to be held.
func (s *Scanner) Decode() (*session.Entry, error) {
	if s.l.size > int64(len(s.l.data)) {
		return nil, fmt.Errorf("line of %d bytes is too long to read", s.l.size)
	}
	s.entry, s.spare = session.Entry{}, false
	if s.keepsLine() {
		if err := s.d.into(&s.entry, s.l.data); err != nil {
			return nil, err
		}
		return &s.entry, nil
	}
	// Decoding unescapes in place, but Line must not change.
	s.scratch = append(s.scratch[:0], s.l.data...)
	s.spare = true
	if err := s.d.into(&s.entry, s.scratch); err != nil {
		return nil, err
	}
	return &s.entry, nil
}

// keepsLine reports whether decoding cannot change the current line: its payload is JSON,
// which stays as it is, and nothing before that is escaped.
func (s *Scanner) keepsLine() bool {
	head, _, found := bytes.Cut(s.l.data[:min(len(s.l.data), headRoom)], []byte(`,"m":{`))
	return found && bytes.Contains(head, []byte(`"k":"std`)) && bytes.IndexByte(head, '\\') < 0
}

// Spare returns the memory of the current line, empty, if the entry does not need it.
// Line is invalid once it is used.
func (s *Scanner) Spare() []byte {
	if !s.spare {
		return nil
	}
	return s.l.data[:0]
}

// Payload returns the offset in Line of the payload of the last decoded entry: the
// comma before its member. It is 0 for entries without a payload.
func (s *Scanner) Payload() int { return s.d.before }

// Close closes the file.
func (s *Scanner) Close() error { return s.f.Close() }
