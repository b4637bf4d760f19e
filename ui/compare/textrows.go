package compare

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"mcpdbg/recordings/match"
)

// maxText is the maximum size in bytes of a text with aligned lines. In a larger one
// everything between the equal beginning and end differs.
const maxText = 256 << 10

// foldedContext is how many equal lines stay next to a different one when at least two
// others are folded.
const foldedContext = 2

// textLines returns the lines of two texts, one of which may be missing. ok reports
// whether to compare them line by line.
func textLines(a, b []byte) (left, right []string, ok bool) {
	textA, okA := match.Text(a)
	textB, okB := match.Text(b)
	if a != nil && !okA || b != nil && !okB || !strings.Contains(textA, "\n") && !strings.Contains(textB, "\n") {
		return nil, nil, false
	}
	if a != nil {
		left = strings.Split(textA, "\n")
	}
	if b != nil {
		right = strings.Split(textB, "\n")
	}
	return left, right, true
}

type textRows struct {
	*valueRower
	left, right []string
	changed     valueRow
	i, j        int // the next lines
}

func (t *textRows) lines() {
	for _, hunk := range hunks(t.left, t.right) {
		t.equal(hunk.from - t.i)
		t.differing(hunk.removed, hunk.added)
	}
	t.equal(len(t.left) - t.i)
}

// equal lays out n equal lines. Those in the middle are folded.
func (t *textRows) equal(n int) {
	before, after := foldedContext, foldedContext
	if t.i == 0 {
		before = 0
	}
	if t.i+n == len(t.left) {
		after = 0
	}
	if hidden := n - before - after; !t.all && hidden >= 2 {
		t.same(before)
		text := fmt.Sprintf("(%d lines)", hidden)
		t.add(valueRow{Pointer: t.changed.Pointer, Depth: t.changed.Depth, Left: text, Right: text})
		t.i, t.j, n = t.i+hidden, t.j+hidden, after
	}
	t.same(n)
}

func (t *textRows) same(n int) {
	for range n {
		text := short(t.left[t.i])
		t.add(valueRow{Pointer: t.changed.Pointer, Depth: t.changed.Depth, Left: text, Right: text, Text: true})
		t.i, t.j = t.i+1, t.j+1
		if t.full() {
			return
		}
	}
}

func (t *textRows) differing(removed, added int) {
	for n := range max(removed, added) {
		if t.full() {
			break
		}
		row := t.changed
		row.Only = onlyOn(n < removed, n < added)
		if n < removed {
			row.Left = t.left[t.i+n]
		}
		if n < added {
			row.Right = t.right[t.j+n]
		}
		t.add(t.withoutEqual(row))
	}
	t.i, t.j = t.i+removed, t.j+added
}

type hunk struct{ from, removed, added int }

func hunks(left, right []string) (found []hunk) {
	start, end := 0, 0
	for start < min(len(left), len(right)) && left[start] == right[start] {
		start++
	}
	for end < min(len(left), len(right))-start && left[len(left)-1-end] == right[len(right)-1-end] {
		end++
	}
	a, b := joined(left[start:len(left)-end]), joined(right[start:len(right)-end])
	if len(a) > maxText || len(b) > maxText {
		return []hunk{{start, len(left) - end - start, len(right) - end - start}}
	}
	line, at := start, 0
	for _, edit := range udiff.Lines(string(a), string(b)) {
		line += bytes.Count(a[at:edit.Start], []byte{'\n'})
		removed := bytes.Count(a[edit.Start:edit.End], []byte{'\n'})
		found = append(found, hunk{line, removed, strings.Count(edit.New, "\n")})
		line, at = line+removed, edit.End
	}
	return found
}

func joined(lines []string) []byte {
	var text []byte
	for _, line := range lines {
		text = append(append(text, line...), '\n')
	}
	return text
}

// maxLine is the maximum size in bytes of both sides of a line with compared words.
const maxLine = 1 << 10

// A textSpan is a part of a line, in bytes.
type textSpan struct{ From, To int }

// differingWords returns the words that differ between the sides of a line, none for long lines or
// without an equal word.
func differingWords(a, b string) (left, right []textSpan) {
	if len(a)+len(b) > maxLine || strings.Contains(a+b, "\n") || !utf8.ValidString(a) || !utf8.ValidString(b) {
		return nil, nil
	}
	wordsA, wordsB := words(a), words(b)
	var i, j, atA, atB int // the next words, and where they begin
	for _, h := range hunks(wordsA, wordsB) {
		equal := size(wordsA[i:h.from])
		from, to := atA+equal, atB+equal
		i, j = h.from, j+h.from-i
		atA, atB = from+size(wordsA[i:i+h.removed]), to+size(wordsB[j:j+h.added])
		left, right = appendSpan(left, from, atA), appendSpan(right, to, atB)
		i, j = i+h.removed, j+h.added
	}
	if covers(left, a) && covers(right, b) {
		return nil, nil
	}
	return left, right
}

func appendSpan(spans []textSpan, from, to int) []textSpan {
	if from == to {
		return spans
	}
	return append(spans, textSpan{from, to})
}

func size(words []string) (n int) {
	for _, word := range words {
		n += len(word)
	}
	return n
}

// words splits a text into words and the text between them, each character with its marks.
func words(text string) (all []string) {
	start, was := 0, false
	for i, r := range text {
		if is := inWord(r); i > start && !unicode.IsMark(r) && (!is || !was) {
			all, start = append(all, text[start:i]), i
		}
		was = inWord(r)
	}
	return append(all, text[start:])
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func covers(spans []textSpan, text string) bool {
	return text == "" || len(spans) == 1 && spans[0] == textSpan{0, len(text)}
}
