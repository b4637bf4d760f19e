package recordings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

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

// readHead reads the header and returns the offset of the next line.
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

// readTail finds the last complete line and takes its information.
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
			s.take(tail[last:end+1], end+1 == len(tail))
			return nil
		}
		if from == begin || size >= maxPeekTail {
			return nil
		}
	}
}

// take sets s from the last complete line; last is false if a torn line follows.
func (s *Summary) take(line []byte, last bool) {
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
