package mock

import "mcpdbg/framing"

type edit struct {
	span framing.Span
	with []byte
}

// edits are in the order of their spans, which do not overlap.
type edits []edit

func (all edits) appendTo(dst, message []byte) []byte {
	at := uint32(0)
	for _, e := range all {
		dst = append(dst, message[at:e.span.Start]...)
		dst = append(dst, e.with...)
		at = e.span.End
	}
	return append(dst, message[at:]...)
}

// moved returns where the byte at off is after the edits: for an edited span its end.
func (all edits) moved(off uint64) uint64 {
	by := 0
	for _, e := range all {
		switch {
		case off >= uint64(e.span.End):
			by += len(e.with) - int(e.span.End-e.span.Start)
		case off > uint64(e.span.Start):
			return uint64(int(e.span.Start) + by + len(e.with))
		}
	}
	return uint64(int(off) + by)
}

// find returns the span of a member's value in a valid JSON object: the last member with
// that name, written without escapes. Further names are those of nested members. The zero
// Span means not found.
func find(message []byte, in framing.Span, names ...string) framing.Span {
	for _, name := range names {
		found := framing.Member(in.Of(message), name)
		if found == (framing.Span{}) {
			return found
		}
		in = framing.Span{Start: in.Start + found.Start, End: in.Start + found.End}
	}
	return in
}
