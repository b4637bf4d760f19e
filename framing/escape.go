package framing

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Escape reads the escape sequence at the beginning of b, which is part of a JSON
// string. It returns the rune that it represents and its length in bytes; two
// sequences for a pair of surrogates count as one, and a lone surrogate is its own
// rune. The length is 0 if b does not begin with a valid, complete sequence.
func Escape(b []byte) (r rune, n int) {
	if len(b) < 2 || b[0] != '\\' {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		unit, end := hex4(b, 2)
		if end < 6 {
			return 0, 0
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			low, end := hex4(b, 8)
			if pair := utf16.DecodeRune(rune(unit), rune(low)); end == 12 && pair != utf8.RuneError {
				return pair, 12
			}
		}
		return rune(unit), 6
	}
	return 0, 0
}
