package shape

import (
	"bytes"
	"unicode/utf8"

	"mcpdbg/framing"
)

// The functions below step over JSON that is known to be valid. On anything else
// they return some position in b, and never one beyond its end.

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

func quoted(b []byte, i int) int {
	for i++; i < len(b); i++ {
		at := bytes.IndexByte(b[i:], '"')
		if at < 0 {
			return len(b)
		}
		end := i + at
		slashes := 0
		for end-slashes > i && b[end-slashes-1] == '\\' {
			slashes++
		}
		if i = end; slashes%2 == 0 {
			return end + 1
		}
	}
	return len(b)
}

func skip(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = quoted(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default:
			i = word(b, i)
		}
		if depth <= 0 {
			break
		}
	}
	return min(i, len(b))
}

func word(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ',', ':', '}', ']', '"', '{', '[', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}

// next returns where the next element of an object or array begins, after the
// opening bracket or an element that ends at i. It is not ok at the closing one;
// then at is behind it.
func next(b []byte, i int) (at int, ok bool) {
	i = space(b, i)
	if i < len(b) && b[i] == ',' {
		i = space(b, i+1)
	}
	if i >= len(b) {
		return len(b), false
	}
	if b[i] == '}' || b[i] == ']' {
		return i + 1, false
	}
	return i, true
}

func name(b []byte, i int) (name []byte, at int) {
	end := quoted(b, i)
	if end-i < 2 {
		return nil, end
	}
	name = b[i+1 : end-1]
	i = space(b, end)
	if i < len(b) && b[i] == ':' {
		i = space(b, i+1)
	}
	return name, i
}

const maxName = 64

// plain returns a string without its escapes; buf is used if there are any. A string that
// is too long for buf is returned as it is.
func plain(raw []byte, buf *[maxName]byte) []byte {
	at := bytes.IndexByte(raw, '\\')
	if at < 0 || len(raw) > len(buf)-8 {
		return raw
	}
	out := append(buf[:0], raw[:at]...)
	for i := at; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		r, n := framing.Escape(raw[i:])
		if n <= 0 {
			return raw
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	return out
}

// find returns where the value of the named member of the object at i begins, 0 if
// it has none. Of several members it is the last one.
func find(b []byte, i int, wanted string) (found int) {
	var buf [maxName]byte
	for i, ok := next(b, i+1); ok; i, ok = next(b, i) {
		if b[i] != '"' {
			return found
		}
		n, at := name(b, i)
		if string(plain(n, &buf)) == wanted {
			found = at
		}
		i = skip(b, at)
	}
	return found
}
