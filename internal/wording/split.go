package wording

import (
	"errors"
	"fmt"
	"strings"
)

// SplitWords splits a command into words as a POSIX shell does, with its quotes and
// backslashes, but expands nothing: $NAME, *, ? and ~ are text, and no word begins a
// comment. An unquoted operator of a shell is an error, since no shell runs the command.
// It is the inverse of CommandLine.
func SplitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // inside a word
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		case '\'', '"':
			end := closingQuote(text, i)
			if end < 0 {
				return nil, fmt.Errorf("unclosed quote at %s", position(text, i))
			}
			word.WriteString(unquoted(text[i+1:end], c))
			i, open = end, true
		case '\\':
			if i++; i == len(text) {
				return nil, errors.New(`nothing after the last \`)
			}
			if text[i] == '\n' {
				continue // a long line goes on
			}
			word.WriteByte(text[i])
			open = true
		case ';', '|', '&', '<', '>', '(', ')', '`', '\n', '\r', 0:
			return nil, operator(text, i)
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

func operator(text string, at int) error {
	switch text[at] {
	case '\n', '\r':
		return fmt.Errorf("line break at %s: no shell runs this, quote it", position(text, at))
	case 0:
		return fmt.Errorf("NUL byte at %s: no command can have one", position(text, at))
	}
	return fmt.Errorf("unquoted %c at %s: no shell runs this, quote it", text[at], position(text, at))
}

// position counts characters, from 1.
func position(text string, at int) string {
	return fmt.Sprintf("character %d", len([]rune(text[:at]))+1)
}

// closingQuote returns the position of the quote that closes the one at a position, or
// -1.
func closingQuote(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == text[at]:
			return i
		case text[i] == '\\' && text[at] == '"':
			i++
		}
	}
	return -1
}

// In double quotes, a backslash quotes only what would have a meaning there.
func unquoted(inside string, quote byte) string {
	if quote == '\'' {
		return inside
	}
	var b strings.Builder
	for i := 0; i < len(inside); i++ {
		if inside[i] == '\\' && i+1 < len(inside) && strings.IndexByte("\"\\$`\n", inside[i+1]) >= 0 {
			if i++; inside[i] == '\n' {
				continue
			}
		}
		b.WriteByte(inside[i])
	}
	return b.String()
}
