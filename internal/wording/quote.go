package wording

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// ShellQuote returns text as one word of a POSIX shell.
func ShellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// ShellWord quotes a word for a POSIX shell, unless it has only letters, digits,
// -_./:,@+, which have no meaning in any shell, and those of also.
func ShellWord(word, also string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:,@+", c) || strings.ContainsRune(also, c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return ShellQuote(word)
}

// Quote quotes an argument if needed, except ~/, as in paths of Path.
func Quote(word string) string { return ShellWord(word, "=%~") }

// CommandLine quotes a command for a shell.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = Quote(arg)
	}
	return strings.Join(words, " ")
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapePointer returns a token of a JSON Pointer (RFC 6901).
func EscapePointer(name string) string { return escapePointer.Replace(name) }

// UnescapePointer returns the name of a token.
func UnescapePointer(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return unescapePointer.Replace(token)
}

// Pointer returns the JSON Pointer of names.
func Pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteByte('/')
		b.WriteString(escapePointer.Replace(name))
	}
	return b.String()
}

// Visible escapes control characters, characters that hide or reorder text, and invalid
// UTF-8. Newlines and tabs stay.
func Visible(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || r != '\t' && hidden(r) }) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r != '\t' && hidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// VisibleJSON writes characters that control a terminal, or that it cannot show, as JSON
// escapes: all outside ASCII are in strings.
func VisibleJSON(line []byte) []byte {
	if !bytes.ContainsFunc(line, hidden) {
		return line
	}
	out := make([]byte, 0, len(line)+64)
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case !hidden(r):
			out = append(out, line[i:i+n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}

func hidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
