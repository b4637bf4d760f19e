package message

import "unicode/utf8"

// MaxExcerpt is how many bytes of a text Excerpt keeps.
const MaxExcerpt = 120

// Excerpt returns the beginning of text, cut between runes, for a detail.
func Excerpt[T string | []byte](text T) string {
	if len(text) <= MaxExcerpt {
		return string(text)
	}
	end := MaxExcerpt
	for end > MaxExcerpt-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "…"
}
