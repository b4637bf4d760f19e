package contents

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxExcerpt = 120
	// maxName is how many bytes of the name of an item a location has.
	maxName = 128
)

func excerpt(text string) string { return shorten(text, maxExcerpt) }

func clip(name string) string { return shorten(name, maxName) }

func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

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
