package match

import (
	"fmt"
	"strings"
)

// A Pointer is a JSON Pointer (RFC 6901) into a JSON-RPC message, such as
// /params/arguments/path or /result/tools/echo/inputSchema. Two things are
// particular: the token * stands for any one name or number, and a pointer goes
// on through a string whose text is JSON. The empty pointer is the whole.
type Pointer string

var (
	escapeToken   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapeToken = strings.NewReplacer("~1", "/", "~0", "~")
)

// PointerTo returns the pointer along tokens.
func PointerTo(tokens ...string) Pointer {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		if strings.ContainsAny(t, "~/") {
			t = escapeToken.Replace(t)
		}
		b.WriteString(t)
	}
	return Pointer(b.String())
}

// ParsePointer checks a pointer that somebody wrote.
func ParsePointer(s string) (Pointer, error) {
	if s != "" && s[0] != '/' {
		return "", fmt.Errorf("pointer %q: begins with a /", s)
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return "", fmt.Errorf("pointer %q: ~ is written ~0, and / in a name ~1", s)
		}
	}
	return Pointer(s), nil
}

// Tokens splits a pointer.
func (p Pointer) Tokens() []string {
	if p == "" {
		return nil
	}
	tokens := strings.Split(string(p)[1:], "/")
	for i, t := range tokens {
		if strings.Contains(t, "~") {
			tokens[i] = unescapeToken.Replace(t)
		}
	}
	return tokens
}

// covers tells whether the pattern is path, or one of the values around it.
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

// Covers tells whether a pointer, which may have *, leads to the same value as
// another one or to one around it.
func Covers(pattern, p Pointer) bool { return covers(pattern.Tokens(), p.Tokens()) }
