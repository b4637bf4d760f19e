package wording

import (
	"os"
	"path/filepath"
	"strings"
)

// IsWithin reports whether folder is dir or one of its parents.
func IsWithin(folder, dir string) bool {
	rel, err := filepath.Rel(folder, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Path returns path relative to the current directory if it is below it, or
// else with ~ for the home directory.
func Path(path string) string {
	if cwd, err := os.Getwd(); err == nil && IsWithin(cwd, path) {
		if rel, err := filepath.Rel(cwd, path); err == nil {
			return rel
		}
	}
	if dir, err := os.UserHomeDir(); err == nil && dir != "" && IsWithin(dir, path) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			return filepath.Join("~", rel)
		}
	}
	return path
}

// Place names the machine of a server.
func Place(host string) string {
	if host == "" {
		return "local"
	}
	return host
}
