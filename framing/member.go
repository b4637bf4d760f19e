package framing

import "iter"

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

// inner skips one value of an object or array. As in Scan, few values are nested deeper
// than the bits of one word.
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
