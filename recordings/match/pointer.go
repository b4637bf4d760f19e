package match

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
)

// A Pointer is a JSON Pointer (RFC 6901) into a JSON-RPC message, such as
// /params/arguments/path or /result/tools/echo/inputSchema. It has two extensions:
// the token * matches any one name or index, and a pointer can continue into a
// string whose text is JSON. The empty pointer is the whole message.
type Pointer string

// PointerTo returns the pointer along tokens.
func PointerTo(tokens ...string) Pointer {
	return Pointer(wording.Pointer(tokens...))
}

// ParsePointer parses and validates a pointer.
func ParsePointer(s string) (Pointer, error) {
	if s != "" && s[0] != '/' {
		return "", fmt.Errorf("invalid pointer %q: must begin with /", s)
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return "", fmt.Errorf("invalid pointer %q: write ~0 for ~, and ~1 for / in a name", s)
		}
	}
	return Pointer(s), nil
}

// Tokens splits the pointer into unescaped tokens.
func (p Pointer) Tokens() []string {
	if p == "" {
		return nil
	}
	tokens := strings.Split(string(p)[1:], "/")
	for i, t := range tokens {
		tokens[i] = wording.UnescapePointer(t)
	}
	return tokens
}

// covers reports whether the pattern matches path or a value that contains it.
func covers(pattern, path []string) bool {
	if len(pattern) > len(path) {
		return false
	}
	for i, t := range pattern {
		if t != "*" && t != path[i] {
			return false
		}
	}
	return true
}

// Covers reports whether pattern, which may contain *, matches p or a value that
// contains it.
func Covers(pattern, p Pointer) bool { return covers(pattern.Tokens(), p.Tokens()) }
