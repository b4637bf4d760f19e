package imports

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"

	"mcpdbg/framing"
)

// members iterates over the members of a valid JSON object, with raw values.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, value := range framing.Members(object) {
			if !yield(text(name.Of(object)), value.Of(object)) {
				return
			}
		}
	}
}

// text decodes a JSON string. It returns "" for any other value.
func text(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inside := value[1 : len(value)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var s string
	_ = json.Unmarshal(value, &s) // "" for any other value
	return s
}

// isText reports whether a value is a string.
func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// message returns the bytes of a value that is a message or a line: an object or an
// array as it is, a string decoded.
func message(value []byte) (payload []byte, ok bool) {
	if len(value) == 0 {
		return nil, false
	}
	switch value[0] {
	case '{', '[':
		return value, true
	case '"':
		return []byte(text(value)), true
	}
	return nil, false
}

// compact removes the whitespace from a pretty-printed JSON text.
func compact(value []byte) []byte {
	var line bytes.Buffer
	if bytes.IndexByte(value, '\n') < 0 || json.Compact(&line, value) != nil {
		return value
	}
	return line.Bytes()
}
