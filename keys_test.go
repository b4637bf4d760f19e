package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui"
)

var update = flag.Bool("update", false, "write the generated parts of the documents")

// TestKeysPage checks that docs/keys.md agrees with the action table.
func TestKeysPage(t *testing.T) {
	generated(t, "docs/keys.md", "keys", keysPage(ui.Actions().Markdown()))
}

// keysPage returns the tables of actions as lists of keys and help. An action that several
// parts of the screen have in common is listed once, after the others, under their names.
func keysPage(tables string) string {
	type row struct{ part, line string }
	var rows []row
	parts := map[string][]string{} // that have a line
	part := ""
	for line := range strings.Lines(tables) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			part = heading
		} else if cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|"); len(cells) == 5 && cells[1] != " keys " && cells[1] != "---" {
			keys := strings.TrimSpace(cells[1])
			if keys == "palette" {
				keys = "`:" + strings.TrimSpace(cells[2]) + "`"
			}
			line = strings.ReplaceAll(fmt.Sprintf("- %s %s\n", keys, strings.TrimSpace(cells[3])), "\x00", "|")
			rows = append(rows, row{part, line})
			parts[line] = append(parts[line], part)
		}
	}
	var page strings.Builder
	var common []string // names of parts
	lines := map[string]string{}
	part = ""
	for _, r := range rows {
		if names := strings.Join(parts[r.line], "; "); len(parts[r.line]) > 1 {
			if lines[names] == "" {
				common = append(common, names)
			}
			if !strings.Contains(lines[names], r.line) {
				lines[names] += r.line
			}
			continue
		}
		if r.part != part {
			fmt.Fprintf(&page, "\n## %s\n\n", r.part)
		}
		page.WriteString(r.line)
		part = r.part
	}
	page.WriteString("\n## Several parts\n")
	for _, names := range common {
		fmt.Fprintf(&page, "\n%s:\n\n%s", names, lines[names])
	}
	return strings.TrimSpace(page.String())
}

// generated checks the part of a document between "<!-- NAME: go test . -update
// -->" and "<!-- end of NAME -->". With -update it writes that part.
func generated(t *testing.T, path, name, text string) {
	t.Helper()
	begin, end := "<!-- "+name+": go test . -update -->\n", "<!-- end of "+name+" -->"
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok, "%s has no %q", path, begin)
	part, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has no %q", path, end)
	want := "\n" + text + "\n\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644))
		return
	}
	require.Equal(t, want, part, "%s is stale: go test . -update", path)
}
