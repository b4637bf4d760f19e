package kit

import (
	"strings"

	"mcpdbg/internal/wording"
)

// QuoteWord quotes a word for a POSIX shell.
func QuoteWord(word string) string {
	return wording.ShellWord(word, "=%")
}

// QuoteWords quotes words and joins them with blanks.
func QuoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = QuoteWord(word)
	}
	return strings.Join(quoted, " ")
}
