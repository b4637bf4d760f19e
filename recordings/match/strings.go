package match

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"mcpdbg/framing"
)

// At returns the raw value that a pointer without * leads to, nil if there is
// none. A pointer that goes into text which is JSON gets a value of that text.
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

// child returns the member or element of a value that a token names.
func child(value []byte, token string) []byte {
	start, end, ok := childAt(value, token)
	if !ok {
		return nil
	}
	return value[start:end]
}

// childAt is where that member or element stands.
func childAt(value []byte, token string) (start, end int, ok bool) {
	m := framing.Scan(value)
	if !m.Valid() || m.Depth == 0 || m.Depth > maxDepth {
		return 0, 0, false
	}
	if m.Kind != framing.Batch { // an array
		c := canon{src: value}
		return c.member(token)
	}
	want, err := strconv.Atoi(token)
	if err != nil {
		return 0, 0, false
	}
	for span := range framing.Elements(value) {
		if want == 0 {
			return int(span.Start), int(span.End), true
		}
		want--
	}
	return 0, 0, false
}

// Embedded returns the text of a JSON string that is a JSON object or array
// itself, made canonical; nil if it is none.
func Embedded(value []byte) []byte {
	inner := embedded(value)
	if inner == nil {
		return nil
	}
	canonical, _ := AppendCanonical(nil, inner)
	return canonical
}

// Text returns the text of a JSON string; not ok if value is none.
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

// ReplaceString returns value with text in place of the string that a pointer
// leads to; all other bytes stay, but for those of text that is JSON itself. It
// is not ok if there is no string there.
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
	start, end, ok := childAt(value, tokens[0])
	if !ok {
		return nil, false
	}
	changed, ok := replace(value[start:end], tokens[1:], text)
	return slices.Concat(value[:start], changed, value[end:]), ok
}

// quote returns text as a canonical JSON string.
func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // a string always encodes
	return appendString(nil, quoted)
}

// findString calls found with the path of each string in a canonical value that
// is text, in text which is JSON too, until it returns false.
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
		more, n := true, 0
		Each(value, func(name string, member []byte) bool {
			if value[0] == '[' {
				name = strconv.Itoa(n)
				n++
			}
			more = findString(append(path[:len(path):len(path)], name), member, text, found)
			return more
		})
		return more
	}
	return true
}

// eachString calls visit with the text of each string in a JSON value, names of
// members among them, in text which is JSON too. text is good until it returns.
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

// stringEnd returns where the quote is that ends a string, -1 if there is none.
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
