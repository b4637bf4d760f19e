package content

import (
	"bytes"
	"strings"
)

// guessed is how much of a text is read to guess its form, in bytes.
const guessed = 16 << 10

// isMarkdown reports whether a text is Markdown, by its type or by its looks.
func isMarkdown(mime string, text []byte) bool {
	return strings.HasPrefix(mime, "text/markdown") || looksLikeMarkdown(mime, text)
}

// looksLikeMarkdown reports whether a text without a type of its own is probably
// Markdown: it has a heading, a fence or a table, or several list items, or bold
// words.
func looksLikeMarkdown(mime string, text []byte) bool {
	if mime != "" && mime != "text/plain" {
		return false
	}
	items := 0
	for line := range bytes.Lines(text[:min(len(text), guessed)]) {
		line := strings.TrimSpace(string(line))
		hashes := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case hashes >= 1 && hashes <= 6 && strings.HasPrefix(line[hashes:], " "),
			strings.HasPrefix(line, "```"),
			strings.HasPrefix(line, "|--"), strings.HasPrefix(line, "| --"), strings.HasPrefix(line, "|:-"),
			between(line, "**", "**"), between(line, "](", ")"):
			return true
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
			items++
		}
	}
	return items > 1
}

// between reports whether a line has something between two marks.
func between(line, begin, end string) bool {
	_, after, ok := strings.Cut(line, begin)
	return ok && strings.Index(after, end) > 0
}
