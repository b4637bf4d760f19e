package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui"
)

var update = flag.Bool("update", false, "write the key table into README.md")

// TestReadmeKeys: the key table of the README is made of the action table.
func TestReadmeKeys(t *testing.T) {
	const begin, end = "<!-- keys: go test . -update -->\n", "<!-- end of keys -->"
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok, "README.md has no %q", begin)
	keys, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, "README.md has no %q", end)
	want := "\n" + strings.TrimSpace(ui.Actions().Markdown()) + "\n\n"
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(head+begin+want+end+tail), 0o644))
		return
	}
	require.Equal(t, want, keys, "the key table is stale: go test . -update")
}
