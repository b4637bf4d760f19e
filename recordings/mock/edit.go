package mock

import (
	"bytes"

	"mcpdbg/framing"
)

// An edit puts other bytes in the place of a span of a message.
type edit struct {
	span framing.Span
	with []byte
}

// edits are in the order of their spans, which don't overlap.
type edits []edit

// appendTo appends the message with the edits made.
func (all edits) appendTo(dst, message []byte) []byte {
	at := uint32(0)
	for _, e := range all {
		dst = append(dst, message[at:e.span.Start]...)
		dst = append(dst, e.with...)
		at = e.span.End
	}
	return append(dst, message[at:]...)
}

// moved is where the byte at off of the message is after the edits. What was
// inside an edit is at its end.
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

// find is where the value of a member stands in a valid JSON object: the last
// of that name, written without escapes. The zero Span is none. Further names
// are of members of that member.
func find(message []byte, in framing.Span, names ...string) framing.Span {
	for _, name := range names {
		in = member(message, in, name)
		if in == (framing.Span{}) {
			break
		}
	}
	return in
}

func member(b []byte, in framing.Span, name string) framing.Span {
	if in == (framing.Span{}) || b[in.Start] != '{' {
		return framing.Span{}
	}
	var got framing.Span
	for i := skipSpace(b, int(in.Start)+1); b[i] != '}'; {
		if b[i] == ',' {
			i = skipSpace(b, i+1)
		}
		end := skipString(b, i)
		is := string(b[i+1:end-1]) == name
		i = skipSpace(b, skipSpace(b, end)+1) // behind the colon
		end = skipValue(b, i)
		if is {
			got = framing.Span{Start: uint32(i), End: uint32(end)}
		}
		i = skipSpace(b, end)
	}
	return got
}

func skipSpace(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n' {
		i++
	}
	return i
}

// skipString skips the string that begins at i.
func skipString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue skips a value inside an object.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
	default:
		return i + bytes.IndexAny(b[i:], " \t\r\n,}]")
	}
	for depth := 0; ; {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		if depth == 0 {
			return i
		}
	}
}
