package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui"
)

var update = flag.Bool("update", false, "write the generated parts of the documents")

// TestKeysPage checks that docs/keys.md agrees with the action table.
func TestKeysPage(t *testing.T) {
	generated(t, "docs/keys.md", "keys", strings.TrimSpace(ui.Actions().Markdown()))
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
