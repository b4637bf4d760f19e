package message

import (
	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
)

// Member returns the raw value of a member, nil if the object does not have it or is
// not an object.
func Member(object []byte, name string) []byte {
	if !IsObject(object) {
		return nil
	}
	return framing.Member(object, name).Of(object)
}

// IsObject reports whether a raw token is an object.
func IsObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }

// Text returns the text of a string token, "" for another token.
func Text(token []byte) string {
	if len(token) < 2 || token[0] != '"' {
		return ""
	}
	out, _ := jsontext.AppendUnquote(nil, token)
	return string(out)
}
