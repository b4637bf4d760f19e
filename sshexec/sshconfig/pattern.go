package sshconfig

import "strings"

// matchPattern tells whether pattern, in which "*" stands for any text and "?"
// for any byte, is the whole of s.
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

// lowerASCII is what ssh does to names: it leaves other letters alone.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
