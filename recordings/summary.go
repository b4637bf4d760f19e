package recordings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
	"unicode/utf8"

	"mcpdbg/session"
)

// Peek reads peekTail bytes of a file's end, and up to maxPeekTail if the last
// line is longer.
const (
	peekTail    = 4 << 10
	maxPeekTail = 1 << 20
	peekHeader  = 8 << 10
)

// A Summary is the information in the first and the last line of a recording.
type Summary struct {
	Header   session.Header
	Size     int64 // of the file in bytes
	Modified time.Time
	// State is RecordingDone, RecordingOn while its recorder is running,
	// RecordingParted if later parts are missing, RecordingCut if the recorder
	// could not write the rest, and otherwise RecordingTorn.
	State session.RecordingState
	// Stopped is why the recorder could not write the rest; "" if it did.
	Stopped string
	// Duration is the time of the last entry in microseconds, -1 if unknown: the
	// last line is longer than 1 MiB or missing.
	Duration int64
	// Entries is the number of entries; 0 if the last entry does not have it.
	Entries uint64
	Counts  *session.EndCounts // nil if the last entry has none
}

// Peek reads the first line of the recording at path and the last one (that of its
// last part), and nothing in between: it takes well below a millisecond for a file
// of any size. The error is that of Open.
func Peek(path string) (Summary, error) {
	f, err := openFile(path)
	if _, ok := errors.AsType[*FormatError](err); ok {
		return Summary{}, err
	}
	if err != nil {
		return Summary{}, fmt.Errorf("open recording: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Summary{}, fmt.Errorf("open recording: %w", err)
	}
	s, err := peek(path, f, info.Size())
	s.Modified = info.ModTime()
	return s, err
}

func peek(path string, f file, size int64) (Summary, error) {
	s := Summary{Size: size, State: session.RecordingTorn, Duration: -1}
	live := f.locked()
	begin, err := s.readHead(path, f)
	if err != nil {
		return Summary{}, err
	}
	if err := s.readTail(f, begin); err != nil {
		return Summary{}, fmt.Errorf("open recording %s: %w", path, err)
	}
	if between, next := f.missing(); between > 0 || next {
		s.State = session.RecordingParted
	}
	if live {
		s.State, s.Stopped = session.RecordingOn, ""
	}
	return s, nil
}

// readHead returns the offset of the next line.
func (s *Summary) readHead(path string, f io.ReaderAt) (begin int64, err error) {
	head := make([]byte, min(peekHeader, s.Size))
	n, err := f.ReadAt(head, 0)
	if end := bytes.IndexByte(head[:n], '\n'); end >= 0 {
		s.Header, err = parseHeader(path, head[:end+1])
		return int64(end) + 1, err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("open recording %s: %w", path, err)
	}
	s.Header, begin, err = readHeader(path, f)
	return begin, err
}

func (s *Summary) readTail(f io.ReaderAt, begin int64) error {
	for size := int64(peekTail); ; size *= 16 {
		from := max(begin, s.Size-size)
		tail := make([]byte, max(0, s.Size-from))
		n, err := f.ReadAt(tail, from)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		tail = tail[:n]
		end := bytes.LastIndexByte(tail, '\n')
		last := bytes.LastIndexByte(tail[:max(end, 0)], '\n') + 1
		if found := end >= 0 && (last > 0 || from == begin); found {
			s.readLast(tail[last:end+1], end+1 == len(tail))
			return nil
		}
		if from == begin || size >= maxPeekTail {
			return nil
		}
	}
}

// readLast sets s from the last complete line; last is false if a torn line follows.
func (s *Summary) readLast(line []byte, last bool) {
	var d decoder
	var e session.Entry
	if err := d.head(&e, line); err != nil || e.T < 0 {
		return
	}
	s.Duration = e.T
	e.Body = d.body
	if text, ok := stoppedReason(&e); ok && last {
		s.State, s.Stopped = session.RecordingCut, text
	}
	if e.Kind != session.KindEnd || !last || len(e.Body) > 0 && !json.Valid(e.Body) {
		return
	}
	s.State = session.RecordingDone
	var b session.EndBody
	if e.DecodeBody(&b) == nil && b.Entries <= math.MaxInt64 {
		s.Entries, s.Counts = b.Entries, b.Counts
	}
}

// A FormatError reports a file that can't be read as a recording.
type FormatError struct {
	Path      string
	Major     int    // the version of a recording that this program does not support; else 0
	LooksLike string // what the file looks like, such as "a gzip file"
}

func (e *FormatError) Error() string {
	if e.LooksLike == "" {
		return fmt.Sprintf("%s is a recording of version %d, and this program reads version %d", e.Path, e.Major, Version)
	}
	return fmt.Sprintf("%s is not a recording: it looks like %s", e.Path, e.LooksLike)
}

// magics are of file types that may be mistaken for recordings.
var magics = []struct{ begin, looks string }{
	{"\x1f\x8b", "a gzip file (unpack it first)"},
	{"\x28\xb5\x2f\xfd", "a zstd file (unpack it first)"},
	{"PK\x03\x04", "a zip file (unpack it first)"},
	{"SQLite format 3\x00", "a SQLite database"},
	{"\x89MCAP", "an MCAP file"},
	{"\x7fELF", "a program"},
	{"MZ", "a program"},
	{"#!", "a script"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xef\xbb\xbf", "a text file with a byte order mark"},
}

// shapes identify the JSON of other programs.
var shapes = []struct{ member, looks string }{
	{"mcpdbg_smoke", "a report of mcpdbg smoke (open a recording that it names)"},
	{"mcpServers", "a client configuration (open its servers with --config)"},
	{"servers", "a client configuration (open its servers with --config)"},
	{"log", "a HAR file"},
	{"jsonrpc", "bare JSON-RPC messages"},
	{"width", "an asciicast"},
	{"term", "an asciicast"},
	{"mcprec", "a recording of another tool"},
	{"n", "a recording without its first line"},
}

// LooksLike describes a file that is not a recording by its first line, such as "a
// gzip file (unpack it first)" or "text".
func LooksLike(first []byte) string {
	if len(first) == 0 {
		return "an empty file"
	}
	for _, m := range magics {
		if bytes.HasPrefix(first, []byte(m.begin)) {
			return m.looks
		}
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(first, &object) == nil {
		for _, s := range shapes {
			if _, ok := object[s.member]; ok {
				return s.looks
			}
		}
		return "other JSON"
	}
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(first), []byte("{")) && utf8.Valid(first):
		return "other JSON"
	case bytes.IndexByte(first, 0) >= 0 || !utf8.Valid(first):
		return "a binary file"
	}
	return "text"
}
