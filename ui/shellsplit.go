package ui

import (
	"errors"
	"strings"
)

// splitWords reads a command as a POSIX shell does, but for variables and
// patterns, which stay as they are: the opposite of shellWords.
func splitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // a word is
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
				return nil, errors.New("a quote is not closed")
			}
			word.WriteString(unquoted(runes[i+1:end], r))
			i, open = end, true
		case '\\':
			if i++; i == len(runes) {
				return nil, errors.New("nothing is behind the last \\")
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

// closingQuote is where the quote that is opened at a place is closed, -1 if
// nowhere.
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

// unquoted is what stands between quotes.
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
