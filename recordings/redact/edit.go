package redact

import (
	"cmp"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// An edit puts text in the place of the bytes from..to.
type edit struct {
	from, to int
	text     string
	rule     string // which found it
	place    string // where, for the report
}

// joined sorts edits and joins those that overlap, so that nothing of what one
// of them was to remove stays. joint gives the text for what several cover.
func joined(edits []edit, joint func(from, to int) string) []edit {
	if len(edits) < 2 {
		return edits
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	out := edits[:1]
	for _, e := range edits[1:] {
		last := &out[len(out)-1]
		switch {
		case e.from >= last.to:
			out = append(out, e)
		case e.to > last.to:
			last.to = e.to
			last.text = joint(last.from, last.to)
		}
	}
	return out
}

// apply appends b with its edits made.
func apply(dst, b []byte, edits []edit) []byte {
	at := 0
	for _, e := range edits {
		dst = append(dst, b[at:e.from]...)
		dst = append(dst, e.text...)
		at = e.to
	}
	return append(dst, b[at:]...)
}

// moved is where the byte at off is when the edits are made; of what is
// replaced, a place inside of the new text, or behind it.
func moved(edits []edit, off int) int {
	shift := 0
	for _, e := range edits {
		if e.from >= off {
			break
		}
		if off < e.to {
			return e.from + shift + min(off-e.from, len(e.text))
		}
		shift += len(e.text) - (e.to - e.from)
	}
	return off + shift
}

// shifted moves edits of a part of a text to where the part begins.
func shifted(edits []edit, by int) []edit {
	for i := range edits {
		edits[i].from += by
		edits[i].to += by
	}
	return edits
}

// outward makes edits of a text edits of the inside of the JSON string that
// stands for it, whose bytes around them stay as they are. What is put in is to
// need no escapes.
func outward(inside []byte, edits []edit) []edit {
	raw, text := 0, 0 // read so far
	to := func(off int, end bool) int {
		for raw < len(inside) && text < off {
			n, _, size := character(inside[raw:])
			if !end && text+size > off {
				break // the middle of a character: all of it goes
			}
			raw, text = raw+n, text+size
		}
		return raw
	}
	for i := range edits {
		edits[i].from = to(edits[i].from, false)
		edits[i].to = to(edits[i].to, true)
	}
	return edits
}

// unquoted appends what the inside of a JSON string stands for. A lone
// surrogate becomes U+FFFD.
func unquoted(dst, inside []byte) []byte {
	for len(inside) > 0 {
		n, r, size := character(inside)
		if r < 0 {
			dst = append(dst, inside[:n]...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		_ = size
		inside = inside[n:]
	}
	return dst
}

// character reads one character of the inside of a JSON string: how many bytes
// it has there and decoded, and what an escape stands for; -1 for a plain byte.
func character(s []byte) (raw int, r rune, size int) {
	if s[0] != '\\' || len(s) == 1 {
		return 1, -1, 1
	}
	switch s[1] {
	case 'b':
		return 2, '\b', 1
	case 'f':
		return 2, '\f', 1
	case 'n':
		return 2, '\n', 1
	case 'r':
		return 2, '\r', 1
	case 't':
		return 2, '\t', 1
	case 'u':
		return unicodeEscape(s)
	}
	return 2, rune(s[1]), 1
}

// unicodeEscape reads \uXXXX, or two of them if they are a pair of surrogates.
func unicodeEscape(s []byte) (raw int, r rune, size int) {
	r, ok := hex4(s)
	if !ok {
		return 1, -1, 1
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(s[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return 12, pair, utf8.RuneLen(pair)
			}
		}
		r = utf8.RuneError
	}
	return 6, r, utf8.RuneLen(r)
}

func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
