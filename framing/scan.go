package framing

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

// MaxDepth is the deepest nesting that Scan follows, the same as encoding/json.
const MaxDepth = 10_000

// VerbatimDepth is the deepest nesting that a recording embeds unescaped; some
// JSON tools fail at 256, and one such line would make the file unreadable for
// them.
const VerbatimDepth = 200

// Scan classifies one line, without its newline, and finds the members of its
// JSON-RPC envelope. It validates every byte but decodes nothing, reads the
// line once, does not allocate, does not retain the line, and never fails: the
// message's Problems describe defects of the line. Members may come in any
// order; names are compared after decoding their escapes, and are case
// sensitive.
//
// The message is Verbatim if the bytes are one JSON object in valid UTF-8, at
// most VerbatimDepth deep, without a lone surrogate, with nothing before or
// after it and no byte below 0x20: it may then be embedded as it is in a line
// of a JSONL file.
//
// Lines of 4 GiB and more are not scanned: they are NotJSON and TooLong. Scan
// may be called from any goroutine.
func Scan(line []byte) Message {
	if beyondSpans(line) {
		return Message{Problems: ProblemNotJSON | ProblemTooLong}
	}
	// Clearing a stack for MaxDepth levels takes as long as scanning a small
	// message, so the few lines that are nested deeper than the bits of one
	// word are scanned again.
	var stack [1]uint64
	s := scanner{line: line, stack: stack[:]}
	if m := s.scan(); m.Problems&ProblemTooDeep == 0 {
		return m
	}
	return scanDeep(line)
}

func beyondSpans(line []byte) bool { return uint64(len(line)) > math.MaxUint32 }

// scanDeep is not inlined, so that Scan's own stack frame is small.
//
//go:noinline
func scanDeep(line []byte) Message {
	var stack [(MaxDepth + 63) / 64]uint64
	s := scanner{line: line, stack: stack[:]}
	return s.scan()
}

// A scanner holds the state of one pass over a line. Its methods take the offset where a
// token begins and return the offset after it, or -1 if it is malformed; bad and badDepth
// then hold the position.
type scanner struct {
	line     []byte
	stack    []uint64 // one bit per level, set for an object: see value
	high     uint64   // OR of all words read in strings: a top bit means not ASCII
	deepest  int
	found    Problem // Surrogate, Control, DuplicateKey, TooDeep
	bad      int     // of the first invalid byte
	badDepth int     // open levels there
}

func (s *scanner) scan() Message {
	var m Message
	start := 0
	if hasBOM(s.line) {
		start = len(bom)
	}
	first := s.space(start)
	var end int
	if first < len(s.line) && s.line[first] == '{' {
		end = s.object(first, &m)
	} else {
		end = s.value(first, 0)
	}
	if end < 0 {
		return s.broken(first, end)
	}
	last := s.space(end)
	if start > 0 || last < len(s.line) || s.high&highBits != 0 && !utf8.Valid(s.line) {
		return s.broken(first, end)
	}

	switch s.line[first] {
	case '{':
		m.Kind = m.kind()
	case '[':
		m.Kind = Batch
		s.found |= ProblemBatch
	default:
		m.Kind = Other
	}
	if first > 0 || end < len(s.line) {
		s.found |= ProblemSpace
	}
	m.Depth = uint16(s.deepest)
	m.Problems = s.found
	const hinder = ProblemSpace | ProblemControl | ProblemSurrogate
	m.Verbatim = s.line[first] == '{' && m.Depth <= VerbatimDepth && m.Problems&hinder == 0
	return m
}

// kind classifies an object by the members it has.
func (m *Message) kind() Kind {
	absent := Span{}
	switch {
	case m.Method != absent && m.ID != absent:
		return Request
	case m.Method != absent:
		return Notification
	case m.Result != absent:
		return Response
	case m.Error != absent:
		return ErrorResponse
	}
	return Other
}

// object records the positions of the members of the envelope. The brace is at i.
func (s *scanner) object(i int, m *Message) int {
	b := s.line
	s.deepest = 1
	i = s.space(i + 1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		nameAt := i + 1
		nameEnd, valueAt := s.key(i)
		if valueAt < 0 {
			return s.fail(s.bad, 1)
		}
		i = s.value(valueAt, 1)
		if i < 0 {
			return -1
		}
		if field := m.member(b[nameAt : nameEnd-1]); field != nil {
			if *field != (Span{}) {
				s.found |= ProblemDuplicateKey
			}
			*field = Span{uint32(valueAt), uint32(i)}
			if field == &m.Method && b[valueAt] == '"' {
				*field = Span{uint32(valueAt + 1), uint32(i - 1)}
			}
		}
		i = s.space(i)
		if i >= len(b) {
			return s.fail(i, 1)
		}
		switch b[i] {
		case ',':
			i = s.space(i + 1)
		case '}':
			return i + 1
		default:
			return s.fail(i, 1)
		}
	}
}

// member returns the field for a member of the envelope, nil for any other name.
func (m *Message) member(name []byte) *Span {
	switch string(name) {
	case "id":
		return &m.ID
	case "method":
		return &m.Method
	case "params":
		return &m.Params
	case "result":
		return &m.Result
	case "error":
		return &m.Error
	case "jsonrpc":
		return &m.JSONRPC
	}
	var decoded [maxMemberName]byte
	if plain, ok := decodeName(name, &decoded); ok {
		return m.member(plain)
	}
	return nil
}

func (s *scanner) fail(at, depth int) int {
	s.bad, s.badDepth = at, depth
	return -1
}

// RFC 8259 (section 8.1) forbids sending a byte order mark.
const bom = "\xef\xbb\xbf"

func hasBOM(line []byte) bool {
	return len(line) >= len(bom) && string(line[:len(bom)]) == bom
}

// LSP uses header lines and MCP does not.
var headerNames = []string{"content-length:", "content-type:"}

// broken returns the message for a line that is not a single JSON text. Its first value
// begins at first and ends at end, or is malformed if end is -1.
func (s *scanner) broken(first, end int) Message {
	line := s.line
	p := ProblemNotJSON | s.found
	if hasBOM(line) {
		p |= ProblemBOM
	}
	if !utf8.Valid(line) {
		p |= ProblemUTF8
	}
	if bytes.IndexByte(line, 0) >= 0 {
		p |= ProblemNUL
	}
	if hasControl(line) {
		p |= ProblemControl
	}
	switch {
	case first >= len(line):
		p |= ProblemBlank
	case end < 0 && s.bad >= len(line) && s.badDepth > 0:
		p |= ProblemMultiline
	case end >= 0 && (line[first] == '{' || line[first] == '[') && s.space(end) < len(line):
		p |= ProblemTrailing
	case isHeader(line):
		p |= ProblemHeader
	}
	return Message{Problems: p, Depth: uint16(s.deepest)}
}

func hasControl(line []byte) bool {
	return slices.ContainsFunc(line, func(c byte) bool { return c < 0x20 })
}

func isHeader(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	for _, name := range headerNames {
		if len(line) >= len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			return true
		}
	}
	return false
}
