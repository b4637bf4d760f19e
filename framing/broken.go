package framing

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// bom is the UTF-8 byte order mark. RFC 8259 (section 8.1) forbids sending it.
const bom = "\xef\xbb\xbf"

func hasBOM(line []byte) bool {
	return len(line) >= len(bom) && string(line[:len(bom)]) == bom
}

// headerNames are the prefixes of header lines, which LSP uses and MCP does
// not.
var headerNames = []string{"content-length:", "content-type:"}

// broken returns the message for a line that is not a single JSON text. Its
// first value begins at first and ends at end, or is malformed if end is -1.
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
