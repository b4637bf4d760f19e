package export

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible escapes control characters, escape sequences, bidirectional and invisible
// characters, and invalid UTF-8. Newlines and tabs stay.
func visible(text string) string {
	plain := true
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\n' && r != '\t' {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n', r == '\t', unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// clipped truncates a text to limit bytes, between characters.
func clipped(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// wholeCharacters drops an incomplete character at the end of text.
func wholeCharacters(text []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
