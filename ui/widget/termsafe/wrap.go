package termsafe

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpdbg/internal/wording"
)

// Wrap breaks text into rows of at most width cells, at blanks where it can, all indented
// like the first. The rows are not yet safe for the terminal.
func Wrap(text string, width int) []string {
	width = max(width, LongestEscape)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if len(indent) > min(width/2, width-LongestEscape) { // without this, no text would fit
		indent = ""
	}
	var rows []string
	lead, blanks := "", len(indent) // the first row has its own indent
	for {
		room := width - len(lead)
		fits, _ := Fit([]byte(wording.Cut(text, room*maxBytesPerCell)), room, Options{})
		if fits == len(text) {
			return append(rows, lead+text)
		}
		if blank := strings.LastIndexByte(text[:fits], ' '); blank > blanks {
			fits = blank
		}
		fits = max(fits, 1) // make progress, whatever the bytes are
		rows = append(rows, lead+text[:fits])
		text, lead, blanks = strings.TrimLeft(text[fits:], " "), indent, 0
	}
}

// Break returns where to end a row of which the first fits bytes of text have room: after
// a blank, or next to a wide character, as in Chinese. Only a word longer than the row is
// broken. One blank that follows the row belongs to it, without a cell.
func Break(text []byte, fits int) int {
	fits = min(fits, len(text))
	switch {
	case fits == len(text):
		return fits
	case text[fits] == ' ':
		return fits + 1
	}
	indent := fits - len(bytes.TrimLeft(text[:fits], " "))
	for at := fits; at > indent; {
		before, size := utf8.DecodeLastRune(text[:at])
		after, _ := utf8.DecodeRune(text[at:])
		if before == ' ' || breaks(before, after) {
			return at
		}
		at -= size
	}
	return fits
}

// breaks reports whether a row may end between two characters of a word.
func breaks(before, after rune) bool {
	const joiner = '\u200d'
	if before == joiner || after == joiner || unicode.Is(unicode.Mn, after) {
		return false
	}
	return isWide(before) || isWide(after)
}

func isWide(r rune) bool {
	cells, _ := RuneWidth(r)
	return cells == 2
}

// maxBytesPerCell is how many bytes one cell can hold: a character with its combining
// marks. Wrap reads no more.
const maxBytesPerCell = 20

// Line returns a text as one line, with blanks for tabs and line breaks.
func Line(text string) string { return String(wording.OneLine(text)) }

// Lines returns the lines of a text, each safe.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range all {
		all[i] = Line(line)
	}
	return all
}

// FoldWidth is the number of cells of a folded line.
const FoldWidth = 79

// Fold writes a safe text in lines of at most FoldWidth cells, broken at spaces, or
// within longer words. The first line begins with first, the others with indent.
func Fold(w io.Writer, first, indent, text string) {
	line, lead := "", first
	for word := range words(text, FoldWidth-max(Width(first), Width(indent))) {
		switch {
		case line == "":
			line = word
		case Width(lead+line+" "+word) > FoldWidth:
			_, _ = fmt.Fprintln(w, lead+line) // the buffer of the caller reports errors
			line, lead = word, indent
		default:
			line += " " + word
		}
	}
	if line != "" {
		_, _ = fmt.Fprintln(w, lead+line)
	}
}

// words iterates over the words of a safe text, in pieces of at most some cells.
func words(text string, cells int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsSeq(text) {
			for Width(word) > max(cells, 1) {
				used, _ := Fit([]byte(word), max(cells, 1), Options{})
				if used == 0 || used == len(word) {
					break
				}
				if !yield(word[:used]) {
					return
				}
				word = word[used:]
			}
			if !yield(word) {
				return
			}
		}
	}
}
