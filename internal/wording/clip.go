package wording

import (
	"strings"
	"unicode/utf8"
)

// The marks of a text that was shortened.
const (
	Ellipsis = "…"
	Dots     = "..."
)

// Cut returns at most the first limit bytes of a text, without splitting a character.
// Bytes that are not UTF-8 may be cut anywhere.
func Cut[T string | []byte](text T, limit int) T {
	limit = max(limit, 0)
	if len(text) <= limit {
		return text
	}
	for back := range min(utf8.UTFMax, limit+1) {
		if utf8.RuneStart(text[limit-back]) {
			return text[:limit-back]
		}
	}
	return text[:limit]
}

// Clip is Cut with a mark after a text that was cut.
func Clip[T string | []byte](text T, limit int, mark string) string {
	if len(text) <= limit {
		return string(text)
	}
	return string(Cut(text, limit)) + mark
}

// ClipValid is Clip, but a cut text is valid UTF-8.
func ClipValid(text string, limit int, mark string) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:max(limit, 0)], "") + mark
}

// Whole returns the length of text without an incomplete character at its end.
func Whole(text []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(text) - i
			}
			break
		}
	}
	return len(text)
}

// Tail returns the last limit bytes, with dots before a cut text, maybe cut amid a
// character.
func Tail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return Dots + text[len(text)-limit:]
}

// FirstLine returns the first line, without blanks around the text.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// OneLine replaces tabs and line breaks by blanks.
func OneLine(text string) string {
	if !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
}
