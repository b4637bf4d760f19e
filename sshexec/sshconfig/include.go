package sshconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files that one word of an Include names, in order.
func includePaths(word string, user bool, m machine) ([]string, error) {
	if strings.ContainsAny(word, `%$[\`) && filepath.Separator == '/' {
		return nil, fmt.Errorf("only the ssh program can evaluate the pattern %s", printable(word))
	}
	path, err := expandTilde(word, m)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(path) {
		dir := filepath.Dir(systemConfig())
		if user {
			dir = filepath.Join(m.home, ".ssh")
		}
		path = dir + string(filepath.Separator) + path
	}
	paths, err := filepath.Glob(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("bad pattern %s", printable(word))
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return hidden(p, filepath.Clean(path)) || isDir(p) })
	slices.Sort(paths)
	return paths, nil
}

// In ssh, "*" and "?" do not match a "." at the beginning of a name.
func hidden(path, pattern string) bool {
	names := strings.Split(filepath.ToSlash(path), "/")
	patterns := strings.Split(filepath.ToSlash(pattern), "/")
	for i, name := range names {
		if i < len(patterns) && strings.HasPrefix(name, ".") && !strings.HasPrefix(patterns[i], ".") {
			return true
		}
	}
	return false
}

// ssh reads a directory as an empty file.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// The wildcards are "*" (any text) and "?" (any byte).
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

// lowerASCII leaves other letters unchanged, like ssh.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
