package contents

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/internal/wording"
)

// maxName is how many bytes of the name of an item a location has.
const maxName = 128

func clip(name string) string { return wording.Clip(name, maxName, wording.Ellipsis) }

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
func isArray(raw []byte) bool  { return len(raw) > 0 && raw[0] == '[' }
func isText(raw []byte) bool   { return len(raw) > 0 && raw[0] == '"' }

// textOf returns the text of a JSON string. It is not ok for any other value.
func textOf(raw []byte) (text []byte, ok bool) {
	if !isText(raw) {
		return nil, false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], true
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	return text, err == nil
}

// kindOfValue names the type of a JSON value, with its article.
func kindOfValue(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
