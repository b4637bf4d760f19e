package replay

import (
	"bytes"
	"encoding/json"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
)

// maxDepth is the deepest nesting that is looked into.
const maxDepth = 200

// readable tells whether a value is JSON that the functions below may read.
func readable(value []byte) bool {
	m := framing.Scan(value)
	return m.Valid() && m.Depth <= maxDepth
}

// put is a readable object with another value for a member that it has; all its
// other bytes stay.
func put(object []byte, name string, value []byte) []byte {
	old := match.Member(object, name)
	if old == nil {
		return object
	}
	start := cap(object) - cap(old) // old is a slice of object
	out := append([]byte(nil), object[:start]...)
	return append(append(out, value...), object[start+len(old):]...)
}

// without is a readable object without those members that drop says; all its
// other bytes stay, in their order.
func without(object []byte, drop func(name string) bool) []byte {
	s := scanner{b: object}
	if s.space(); s.b[s.i] != '{' {
		return object
	}
	out := []byte{'{'}
	s.i++
	for s.space(); s.b[s.i] != '}'; s.space() {
		start := s.i
		var name string
		_ = json.Unmarshal(s.str(), &name) // readable
		s.space()
		s.skip()
		if drop(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, object[start:s.i]...)
	}
	return append(out, '}')
}

// A scanner goes over a readable value.
type scanner struct {
	b []byte
	i int
}

// space goes over white space, commas and colons.
func (s *scanner) space() {
	for bytes.IndexByte([]byte(" \t\r\n,:"), s.b[s.i]) >= 0 {
		s.i++
	}
}

// str reads a string and returns it with its quotes.
func (s *scanner) str() []byte {
	start := s.i
	for s.i++; s.b[s.i] != '"'; s.i++ {
		if s.b[s.i] == '\\' {
			s.i++
		}
	}
	s.i++
	return s.b[start:s.i]
}

// skip goes over one value.
func (s *scanner) skip() {
	for depth := 0; ; {
		switch s.b[s.i] {
		case '"':
			s.str()
		case '{', '[':
			depth++
			s.i++
		case '}', ']':
			depth--
			s.i++
		default:
			for bytes.IndexByte([]byte(",:]} \t\r\n"), s.b[s.i]) < 0 {
				s.i++
			}
		}
		if depth == 0 {
			return
		}
		s.space()
	}
}
