package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	fences   = regexp.MustCompile("(?s)```.*?```")
	links    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"`)
	headings = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped  = regexp.MustCompile(`[^\pL\pN_\- ]`)
)

// TestLinks checks that the links of the documents lead to files and headings.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, link := range links.FindAllStringSubmatch(text(t, page), -1) {
			target := link[1] + link[2]
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			path := page
			if file != "" {
				path = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: no file for the link %s", page, target)
			} else if anchor != "" && !anchors(t, path)[anchor] {
				t.Errorf("%s: no heading for the link %s", page, target)
			}
		}
	}
}

// TestReadmeIsShort keeps the README what a stranger reads first.
func TestReadmeIsShort(t *testing.T) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(data), "\n"), 200)
}

// TestReadmeListsCommands checks that the README lists every command.
func TestReadmeListsCommands(t *testing.T) {
	readme := text(t, "README.md")
	code, stdout, stderr := program(t)("mcpdbg", "__completeNoDesc", "")
	require.Zero(t, code, stderr)
	for name := range strings.Lines(stdout) {
		if name = strings.TrimSpace(name); name != "help" && !strings.HasPrefix(name, ":") {
			require.Contains(t, readme, "`mcpdbg "+name)
		}
	}
}

// pages returns the paths of the documents.
func pages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.md")
	require.NoError(t, err)
	for _, dir := range []string{"docs", "examples"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) == ".md" {
				paths = append(paths, path)
			}
			return err
		}))
	}
	return paths
}

// text returns a document without its blocks of code.
func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return fences.ReplaceAllString(string(data), "")
}

// anchors returns the anchors that GitHub gives to the headings of a document.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, heading := range headings.FindAllStringSubmatch(text(t, path), -1) {
		found[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-")] = true
	}
	return found
}

// TestTables checks that all rows of a table have the same number of cells.
func TestTables(t *testing.T) {
	for _, page := range pages(t) {
		cells := 0
		for line := range strings.Lines(text(t, page)) {
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "|") {
				cells = 0
				continue
			}
			n := strings.Count(line, "|") - strings.Count(line, `\|`)
			if cells == 0 {
				cells = n
			}
			if n != cells {
				t.Errorf("%s: %d cells instead of %d: %.80s", page, n-1, cells-1, line)
			}
		}
	}
}
