// Package safetext writes texts of any origin as lines that are safe for a terminal,
// for the reports of commands.
package safetext

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"mcpdbg/ui/widget/termsafe"
)

// Width is the number of cells of a folded line.
const Width = 79

// OneLine puts a text into one line.
func OneLine(text string) string {
	if !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
}

// Line returns a text as one line that has no effect on a terminal or elsewhere.
func Line(text string) string { return termsafe.String(OneLine(text)) }

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

// Fold writes a safe text in lines of at most Width cells, broken at spaces, and within
// words that are longer. The first line begins with first, and the others with indent.
func Fold(w io.Writer, first, indent, text string) {
	line, lead := "", first
	for word := range words(text, Width-max(termsafe.Width(first), termsafe.Width(indent))) {
		switch {
		case line == "":
			line = word
		case termsafe.Width(lead+line+" "+word) > Width:
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
			for termsafe.Width(word) > max(cells, 1) {
				used, _ := termsafe.Fit([]byte(word), max(cells, 1), termsafe.Options{})
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

// Count returns a number with a noun.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
