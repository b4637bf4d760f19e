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

// matchList tells whether s matches one of the patterns, which have commas
// between them, and none that begins with "!".
func matchList(s, patterns string) bool {
	found := false
	for p := range strings.SplitSeq(patterns, ",") {
		p, negated := strings.CutPrefix(p, "!")
		if !matchPattern(s, p) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// matchHost is matchList without regard to case.
func matchHost(host, patterns string) bool {
	return matchList(lowerASCII(host), lowerASCII(patterns))
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
