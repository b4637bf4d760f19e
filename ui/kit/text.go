package kit

import (
	"strings"

	"mcpdbg/ui/widget/paint"
)

// Plural formats a count with the singular noun what.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return paint.Thousands(n) + " " + what + "s"
}

// FirstLine returns the first line of a text, without blanks around the text.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
