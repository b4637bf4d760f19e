package form

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/internal/wording"
)

// Below returns the JSON Pointer of a member of the object at a path.
func Below(path, name string) string { return path + wording.Pointer(name) }

// NameOf returns the name of the member at a JSON Pointer.
func NameOf(path string) string {
	parts := tokens(path)
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, part := range parts {
		parts[i] = wording.UnescapePointer(part)
	}
	return parts
}

// Locate returns the line and the column in bytes, both from 1, where the value at a JSON
// Pointer begins in raw. Without such a value, or if the text is not valid JSON before
// it, it returns those of the nearest enclosing value.
func Locate(raw []byte, pointer string) (line, col int) {
	offset := offsetOf(raw, tokens(pointer))
	before := raw[:offset]
	return 1 + bytes.Count(before, []byte{'\n'}), offset - bytes.LastIndexByte(before, '\n')
}

// offsetOf returns the offset of the value at parts, or of the last value on the way.
func offsetOf(raw []byte, parts []string) int {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	at := skipBlanks(raw, 0)
	for _, part := range parts {
		if !enter(dec, part) {
			break
		}
		at = skipBlanks(raw, int(dec.InputOffset()))
	}
	return at
}

// enter moves into a container, up to the member or item of that name.
func enter(dec *jsontext.Decoder, part string) bool {
	open, err := dec.ReadToken()
	if err != nil || open.Kind() != '{' && open.Kind() != '[' {
		return false
	}
	for i := 0; ; i++ {
		if next := dec.PeekKind(); next == '}' || next == ']' {
			return false
		}
		key := strconv.Itoa(i)
		if open.Kind() == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return false
			}
			key = name.String()
		}
		if key == part {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
}

func skipBlanks(raw []byte, at int) int {
	for at < len(raw) && bytes.IndexByte([]byte(" \t\r\n,:"), raw[at]) >= 0 {
		at++
	}
	return at
}
