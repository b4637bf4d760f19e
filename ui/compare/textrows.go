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
			row.Left = short(t.left[t.i+n])
		}
		if n < added {
			row.Right = short(t.right[t.j+n])
		}
		t.add(row)
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
