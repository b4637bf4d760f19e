package compare

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
)

const (
	// plainText is the longest text in bytes that is shown as a whole, without the place
	// where it differs.
	plainText = 80
	// textAround and textChanged are the most characters of the equal and of the
	// differing part that are shown.
	textAround  = 30
	textChanged = 40
	// textPlaces is how many places of a text are listed.
	textPlaces = 5
)

// A TextPlace is where two texts first differ, apart from what usually differs.
type TextPlace struct {
	Character int    `json:"character"`        // in the text of the first session, from 1
	Line      int    `json:"line,omitempty"`   // if one of the texts has several lines, from 1
	Column    int    `json:"column,omitempty"` // of the character in its line, from 1
	A         string `json:"a"`                // what differs in brackets, with the text around it
	B         string `json:"b"`
	// Of a text of one line that differs in several places: further ones, at most 4, and
	// their number with the first.
	More   []TextPlace `json:"more,omitempty"`
	Places int         `json:"places,omitempty"`

	differs [2]string
}

// String returns the place in words.
func (p *TextPlace) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("line %s, column %s", wording.Thousands(p.Line), wording.Thousands(p.Column))
	}
	return "character " + wording.Thousands(p.Character)
}

// Changed returns what differs in both texts, at most 40 characters of each.
func (p *TextPlace) Changed() (a, b string) { return p.differs[0], p.differs[1] }

// placeOf returns nil for short texts of one line.
func placeOf(a, b string, exact bool) *TextPlace {
	lines := strings.Contains(a, "\n") || strings.Contains(b, "\n")
	if !lines && len(a) <= plainText && len(b) <= plainText {
		return nil
	}
	i, j, end := DifferingPart(a, b, exact)
	if !exact && i == len(a) && j == len(b) { // what usually differs is all that does
		i, j, end = DifferingPart(a, b, true)
	}
	place := newPlace(a, b, textSpan{i, len(a) - end, j, len(b) - end})
	if lines {
		place.Line = strings.Count(a[:i], "\n") + 1
		place.Column = utf8.RuneCountInString(a[strings.LastIndexByte(a[:i], '\n')+1:i]) + 1
	}
	return place
}

// A textSpan is a part of both texts.
type textSpan struct{ fromA, toA, fromB, toB int }

func newPlace(a, b string, s textSpan) *TextPlace {
	place := &TextPlace{Character: utf8.RuneCountInString(a[:s.fromA]) + 1}
	place.A, place.differs[0] = excerptAt(a, s.fromA, len(a)-s.toA)
	place.B, place.differs[1] = excerptAt(b, s.fromB, len(b)-s.toB)
	return place
}

// allPlaces is placeOf with all places of texts of one line, which are compared word by word.
func allPlaces(a, b string, exact bool) *TextPlace {
	place := placeOf(a, b, exact)
	if place == nil || place.Line > 0 || max(len(a), len(b)) > maxText {
		return place
	}
	spans := changedWords(a, b, exact)
	if len(spans) < 2 {
		return place
	}
	for n, s := range spans[:min(len(spans), textPlaces)] {
		i, j, end := DifferingPart(a[s.fromA:s.toA], b[s.fromB:s.toB], true)
		next := newPlace(a, b, textSpan{s.fromA + i, s.toA - end, s.fromB + j, s.toB - end})
		switch {
		case n > 0:
			place.More = append(place.More, *next)
		case next.Character == place.Character: // with what differs here only
			place = next
		}
	}
	place.Places = len(spans)
	return place
}

// changedWords returns where the words of two texts differ, apart from what usually does.
func changedWords(a, b string, exact bool) (spans []textSpan) {
	_, _, end := DifferingPart(a, b, true)
	start := strings.LastIndexByte(a[:equalStart(a, b)], ' ') + 1
	if word := strings.IndexByte(a[len(a)-end:], ' '); word >= 0 {
		end -= word
	} else {
		end = 0
	}
	lines := func(text string) string { return strings.ReplaceAll(text[start:max(len(text)-end, start)], " ", "\n") }
	edits := udiff.Lines(lines(a), lines(b))
	fromA, fromB := start, start
	for n, e := range edits {
		next := len(a)
		if n+1 < len(edits) {
			next = start + edits[n+1].Start
		}
		// A time may be several words, of which one differs: 12 ms.
		equal := start + e.Start - fromA
		before, after := min(equal, textAround), min(next-start-e.End, textAround)
		fromB += equal
		s := textSpan{start + e.Start, start + e.End, fromB, fromB + len(e.New)}
		fromA, fromB = s.toA, s.toB
		partA, partB := a[s.fromA-before:s.toA+after], b[s.fromB-before:min(s.toB+after, len(b))]
		if !exact {
			partA, partB = maskText(partA), maskText(partB)
		}
		if !match.EqualRedactedText(partA, partB) {
			spans = append(spans, s)
		}
	}
	return spans
}

