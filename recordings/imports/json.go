package imports

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// members gives the members of a valid JSON object, each value as it stands in
// the text.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, at := range places(object) {
			if !yield(name, object[at.value:at.to]) {
				return
			}
		}
	}
}

// A place is where a member of an object stands: after is the end of the member
// before it, so that after to to takes it out.
type place struct{ after, value, to int }

// places is members with where they stand.
func places(object []byte) iter.Seq2[string, place] {
	return func(yield func(string, place) bool) {
		at := place{to: 1}
		for i := space(object, 1); i < len(object) && object[i] == '"'; {
			end := valueEnd(object, i)
			name := text(object[i:end])
			at.after = at.to
			at.value = space(object, space(object, end)+1)
			at.to = valueEnd(object, at.value)
			if !yield(name, at) {
				return
			}
			if i = space(object, at.to); i < len(object) && object[i] == ',' {
				i = space(object, i+1)
			}
		}
	}
}

// space is the offset of what follows white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// valueEnd is where the JSON value that begins at i ends, in a text that need
// not be valid: then it is the end of the text, or somewhere before it.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			i = stringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// stringEnd is where the string that begins at i ends.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++ // what is escaped
		}
	}
	return min(i, len(b))
}

// text is what a JSON string stands for; "" for another value.
func text(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inside := value[1 : len(value)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var s string
	_ = json.Unmarshal(value, &s) // of another value it is ""
	return s
}

// isText tells whether a value is a string.
func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// message is the bytes of a value that stands for a message or a line: an
// object or an array as it is, a string as what it says.
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

// compact takes the white space out of a JSON text that was written for people.
func compact(value []byte) []byte {
	var line bytes.Buffer
	if bytes.IndexByte(value, '\n') < 0 || json.Compact(&line, value) != nil {
		return value
	}
	return line.Bytes()
}

// elements gives the elements of a valid JSON array.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := space(array, 1); i < len(array) && array[i] != ']'; {
			end := valueEnd(array, i)
			if !yield(array[i:end]) {
				return
			}
			if i = space(array, end); i < len(array) && array[i] == ',' {
				i = space(array, i+1)
			}
		}
	}
}

// texts are the strings of a JSON array; nil for another value.
func texts(value []byte) []string {
	var all []string
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &all) != nil {
		return nil
	}
	return all
}
