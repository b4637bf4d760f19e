package message

import "mcpdbg/internal/wording"

// MaxExcerpt is how many bytes of a text Excerpt keeps.
const MaxExcerpt = 120

// Excerpt returns the beginning of text, cut between runes, for a detail.
func Excerpt[T string | []byte](text T) string {
	return wording.Clip(text, MaxExcerpt, wording.Ellipsis)
}
