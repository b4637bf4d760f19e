package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// A FormatError reports a file that can't be read as a recording.
type FormatError struct {
	Path      string
	Major     int    // the version of a recording that this program does not support; else 0
	LooksLike string // what the file looks like, such as "a gzip file"
}

func (e *FormatError) Error() string {
	if e.LooksLike == "" {
		return fmt.Sprintf("%s is a recording of version %d, and this program reads version %d", e.Path, e.Major, Version)
	}
	return fmt.Sprintf("%s is not a recording: it looks like %s", e.Path, e.LooksLike)
}

// magics are the first bytes of file types that may be mistaken for recordings.
var magics = []struct{ begin, looks string }{
	{"\x1f\x8b", "a gzip file (unpack it first)"},
	{"\x28\xb5\x2f\xfd", "a zstd file (unpack it first)"},
	{"PK\x03\x04", "a zip file (unpack it first)"},
	{"SQLite format 3\x00", "a SQLite database"},
	{"\x89MCAP", "an MCAP file"},
	{"\x7fELF", "a program"},
	{"MZ", "a program"},
	{"#!", "a script"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xef\xbb\xbf", "a text file with a byte order mark"},
}

// shapes are members that identify the JSON of other programs.
var shapes = []struct{ member, looks string }{
	{"mcpdbg_smoke", "a report of mcpdbg smoke (open a recording that it names)"},
	{"mcpServers", "a client configuration (open its servers with --config)"},
	{"servers", "a client configuration (open its servers with --config)"},
	{"log", "a HAR file"},
	{"jsonrpc", "bare JSON-RPC messages"},
	{"width", "an asciicast"},
	{"term", "an asciicast"},
	{"mcprec", "a recording of another tool"},
	{"n", "a recording without its first line"},
}

// LooksLike describes a file that is not a recording by its first line, such as "a
// gzip file (unpack it first)" or "text".
func LooksLike(first []byte) string {
	if len(first) == 0 {
		return "an empty file"
	}
	for _, m := range magics {
		if bytes.HasPrefix(first, []byte(m.begin)) {
			return m.looks
		}
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(first, &object) == nil {
		for _, s := range shapes {
			if _, ok := object[s.member]; ok {
				return s.looks
			}
		}
		return "other JSON"
	}
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(first), []byte("{")) && utf8.Valid(first):
		return "other JSON"
	case bytes.IndexByte(first, 0) >= 0 || !utf8.Valid(first):
		return "a binary file"
	}
	return "text"
}
