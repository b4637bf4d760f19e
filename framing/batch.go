package framing

import "iter"

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
