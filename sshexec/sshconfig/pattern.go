package sshconfig

import "strings"

// matchPattern reports whether pattern, with the wildcards "*" (any text) and
// "?" (any byte), matches all of s.
func matchPattern(s, pattern string) bool {
	star, mark := -1, 0 // the last "*" seen, and where its text ends for now
	i, j := 0, 0
	for i < len(s) {
		switch {
		case j < len(pattern) && pattern[j] == '*':
			star, mark = j, i
			j++
		case j < len(pattern) && (pattern[j] == '?' || pattern[j] == s[i]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = mark, star+1
		default:
			return false
		}
	}
	return strings.Trim(pattern[j:], "*") == ""
}

// lowerASCII converts names like ssh: it leaves other letters unchanged.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
