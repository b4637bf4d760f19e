package match

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"mcpdbg/framing"
)

// At returns the raw value that a pointer without * leads to, nil if there is none. A
// pointer into a string whose text is JSON returns a value of that text.
func At(value []byte, p Pointer) []byte {
	for _, token := range p.Tokens() {
		if inner := embedded(value); inner != nil {
			value = inner
		}
		if value = child(value, token); value == nil {
			return nil
		}
	}
	return value
}

// child returns the member or element that a token names.
func child(value []byte, token string) []byte {
	return childAt(value, token).Of(value)
}

// childAt returns the zero Span if there is none.
func childAt(value []byte, token string) framing.Span {
	m := framing.Scan(value)
	if !m.Valid() || m.Depth == 0 || m.Depth > maxDepth {
		return framing.Span{}
	}
	for name, member := range framing.Members(value) {
		if isText(name.Of(value), token) {
			return member
		}
	}
	if index, err := strconv.Atoi(token); err == nil {
		for element := range framing.Elements(value) {
			if index == 0 {
				return element
			}
			index--
		}
	}
	return framing.Span{}
}

// Embedded returns, in canonical form, the text of a JSON string that is itself a JSON
// object or array; nil if it is not.
func Embedded(value []byte) []byte {
	inner := embedded(value)
	if inner == nil {
		return nil
	}
	canonical, _ := AppendCanonical(nil, inner)
	return canonical
}

// Text returns the text of a JSON string; ok is false if value is not a string.
func Text(value []byte) (text string, ok bool) {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", false
	}
	return unquote(value), true
}

// embedded returns the text of a string that is a JSON object or array.
func embedded(value []byte) []byte {
	value = bytes.TrimSpace(value)
	if len(value) < 4 || value[0] != '"' || bytes.IndexByte([]byte("{[ \\"), value[1]) < 0 || !framing.Scan(value).Valid() {
		return nil
	}
	text := []byte(unquote(value))
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 || !isContainer(trimmed) {
		return nil
	}
	if m := framing.Scan(trimmed); !m.Valid() || m.Depth > maxDepth {
		return nil
	}
	return trimmed
}

// ReplaceString returns value with the string that a pointer leads to replaced by
// text. All other bytes stay, except those of embedded JSON on the way. ok is false
// if there is no string at that place.
func ReplaceString(value []byte, p Pointer, text string) ([]byte, bool) {
	return replace(value, p.Tokens(), text)
}

func replace(value []byte, tokens []string, text string) ([]byte, bool) {
	if len(tokens) == 0 {
		if !bytes.HasPrefix(value, []byte(`"`)) {
			return nil, false
		}
		return quote(text), true
	}
	if inner := embedded(value); inner != nil {
		changed, ok := replace(inner, tokens, text)
		if !ok {
			return nil, false
		}
		return quote(string(changed)), true
	}
	at := childAt(value, tokens[0])
	if at == (framing.Span{}) {
		return nil, false
	}
	changed, ok := replace(at.Of(value), tokens[1:], text)
	return slices.Concat(value[:at.Start], changed, value[at.End:]), ok
}

func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // a string always encodes
	return appendString(nil, quoted)
}

// findString calls found with the path of each string that equals text, embedded JSON
// included, until found returns false.
func findString(path []string, value []byte, text string, found func(path []string) bool) bool {
	switch {
	case len(value) == 0:
	case value[0] == '"':
		if unquote(value) == text {
			return found(path)
		}
		if inner := embedded(value); inner != nil {
			canonical, _ := AppendCanonical(nil, inner)
			return findString(path, canonical, text, found)
		}
	case isContainer(value):
		for token, part := range Each(value) {
			if !findString(append(path[:len(path):len(path)], token), part, text, found) {
				return false
			}
		}
	}
	return true
}

// eachString visits each string in a JSON value, including the names of members and
// embedded JSON. text is valid until visit returns.
func eachString(value []byte, visit func(text []byte)) {
	for {
		start := bytes.IndexByte(value, '"')
		if start < 0 {
			return
		}
		value = value[start+1:]
		end := stringEnd(value)
		if end < 0 {
			return
		}
		inner := value[:end]
		value = value[end+1:]
		if bytes.IndexByte(inner, '\\') < 0 {
			visit(inner)
			continue
		}
		text := []byte(unquote(slices.Concat([]byte{'"'}, inner, []byte{'"'})))
		visit(text)
		if isContainer(bytes.TrimSpace(text)) && framing.Scan(text).Valid() {
			eachString(text, visit)
		}
	}
}

// -1 without a closing quote
func stringEnd(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// AppendText appends text as a canonical JSON string.
func AppendText(dst []byte, text string) []byte { return append(dst, quote(text)...) }
