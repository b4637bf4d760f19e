package redact

import (
	"cmp"
	"sort"
	"unicode/utf16"
	"unicode/utf8"

	"mcpdbg/framing"
)

// An edit replaces the bytes from..to with text.
type edit struct {
	from, to int
	text     string
	rule     string
	place    string // for the report
}

// joined sorts edits and merges those that overlap. joint returns the text for a merged
// range.
func joined(edits []edit, joint func(from, to int) string) []edit {
	if len(edits) < 2 {
		return edits
	}
	sort.SliceStable(edits, func(i, j int) bool { return cmp.Or(edits[i].from-edits[j].from, edits[j].to-edits[i].to) < 0 })
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

func apply(dst, b []byte, edits []edit) []byte {
	at := 0
	for _, e := range edits {
		dst = append(dst, b[at:e.from]...)
		dst = append(dst, e.text...)
		at = e.to
	}
	return append(dst, b[at:]...)
}

// moved returns the offset of the byte at off after the edits: for a replaced byte,
// inside the new text or at its end.
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

// shifted moves edits of a part to the position of the part.
func shifted(edits []edit, by int) []edit {
	for i := range edits {
		edits[i].from += by
		edits[i].to += by
	}
	return edits
}

// outward converts edits of a decoded text to edits of its JSON string's content. The
// inserted text must not need escapes.
func outward(inside []byte, edits []edit) []edit {
	raw, text := 0, 0 // read so far
	to := func(off int, end bool) int {
		for raw < len(inside) && text < off {
			n, _, size := character(inside[raw:])
			if !end && text+size > off {
				break // inside a character: remove all of it
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

// unquoted appends the content of a JSON string. A lone surrogate becomes U+FFFD.
func unquoted(dst, inside []byte) []byte {
	for len(inside) > 0 {
		n, r, _ := character(inside)
		if r < 0 {
			dst = append(dst, inside[:n]...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		inside = inside[n:]
	}
	return dst
}

// character reads one character of the content of a JSON string. It returns its raw and
// decoded length, and the rune of an escape; -1 for a plain byte.
func character(s []byte) (raw int, r rune, size int) {
	r, n := framing.Escape(s)
	switch {
	case n == 0:
		return 1, -1, 1
	case utf16.IsSurrogate(r):
		r = utf8.RuneError
	}
	return n, r, utf8.RuneLen(r)
}
