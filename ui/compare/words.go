package compare

import (
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// maxLine is the maximum size in bytes of both sides of a line with compared words.
const maxLine = 1 << 10

// A textSpan is a part of a line, in bytes.
type textSpan struct{ From, To int }

// differingWords returns the words that differ between the sides of a line, none for long lines or
// without an equal word.
func differingWords(a, b string) (left, right []textSpan) {
	if len(a)+len(b) > maxLine || !utf8.ValidString(a) || !utf8.ValidString(b) {
		return nil, nil
	}
	moved := 0
	for _, edit := range udiff.Strings(a, b) {
		removed := a[edit.Start:edit.End]
		from := edit.Start + moved
		left = widened(left, a, edit.Start, edit.End, edit.New)
		right = widened(right, b, from, from+len(edit.New), removed)
		moved += len(edit.New) - len(removed)
	}
	if covers(left, a) && covers(right, b) {
		return nil, nil
	}
	return left, right
}

// widened appends the words of a text that a change touches; an empty change counts as
// the other side's.
func widened(spans []textSpan, text string, from, to int, other string) []textSpan {
	changed := text[from:to]
	if changed == "" {
		changed = other
	}
	if first, _ := utf8.DecodeRuneInString(changed); inWord(first) {
		for from > 0 {
			r, size := utf8.DecodeLastRuneInString(text[:from])
			if !inWord(r) {
				break
			}
			from -= size
		}
	}
	if last, _ := utf8.DecodeLastRuneInString(changed); inWord(last) {
		for to < len(text) {
			r, size := utf8.DecodeRuneInString(text[to:])
			if !inWord(r) {
				break
			}
			to += size
		}
	}
	for to < len(text) { // a mark belongs to the character before it
		r, size := utf8.DecodeRuneInString(text[to:])
		if !unicode.IsMark(r) {
			break
		}
		to += size
	}
	switch n := len(spans); {
	case from == to:
	case n > 0 && from <= spans[n-1].To:
		spans[n-1].To = max(spans[n-1].To, to)
	default:
		spans = append(spans, textSpan{from, to})
	}
	return spans
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func covers(spans []textSpan, text string) bool {
	return text == "" || len(spans) == 1 && spans[0] == textSpan{0, len(text)}
}
