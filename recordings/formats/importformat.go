package formats

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
)

// headSize bytes are read to detect the format.
const headSize = 1 << 20

type importFormat struct {
	name  string // for --format
	title string // for messages and the header
	looks func(head []byte) bool
	read  func(*logSource, *recorder) error
}

// importFormats returns the most specific ones first.
func importFormats() []importFormat {
	return []importFormat{
		{"har", "HAR of mcpdbg", looksHAR, readHAR},
		{"inspector", "MCP Inspector protocol export", looksInspector, readInspector},
		{"claude-desktop", "Claude Desktop log", looksClaude, readClaude},
		{"vscode", vscodeTitle, looksArrows(vscodeTitle), readArrows},
		{"mcp-remote", remoteTitle, looksArrows(remoteTitle), readArrows},
		{"arrows", arrowsTitle, looksArrows(arrowsTitle), readArrows},
		{"json-rpc", "JSON-RPC lines", looksBare, readBare},
		{"jsonl", "JSONL", looksPlain, readPlain},
	}
}

// ImportFormats returns the names of the formats.
func ImportFormats() []string {
	var names []string
	for _, f := range importFormats() {
		names = append(names, f.name)
	}
	return names
}

// lastWithRemoved is the last version that reads the removed formats.
const lastWithRemoved = "0.1.0"

// Without looks their sources would be taken for JSONL.
var removedFormats = []struct {
	name, title string
	looks       func() *regexp.Regexp
}{
	{"mcp-cassette", "cassettes of mcp-cassette", expression(`^\s*{[^\n]*"cassetteVersion"`)},
	{"mcpsnoop", "logs of mcpsnoop", expression(`^\s*{[^\n]*"session_id":[^\n]*"direction":[^\n]*"seq":|^\s*{[^\n]*"session_id":[^\n]*"seq":[^\n]*"direction":`)},
	{"mcpsnoop-json", "JSON exports of mcpsnoop", expression(`^\s*{\s*"generated_at":[^{]*"session":`)},
	{"txtar", "txtar exports", expression(`(?m)^-- \d+-t\d+-(in|out|err)[^ ]*\.(json|txt|b64) --$`)},
}

// An UnknownFormatError reports a source in an unknown or removed format.
type UnknownFormatError struct {
	Format      string // the requested format, if it does not exist
	Description string // description of the source
	Removed     string // the title of a format that was removed
}

func (e *UnknownFormatError) Error() string {
	if e.Removed != "" {
		return fmt.Sprintf("%s are no longer supported: the last version that reads them is mcpdbg %s", e.Removed, lastWithRemoved)
	}
	if e.Format != "" {
		return fmt.Sprintf("unknown format %q", e.Format)
	}
	return "unknown format: it looks like " + e.Description
}

// choose finds a format by its name, or by the beginning of the source.
func choose(name string, head []byte) (importFormat, error) {
	all := importFormats()
	if name != "" {
		i := slices.IndexFunc(all, func(f importFormat) bool { return f.name == name })
		if i >= 0 {
			return all[i], nil
		}
		for _, f := range removedFormats {
			if f.name == name {
				return importFormat{}, &UnknownFormatError{Format: name, Removed: f.title}
			}
		}
		return importFormat{}, &UnknownFormatError{Format: name}
	}
	head = bytes.TrimPrefix(head, byteOrderMark)
	for _, f := range removedFormats {
		if f.looks().Match(head[:min(len(head), 4<<10)]) {
			return importFormat{}, &UnknownFormatError{Removed: f.title}
		}
	}
	for _, f := range all {
		if f.looks(head) {
			return f, nil
		}
	}
	return importFormat{}, &UnknownFormatError{Description: saw(head)}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// OwnRecording is the value of UnknownFormatError.Description for a recording.
const OwnRecording = "an mcpdbg recording"

func saw(head []byte) string {
	line := firstLine(head)
	switch {
	case len(line) == 0:
		return "an empty file"
	case bytes.HasPrefix(line, []byte(`{"mcpdbg":`)):
		return OwnRecording
	}
	if names := memberNames(line); names != nil {
		return "JSON with the members " + strings.Join(names, ", ")
	}
	if looks := recordings.LooksLike(line); looks != "text" {
		return looks
	}
	return fmt.Sprintf("text that begins with %q", clip(string(line), 60))
}

// memberNames returns at most 8, nil for anything but a JSON object.
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

func firstLine(head []byte) []byte {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line
		}
	}
	return nil
}

// clip truncates a text to at most most bytes, between characters, and makes it valid
// UTF-8.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), 4*most)], "\uFFFD")
	return wording.Cut(text, most)
}

// A compilation on first use does not slow down the start of the program. Inlined, each
// call would add 400 bytes to it.
//
//go:noinline
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
