package summary

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"mcpdbg/framing"
)

const (
	dots = "…"
	// shortText is the longest text in bytes that is shown with all its lines.
	shortText = 80
	// shortLine is the shortest first line in bytes that is shown for a long text.
	shortLine = 12
)

// A line is a text of limited length.
type line struct {
	b    []byte
	max  int // in bytes
	full bool
}

// String returns the text.
func (l *line) String() string { return string(l.b) }

func (l *line) reserve() {
	if l.b == nil {
		l.b = make([]byte, 0, 128)
	}
}

// add cuts a text that does not fit, and nothing can follow it.
func (l *line) add(s string) {
	if l.full {
		return
	}
	l.reserve()
	l.b = append(l.b, s...)
	if len(l.b) > l.max {
		l.b = append(cutRune(l.b[:l.max-len(dots)+1]), dots...)
		l.full = true
	}
}

// cutRune returns b without its last byte and the rest of its rune. Bytes that are not
// UTF-8 may be cut anywhere.
func cutRune(b []byte) []byte {
	end := len(b) - 1
	for back := range min(utf8.UTFMax, len(b)) {
		if utf8.RuneStart(b[end-back]) {
			return b[:end-back]
		}
	}
	return b[:end]
}

func (l *line) text(s str, most int) {
	if l.full || s.raw == nil {
		return
	}
	l.reserve()
	from := len(l.b)
	var cut bool
	l.b, cut = appendText(l.b, s, most)
	if cut {
		l.b = append(l.b, dots...)
	}
	if len(l.b) > l.max {
		added := string(l.b[from:])
		l.b = l.b[:from]
		l.add(added)
	}
}

func appendText(b []byte, s str, most int) (text []byte, cut bool) {
	from, first := len(b), 0 // where the text and its second line begin
	fold := true             // at the beginning of a line
	raw := s.raw
	for len(raw) > 0 && raw[0] != '"' && len(b)-from <= most {
		c, n := rune(raw[0]), 1
		if c == '\\' {
			if c, n = framing.Escape(raw); n == 0 {
				break
			}
		}
		switch {
		case c == '\n' || c == '\r':
			if !fold {
				b = append(b, ' ')
			}
			if fold = true; first == 0 && len(b)-from > shortLine {
				first = len(b)
			}
		case fold && (c == ' ' || c == '\t'):
		case c == '\t':
			b = append(b, ' ')
		case n == 1:
			b, fold = append(b, raw[0]), false
		default:
			b, fold = utf8.AppendRune(b, c), false
		}
		raw = raw[n:]
	}
	cut = len(b)-from > most
	if cut {
		b = cutRune(b[:from+most+1])
	}
	if long := len(b)-from > shortText || !s.whole; long && first > 0 && first < len(b) && b[from] != '{' && b[from] != '[' {
		b, cut = b[:first], true
	}
	trimmed := from + len(bytes.TrimRight(b[from:], " "))
	return b[:trimmed], cut || !s.whole
}

func (l *line) quote(s str, most int) {
	l.add(`"`)
	l.text(s, most)
	l.add(`"`)
}

// size appends a number of bytes, such as 612 B, 1.6K, 18K or 102 MB.
func (l *line) size(n int64) {
	if n < 1000 {
		l.add(strconv.FormatInt(n, 10) + " B")
		return
	}
	value, unit := float64(n)/1024, "K"
	for _, larger := range []string{" MB", " GB", " TB"} {
		if value < 999.5 {
			break
		}
		value, unit = value/1024, larger
	}
	digits := 0
	if value < 9.95 {
		digits = 1
	}
	l.add(strconv.FormatFloat(value, 'f', digits, 64) + unit)
}

func (l *line) rest(r *reader) {
	if !r.end || r.full == 0 {
		return
	}
	l.separate(", ")
	l.size(r.full)
}

func (l *line) separate(by string) {
	if len(l.b) > 0 {
		l.add(by)
	}
}

func (l *line) count(n int, one, many string) {
	switch n {
	case 0:
		l.add("no " + many)
	case 1:
		l.add("1 " + one)
	default:
		l.add(strconv.Itoa(n) + " " + many)
	}
}

func textSize(s str) int64 {
	n := int64(len(s.raw))
	for raw := s.raw; ; {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return n
		}
		c, used := framing.Escape(raw[i:])
		if used == 0 {
			return n
		}
		n -= int64(used - utf8.RuneLen(max(c, 0)))
		raw = raw[i+used:]
	}
}
