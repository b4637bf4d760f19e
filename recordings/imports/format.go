package imports

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mcpdbg/recordings"
)

// headSize is how much of a source is looked at to find out its format.
const headSize = 1 << 20

// A format is one kind of source.
type format struct {
	name  string // for --format
	title string // for people, and the header
	looks func(head []byte) bool
	read  func(*source, *recorder) error
}

// formats are tried in this order: what others could be taken for comes first.
func formats() []format {
	return []format{
		{"mcp-cassette", "mcp-cassette", looksCassette, readCassette},
		{"mcpsnoop", "mcpsnoop log", looksSnoop, readSnoop},
		{"mcpsnoop-json", "mcpsnoop export", looksSnoopExport, readSnoopExport},
		{"inspector", "MCP Inspector protocol export", looksInspector, readInspector},
		{"claude-desktop", "Claude Desktop log", looksClaude, readClaude},
		{"txtar", "mcpdbg export txtar", looksTxtar, readTxtar},
		{"jsonl", "JSONL", looksPlain, readPlain},
	}
}

// Formats are the names of the formats.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// An UnknownError says that a source has none of the formats.
type UnknownError struct {
	Format string // that was asked for, if there is no such format
	Saw    string // what the source looks like
}

func (e *UnknownError) Error() string {
	if e.Format != "" {
		return fmt.Sprintf("there is no format %q", e.Format)
	}
	return "its format is not known: it looks like " + e.Saw
}

// choose finds the format of a source by its name, or by how the source begins.
func choose(name string, head []byte) (format, error) {
	all := formats()
	if name != "" {
		i := slices.IndexFunc(all, func(f format) bool { return f.name == name })
		if i < 0 {
			return format{}, &UnknownError{Format: name}
		}
		return all[i], nil
	}
	head = bytes.TrimPrefix(head, byteOrderMark)
	for _, f := range all {
		if f.looks(head) {
			return f, nil
		}
	}
	return format{}, &UnknownError{Saw: saw(head)}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Recording is what an UnknownError says it saw of a recording of mcpdbg.
const Recording = "a recording already"

// saw describes what no format is like.
func saw(head []byte) string {
	line := firstLine(head)
	switch {
	case len(line) == 0:
		return "an empty file"
	case bytes.HasPrefix(line, []byte(`{"mcpdbg":`)):
		return Recording
	}
	if names := memberNames(line); names != nil {
		return "JSON with the members " + strings.Join(names, ", ")
	}
	if looks := recordings.LooksLike(line); looks != "text" {
		return looks
	}
	return fmt.Sprintf("text that begins with %q", clip(string(line), 60))
}

// memberNames are the first names of members of a JSON object; nil for
// something else.
func memberNames(line []byte) []string {
	if !isObject(line) {
		return nil
	}
	names := []string{}
	for name := range members(line) {
		if len(names) == 8 {
			return append(names, "...")
		}
		names = append(names, clip(name, 40))
	}
	return names
}

// firstLine is the first line with something in it.
func firstLine(head []byte) []byte {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line
		}
	}
	return nil
}

// clip cuts a text to at most so many bytes, at a character, and makes it UTF-8.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), 4*most)], "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// expression is a regular expression that is compiled when it is used first:
// for what a package compiles at its start every start of the program pays.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
