package framing

// Member finds the member of a JSON object that has a name and returns where its
// value is; of several the last one, which is what most readers take. Names are
// compared as they stand in the text, escapes not decoded. The zero Span means
// that there is none, or that the object is not valid up to there.
func Member(object []byte, name string) (value Span) {
	if beyondSpans(object) {
		return Span{}
	}
	var stack [(MaxDepth + 63) / 64]uint64
	s := scanner{line: object, stack: stack[:]}
	i := s.space(0)
	if i >= len(object) || object[i] != '{' {
		return Span{}
	}
	for i = s.space(i + 1); i < len(object); i = s.space(i + 1) {
		begin := i + 1
		nameEnd, at := s.key(i)
		if at < 0 {
			return value
		}
		end := s.value(at, 1)
		if end < 0 {
			return value
		}
		if string(object[begin:nameEnd-1]) == name {
			value = Span{uint32(at), uint32(end)}
		}
		if i = s.space(end); i >= len(object) || object[i] != ',' {
			return value
		}
	}
	return value
}
