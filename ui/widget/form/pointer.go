package form

import (
	"bytes"
	"strings"

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
// Pointer begins in raw. Without such a value it returns those of the nearest enclosing
// value, and 1 and 1 if raw is not valid JSON.
func Locate(raw []byte, pointer string) (line, col int) {
	v, err := parse(raw)
	if err != nil {
		return 1, 1
	}
	for _, part := range tokens(pointer) {
		next := v.part(part)
		if next == nil {
			break
		}
		v = next
	}
	before := raw[:v.at]
	return 1 + bytes.Count(before, []byte{'\n'}), v.at - bytes.LastIndexByte(before, '\n')
}
