package sshconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// includePaths returns the files that one word of an Include names, in order.
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

// hidden reports whether a "*" or "?" of pattern has matched a "." at the
// beginning of a name, which is not a match in ssh.
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

// isDir reports whether path is a directory, which ssh reads as an empty file.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
