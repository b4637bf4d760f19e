package wording

import (
	"fmt"
	"strings"

	"mcpdbg/internal/spelling"
	"mcpdbg/ui/widget/termsafe"
)

// maxNames is the maximum number of names that an error lists.
const maxNames = 20

// List joins names, at most maxNames of them.
func List(names []string) string {
	if more := len(names) - maxNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

// DidYouMean returns a hint with the nearest of names, or "" if none is near.
func DidYouMean(flag, name string, names []string) string {
	best := spelling.Nearest(name, names)
	if best == "" {
		return ""
	}
	return flag + best
}

// Place names the machine of a server.
func Place(host string) string {
	if host == "" {
		return "local"
	}
	return host
}

// AppendClean appends untrusted text as one line.
func AppendClean(b []byte, text string) []byte {
	b, _, _ = termsafe.AppendString(b, text, termsafe.Unlimited, termsafe.Options{})
	return b
}

// CommandLine returns a recorded command as a shell takes it.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = Quote(arg)
	}
	return strings.Join(words, " ")
}

// Quote quotes an argument for a shell, if needed.
func Quote(text string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./~-", c)
	}
	if text != "" && strings.IndexFunc(text, func(c rune) bool { return !plain(c) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
