package framing

import (
	"bytes"
	"iter"
)

// DefaultLimit is the default length limit of a line: 256 MiB.
const DefaultLimit = 256 << 20

// MaxCuts is how many chunk borders a Line lists; the rest are only counted.
const MaxCuts = 4096

// EOL is the end of a line.
type EOL uint8

// The ends of lines.
const (
	LF    EOL = iota // "\n", as MCP requires
	CRLF             // "\r\n"
	NoEOL            // none: a part, or the end of the stream
)

// String returns the bytes that ended the line: "\n", "\r\n" or "".
func (e EOL) String() string {
	switch e {
	case LF:
		return "\n"
	case CRLF:
		return "\r\n"
	}
	return ""
}

// A Cut is the border of chunk Seq, which begins at offset Off of a line,
// counted over its payload and EOL.
type Cut struct{ Seq, Off uint64 }

// A Line is one line of a stream, or a part of one. The concatenated Data and
// EOL of all lines are the stream, byte for byte.
type Line struct {
	Data []byte // the payload: the line without its EOL
	EOL  EOL
	More bool // the line continues in the next Line
	Part bool // the line began in an earlier Line

	// Diverted is how many bytes were passed to the function of Divert, a CR at the
	// end included. Then Data is nil: see Restore.
	Diverted int

	// First and Seq are the numbers of the chunks that hold its first and its
	// last byte, EOL included; equal for a line inside one chunk. Cuts lists
	// the chunks after First, up to Seq; if there are more than MaxCuts of
	// them, CutsDropped counts the omitted ones.
	First, Seq  uint64
	Cuts        []Cut
	CutsDropped uint64

	// Stable says that Data aliases the pushed chunk and is valid as long as
	// it. Otherwise Data, and in any case Cuts, is valid only until the next
	// line is requested or another method of the Splitter is called.
	Stable   bool
	Problems Problem // TooLong, Unterminated and CRLF
}

// Whole reports whether this is a whole line: parts are never messages.
func (l Line) Whole() bool { return !l.More && !l.Part }

// A Splitter cuts a stream of chunks into lines. It scans each byte once,
// however slowly a line arrives; it copies only lines that cross a chunk's end,
// and holds at most one open line.
//
// The zero Splitter is ready to use. It belongs to one goroutine at a time and
// must not be copied after first use.
type Splitter struct {
	// Limit is how many bytes a line may have before its LF, a CR included; 0
	// means DefaultLimit. A longer line is split into parts of exactly Limit
	// bytes and a last one with the rest. It must be set before the first Push.
	Limit int

	open    buffer // without a newline yet
	first   uint64 // of its first byte
	last    uint64 // of its last byte
	cuts    []Cut  // between first and last
	dropped uint64
	parts   bool // the open line began in a part that was returned
	tooLong bool // because it exceeded the limit
	taken   bool // the open line was returned: the next call clears it

	searched uint64 // for a newline, in total, to test that it is linear
}

// Push adds a chunk, whose number in its stream is seq, and yields the lines
// that it completes. Numbers must not decrease. The sequence must be ranged
// over once before any other call: leaving the loop early drops the rest of the
// chunk.
func (s *Splitter) Push(seq uint64, chunk []byte) iter.Seq[Line] {
	return func(yield func(Line) bool) { s.push(seq, chunk, yield) }
}

func (s *Splitter) push(seq uint64, chunk []byte, yield func(Line) bool) {
	s.clearTaken()
	limit := s.limit()
	for len(chunk) > 0 {
		n := bytes.IndexByte(chunk, '\n') // bytes of the line in this chunk
		ends := n >= 0
		if !ends {
			n = len(chunk)
		}
		s.searched += uint64(n)

		for s.open.len()+n > limit {
			fits := limit - s.open.len()
			var l Line
			s.part(&l, seq, chunk[:fits:fits])
			if !yield(l) {
				s.taken = true
				return
			}
			s.clear()
			chunk, n = chunk[fits:], n-fits
		}
		if !ends {
			s.add(seq, chunk)
			return
		}
		s.searched++
		var l Line
		s.line(&l, seq, chunk[:n:n])
		if !yield(l) {
			s.taken = true
			return
		}
		s.clear()
		chunk = chunk[n+1:]
	}
}

// part fills l with the open line and the bytes of chunk seq that still fit. (A Line is
// large: returning it by value through three calls would cost more than finding the
// newline.)
func (s *Splitter) part(l *Line, seq uint64, data []byte) {
	s.tooLong = true
	s.fill(l, seq, data)
	l.EOL = NoEOL
	l.More = true
	s.parts = true
}

