package format

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpdbg/ui/widget/termsafe"
)

// Wrap breaks text into rows of at most width cells, at blanks where it can.
// Further rows are indented like the first. The rows are not safe for the
// terminal: termsafe must still escape them.
func Wrap(text string, width int) []string {
	width = max(width, termsafe.LongestEscape)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if len(indent) > min(width/2, width-termsafe.LongestEscape) { // without this, no text would fit
		indent = ""
	}
	var rows []string
	lead, blanks := "", len(indent) // the first row has its own indent
	for {
		room := width - len(lead)
		fits, _ := termsafe.Fit([]byte(Cut(text, room*maxBytesPerCell)), room, termsafe.Options{})
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

// Break returns where to end a row of a longer text of which the first fits bytes
// have room in it: after a blank, or between two characters one of which is wide,
// as in Chinese. A word is broken only if it is longer than the row. One blank
// that follows the row belongs to it; the row needs no cell for that.
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
	cells, _ := termsafe.RuneWidth(r)
	return cells == 2
}

// maxBytesPerCell is how many bytes one cell can hold: a character with its
// combining marks. Wrap reads no more of a text than that.
const maxBytesPerCell = 20

// Cut returns at most the first most bytes of a text, without splitting a
// character. Bytes that are not UTF-8 may be cut anywhere.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for back := range min(utf8.UTFMax, most+1) {
		if utf8.RuneStart(text[most-back]) {
			return text[:most-back]
		}
	}
	return text[:most]
}

// Brief is Cut with dots after a text that was cut.
func Brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Cut(text, most) + "..."
}
