package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPackageSizes checks that packages stay small enough to read. Tests do
// not count. The two oldest packages may be larger.
func TestPackageSizes(t *testing.T) {
	lines, files := map[string]int{}, map[string]int{}
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		lines[filepath.Dir(path)] += bytes.Count(text, []byte{'\n'})
		files[filepath.Dir(path)]++
		return err
	}))
	require.NotEmpty(t, files)
	for dir := range files {
		maxLines, maxFiles := 5000, 40
		if dir == "session" || dir == "recordings" {
			maxLines, maxFiles = 7000, 50
		}
		require.LessOrEqual(t, lines[dir], maxLines, "lines in %s", dir)
		require.LessOrEqual(t, files[dir], maxFiles, "files in %s", dir)
	}
}
