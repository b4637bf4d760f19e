package kit

import (
	"errors"
	"strings"

	"mcpdbg/internal/wording"
)

// SplitWords splits a command into words as a POSIX shell does, but keeps variables and
// patterns. It is the inverse of QuoteWords.
func SplitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // inside a word
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case ' ', '\t':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		case '\'', '"':
			end := closingQuote(runes, i)
			if end < 0 {
				return nil, errors.New("unclosed quote")
			}
			word.WriteString(unquoted(runes[i+1:end], r))
			i, open = end, true
		case '\\':
			if i++; i == len(runes) {
				return nil, errors.New("nothing after the last \\")
			}
			word.WriteRune(runes[i])
			open = true
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

// closingQuote returns the position of the quote that closes the one at a position, or
// -1.
func closingQuote(runes []rune, at int) int {
	for i := at + 1; i < len(runes); i++ {
		switch {
		case runes[i] == runes[at]:
			return i
		case runes[i] == '\\' && runes[at] == '"':
			i++
		}
	}
	return -1
}

func unquoted(inside []rune, quote rune) string {
	var b strings.Builder
	for i := 0; i < len(inside); i++ {
		if quote == '"' && inside[i] == '\\' && i+1 < len(inside) && strings.ContainsRune("\"\\$`", inside[i+1]) {
			i++
		}
		b.WriteRune(inside[i])
	}
	return b.String()
}

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