// line fills l with the open line and the bytes of chunk seq before an LF.
func (s *Splitter) line(l *Line, seq uint64, data []byte) {
	if s.open.len() > 0 {
		s.cut(seq) // the LF is in this chunk, even if no byte before it is
	}
	s.fill(l, seq, data)
	l.trim()
	s.parts, s.tooLong = false, false
}

// A CR at the end of a payload is a part of the line's end.
func (l *Line) trim() {
	if n := len(l.Data); n > 0 && l.Data[n-1] == '\r' {
		l.Data = l.Data[: n-1 : n-1]
		l.EOL = CRLF
		l.Problems |= ProblemCRLF
	}
}

// Restore makes data, the bytes of a diverted line, its Data.
func (l *Line) Restore(data []byte) {
	l.Data, l.Diverted = data, 0
	if l.EOL == LF {
		l.trim()
	}
}

// fill does not copy data if no line is open.
func (s *Splitter) fill(l *Line, seq uint64, data []byte) {
	l.Part = s.parts
	if s.tooLong {
		l.Problems = ProblemTooLong
	}
	if s.open.len() == 0 {
		l.Data, l.First, l.Seq, l.Stable = data, seq, seq, true
		return
	}
	if len(data) > 0 {
		s.add(seq, data)
	}
	l.Data, l.First, l.Seq = s.open.bytes(), s.first, s.last
	if l.Diverted = s.open.diverted; l.Diverted > 0 {
		l.Data = nil
	}
	l.Cuts, l.CutsDropped = s.cuts, s.dropped
}

func (s *Splitter) add(seq uint64, data []byte) {
	if s.open.len() == 0 {
		s.first, s.last = seq, seq
	}
	s.cut(seq)
	s.open.append(data, s.limit())
}

// cut records where chunk seq begins in the open line.
func (s *Splitter) cut(seq uint64) {
	if seq == s.last {
		return
	}
	s.last = seq
	if len(s.cuts) == MaxCuts {
		s.dropped++
		return
	}
	s.cuts = append(s.cuts, Cut{Seq: seq, Off: uint64(s.open.len())})
}

// Flush returns the open line, if there is one. At the end of the stream, with
// more false, it is a line without EOL, marked Unterminated; it is empty if all
// of it was returned in parts before, so that a Line with More is always
// followed by another. With more true it is a part, for text that is shown
// before its newline comes.
func (s *Splitter) Flush(more bool) (Line, bool) {
	s.clearTaken()
	if s.open.len() == 0 && (more || !s.parts) {
		return Line{}, false
	}
	var l Line
	s.fill(&l, s.last, nil)
	l.EOL = NoEOL
	l.More = more
	if !more {
		l.Problems |= ProblemUnterminated
	}
	s.parts, s.tooLong = more, s.tooLong && more
	s.taken = true
	return l, true
}

// Gap handles bytes that the stream lost here. It returns the open line like
// Flush at the end of a stream, and the next byte begins a new line.
func (s *Splitter) Gap() (Line, bool) { return s.Flush(false) }

// Pending returns the number of bytes without a newline.
func (s *Splitter) Pending() int {
	if s.taken {
		return 0
	}
	return s.open.len()
}

// Peek returns the first n pending bytes, or all if they are fewer; of a diverted
// line it returns at most 1 KiB. They are valid until another method is called.
func (s *Splitter) Peek(n int) []byte {
	return s.open.bytes()[:min(n, s.Pending(), len(s.open.data))]
}

// Divert passes the pending bytes of the open line, and those that follow in it, to
// write, which must not keep them. The Line that ends it has no Data. It has no
// effect without pending bytes.
func (s *Splitter) Divert(write func(data []byte)) {
	if s.clearTaken(); s.open.len() > 0 && s.open.divert == nil {
		s.open.divertTo(write)
	}
}

// Close releases the memory of the open line, which is lost: call Flush before.
// The Splitter can be reused afterwards.
func (s *Splitter) Close() {
	s.open.release()
	*s = Splitter{Limit: s.Limit}
}

func (s *Splitter) limit() int {
	if s.Limit <= 0 {
		return DefaultLimit
	}
	return s.Limit
}

func (s *Splitter) clearTaken() {
	if s.taken {
		s.clear()
	}
}

// The open line was returned.
func (s *Splitter) clear() {
	s.taken = false
	s.open.clear()
	s.cuts, s.dropped = s.cuts[:0], 0
}