// excerptAt returns what differs between the byte from and the last end bytes of a text, with
// the text around it and without.
func excerptAt(text string, from, end int) (around, differs string) {
	before, differs, after := text[:from], text[from:len(text)-end], text[len(text)-end:]
	at := len(before)
	for range textAround {
		_, n := utf8.DecodeLastRuneInString(before[:at])
		at -= n
	}
	if around = before[at:]; at > 0 {
		around = wording.Dots + around
	}
	if short := firstCharacters(differs, textChanged); short != differs {
		return around + "[" + short + wording.Dots, short + wording.Dots
	}
	around += "[" + differs + "]"
	short := firstCharacters(after, textAround)
	if short != after {
		short += wording.Dots
	}
	return around + short, differs
}

func firstCharacters(text string, most int) string {
	n := 0
	for at := range text {
		if n == most {
			return text[:at]
		}
		n++
	}
	return text
}

// DifferingPart returns where two texts that differ do so first, and how many bytes at
// their ends are equal. Values that usually differ, such as times, are skipped unless
// exact is set, and so is everything in the place of a redacted part.
func DifferingPart(a, b string, exact bool) (i, j, end int) {
	w := textWalk{a: a, b: b, exact: exact}
	w.find()
	i, j = w.i, w.j
	for i > 0 && j > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || j < len(b) && !utf8.RuneStart(b[j])) {
		i, j = i-1, j-1
	}
	for end < min(len(a)-i, len(b)-j) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for end > 0 && !utf8.RuneStart(a[len(a)-end]) {
		end--
	}
	return i, j, end
}

// A textWalk finds the first difference of two texts: up to i and j they are the same.
type textWalk struct {
	a, b  string
	exact bool
	i, j  int
}

// A textMark is a part of a text that is equal to any other: from is that of redacted text
// or the value of a type.
type textMark struct {
	from, to int // relative to the current place; to is 0 if there is none
	redacted bool
}

func (w *textWalk) find() {
	start := equalStart(w.a, w.b)
	w.i = start - around(start, func(i int) byte { return w.a[start-1-i] })
	w.j = w.i
	for {
		a, b := w.a[w.i:], w.b[w.j:]
		equal := equalStart(a, b)
		markA, markB := w.mark(a, equal), w.mark(b, equal)
		switch {
		case len(a) == equal && len(b) == equal:
			w.i, w.j = len(w.a), len(w.b)
			return
		case markA.to > 0 && markB.to > 0 && markA.from == markB.from && markA.redacted == markB.redacted:
			w.i, w.j = w.i+markA.to, w.j+markB.to
		case markA.redacted:
			w.i += markA.to
			w.j += markA.from
			w.j += resumed(w.a[w.i:], w.b[w.j:])
		case markB.redacted:
			w.i += markB.from
			w.j += markB.to
			w.i += resumed(w.b[w.j:], w.a[w.i:])
		default:
			w.i, w.j = w.i+equal, w.j+equal
			return
		}
	}
}

func equalStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// mark returns the mark at the end of the equal beginning of a text.
func (w *textWalk) mark(text string, equal int) textMark {
	text = text[:min(len(text), equal+maxAround)]
	for _, at := range match.RedactedParts(text) {
		if at[0] <= equal && at[1] > equal {
			return textMark{at[0], at[1], true}
		}
	}
	if w.exact || !couldBeVolatile(text) {
		return textMark{}
	}
	for from := 0; ; {
		at := volatileText().FindStringIndex(text[from:])
		switch {
		case at == nil || from+at[0] > equal:
			return textMark{}
		case from+at[1] >= equal:
			return textMark{from + at[0], from + at[1], false}
		}
		from += at[1]
	}
}

// resumed returns where in other the text goes on that follows a redacted part: where the
// longest beginning of it is found first.
func resumed(text, other string) int {
	if parts := match.RedactedParts(text); len(parts) > 0 {
		text = text[:parts[0][0]]
	} else if strings.HasSuffix(other, text) {
		return len(other) - len(text)
	}
	low, high := 0, len(text)
	for low < high {
		middle := (low + high + 1) / 2
		if strings.Contains(other, text[:middle]) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return strings.Index(other, text[:low])
}
