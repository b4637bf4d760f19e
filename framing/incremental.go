package framing

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

const (
	maxPiece  = 4 << 10
	maxDigest = 256 << 10
	// maxName is that of a member in a digest.
	maxName = 64
)

// An Incremental scans one long response while its bytes arrive, in pieces of any
// size, with memory that does not depend on its length. It accepts less than Scan:
// what it accepts is a Verbatim response without problems, whose result is an
// object. Any other line, which may be a valid message, it refuses as soon as it
// differs, and has to be scanned as a whole.
//
// The digest of a response is the same message without the long members of its
// result: see Digest.
//
// The zero Incremental is ready to use. It must not be used concurrently.
type Incremental struct {
	refused bool
	state   state
	base    int64 // of the bytes that are being scanned
	depth   int   // open levels
	deepest int
	objects [(VerbatimDepth + 63) / 64]uint64 // which levels are objects
	inKey   bool                              // the open string is a name
	unit    uint32                            // the digits of \u that were read
	high    bool                              // the unit before was the first of a pair
	word    string                            // the rest of a literal
	partial []byte                            // an incomplete character at the end of the bytes before

	name     []byte // of the latest member of the response or its result, quotes included
	capture  bool   // the bytes of a member of the response or its result are kept
	from     int    // in the bytes that are being scanned
	piece    []byte // those that came before
	long     bool   // than maxPiece
	inResult bool   // its members are being read
	digest   []byte
	omitted  []string
	id       []byte
	result   [2]int64 // 0 before they are known
}

// A state is what an Incremental expects next.
type state uint8

const (
	atStart state = iota
	atValue
	atValueOrEnd // after the bracket of an array
	atName
	atNameOrEnd // after the brace of an object
	atColon
	atNext // after a value
	atEnd  // after the whole object
	inText
	inEscape
	inUnit    // after \u
	atLow     // after the first unit of a pair
	atLowMark // after its backslash
	inLiteral
	inMinus // the parts of a number
	inZero
	inInteger
	inPoint
	inFraction
	inExponent
	inSign
	inPower
)

// Write scans the next bytes, and reports whether the line was not refused.
func (s *Incremental) Write(p []byte) bool {
	if s.refused || !s.characters(p) {
		s.refused = true
		return false
	}
	s.from = 0
	for i := 0; i < len(p); {
		switch {
		case s.state == inText:
			i = s.text(p, i)
		case s.state > inText:
			i = s.inside(p, i)
		default:
			i = s.between(p, i)
		}
		if i < 0 {
			s.refused = true
			return false
		}
	}
	s.keep(p[s.from:])
	s.base += int64(len(p))
	return true
}

// Done reports whether all bytes are one response.
func (s *Incremental) Done() bool {
	return !s.refused && s.state == atEnd && s.result[1] > 0 && len(s.digest) <= maxDigest && len(s.partial) == 0
}

// ID returns the raw id, nil before all of it was scanned.
func (s *Incremental) ID() []byte { return s.id }

// Result returns the offsets where the result begins and ends. Either is 0 before
// it was scanned.
func (s *Incremental) Result() (begin, end int64) { return s.result[0], s.result[1] }

// Scanned returns how many bytes were accepted.
func (s *Incremental) Scanned() int64 { return s.base }

// Digest returns the message so far as one line, without those members of the
// result that are longer than 4 KiB.
func (s *Incremental) Digest() []byte {
	switch {
	case s.state == atStart:
		return []byte("{}")
	case s.state == atEnd:
		return s.digest
	case s.inResult:
		return append(slices.Clone(s.digest), "}}"...)
	}
	return append(slices.Clone(s.digest), '}')
}

// Omitted returns the names of the members that are not in the digest.
func (s *Incremental) Omitted() []string { return s.omitted }

// Message returns what Scan finds in the digest, with the depth of the whole line.
func (s *Incremental) Message() Message {
	m := Scan(s.Digest())
	m.Depth = uint16(s.deepest)
	return m
}

// characters reports whether p continues valid UTF-8.
func (s *Incremental) characters(p []byte) bool {
	for len(s.partial) > 0 && len(p) > 0 && !utf8.FullRune(s.partial) {
		s.partial, p = append(s.partial, p[0]), p[1:]
	}
	if len(s.partial) > 0 && utf8.FullRune(s.partial) {
		if !utf8.Valid(s.partial) {
			return false
		}
		s.partial = s.partial[:0]
	}
	whole := len(p)
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if last := p[len(p)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole = len(p) - back
				s.partial = append(s.partial, last...)
			}
			break
		}
	}
	return utf8.Valid(p[:whole])
}

// keep drops a member that is too long for a digest.
func (s *Incremental) keep(p []byte) {
	if !s.capture || s.long {
		return
	}
	if s.long = len(s.piece)+len(p) > maxPiece; !s.long {
		s.piece = append(s.piece, p...)
	}
}

// begin begins a member of the response or its result, whose name begins at i.
func (s *Incremental) begin(i int) {
	s.capture, s.long, s.from = true, false, i
	s.piece = s.piece[:0]
}

// named accepts the complete name of a member, and reports whether the line is still
// accepted.
func (s *Incremental) named(p []byte, end int) bool {
	s.keep(p[s.from:end])
	s.from = end
	if s.long || len(s.piece) > maxName || bytes.IndexByte(s.piece, '\\') >= 0 {
		return false
	}
	s.name = append(s.name[:0], s.piece...)
	if s.inResult {
		return true
	}
	switch string(s.name) {
	case `"method"`, `"params"`, `"error"`:
		return false
	case `"id"`:
		return s.id == nil
	case `"result"`:
		return s.result[0] == 0
	case `"jsonrpc"`:
		return !bytes.Contains(s.digest, s.name) // a duplicate is a problem
	}
	return true
}

// end ends a member of the response or its result, and reports whether the line is still
// accepted.
func (s *Incremental) end(p []byte, i int) bool {
	s.keep(p[s.from:i])
	s.capture = false
	switch {
	case s.long && !s.inResult:
		return false
	case s.long:
		s.omitted = append(s.omitted, string(s.name[1:len(s.name)-1]))
		return len(s.omitted) <= maxName
	case string(s.name) == `"id"` && !s.inResult:
		colon := len(s.name) + bytes.IndexByte(s.piece[len(s.name):], ':')
		s.id = bytes.Clone(bytes.TrimLeft(s.piece[colon+1:], " "))
	}
	s.separate('{')
	s.digest = append(s.digest, s.piece...)
	return len(s.digest) <= maxDigest
}

// separate appends a comma to the digest, unless a member is the first.
func (s *Incremental) separate(brace byte) {
	if s.digest[len(s.digest)-1] != brace {
		s.digest = append(s.digest, ',')
	}
}
