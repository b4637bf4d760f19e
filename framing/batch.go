package framing

import "iter"

// Elements walks the elements of a batch, a line of which Scan said that its
// kind is Batch, giving the span of each without the white space around it; an
// element is scanned in its turn with Scan(span.Of(line)). On a line that is no
// valid array it stops at the first element that is wrong.
func Elements(line []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) { elements(line, yield) }
}

func elements(line []byte, yield func(Span) bool) {
	if beyondSpans(line) {
		return
	}
	var stack [(MaxDepth + 63) / 64]uint64
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
		end := s.value(i, 1)
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
