package framing

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Members iterates over the members of a JSON object, yielding the span of each
// name, with its quotes, and that of its value. It stops at the first invalid
// member.
func Members(object []byte) iter.Seq2[Span, Span] {
	return func(yield func(name, value Span) bool) { members(object, yield) }
}

func members(object []byte, yield func(name, value Span) bool) {
	if beyondSpans(object) {
		return
	}
	var stack [1]uint64
	s := scanner{line: object, stack: stack[:]}
	i := s.space(0)
	if i >= len(object) || object[i] != '{' {
		return
	}
	for i = s.space(i + 1); i < len(object); i = s.space(i + 1) {
		nameEnd, at := s.key(i)
		if at < 0 {
			return
		}
		end := s.inner(at)
		if end < 0 || !yield(Span{uint32(i), uint32(nameEnd)}, Span{uint32(at), uint32(end)}) {
			return
		}
		if i = s.space(end); i >= len(object) || object[i] != ',' {
			return
		}
	}
}

// As in Scan, few values are nested deeper than the bits of one word.
func (s *scanner) inner(i int) int {
	end := s.value(i, 1)
	if end < 0 && s.found&ProblemTooDeep != 0 {
		return deepValue(s.line, i)
	}
	return end
}

//go:noinline
func deepValue(line []byte, i int) int {
	var stack [(MaxDepth + 63) / 64]uint64
	s := scanner{line: line, stack: stack[:]}
	return s.value(i, 1)
}

// Member returns the span of the value of the named member of a JSON object; of
// several members the last one, as most parsers do. Names are compared without
// decoding escapes. The zero Span means that there is no such member, or that
// the object is not valid up to it.
func Member(object []byte, name string) (value Span) {
	for key, at := range Members(object) {
		if string(object[key.Start+1:key.End-1]) == name {
			value = at
		}
	}
	return value
}

// Elements iterates over the elements of a line of kind Batch, yielding the
// span of each without surrounding white space. Scan an element with
// Scan(span.Of(line)). If the line is not a valid array, it stops at the first
// invalid element.
func Elements(line []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) { elements(line, yield) }
}

func elements(line []byte, yield func(Span) bool) {
	if beyondSpans(line) {
		return
	}
	var stack [1]uint64
	s := scanner{line: line, stack: stack[:]}
	i := s.space(0)
	if i >= len(line) || line[i] != '[' {
		return
	}
	i = s.space(i + 1)
	if i < len(line) && line[i] == ']' {
		return
	}
	for {
		end := s.inner(i)
		if end < 0 || !yield(Span{uint32(i), uint32(end)}) {
			return
		}
		i = s.space(end)
		if i >= len(line) || line[i] != ',' {
			return
		}
		i = s.space(i + 1)
	}
}

// Pick returns a JSON object with those members of object that encoding/json
// would decode into fields with the given names: it ignores case, and the last
// of several wins. Decoding the rest of a large object would validate it twice and
// copy parts of it. The object must be valid; for any other value Pick
// returns an object without members. The order and the bytes of the members are
// kept.
func Pick(object []byte, names ...string) []byte {
	out := []byte{'{'}
	for key, value := range Members(object) {
		if !isNamed(key.Of(object), names) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key.Of(object)...), ':'), value.Of(object)...)
	}
	return append(out, '}')
}

// IDValue returns the bytes by which an id or a token is compared: its raw bytes with the
// escapes of a string decoded, unless one is half of a surrogate pair: all of these are
// decoded alike.
func IDValue(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '"' || bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var text string
	if json.Unmarshal(raw, &text) != nil || strings.ContainsRune(text, utf8.RuneError) {
		return raw
	}
	return []byte(`"` + text + `"`)
}

// isNamed reports whether a raw key, quotes included, is one of names.
func isNamed(key []byte, names []string) bool {
	name := key[1 : len(key)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var decoded string
		if json.Unmarshal(key, &decoded) != nil {
			return false
		}
		name = []byte(decoded)
	}
	return slices.ContainsFunc(names, func(n string) bool { return bytes.EqualFold(name, []byte(n)) })
}
