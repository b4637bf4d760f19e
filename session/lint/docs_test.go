package lint

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of docs/findings.md is that of the rules.
func TestDocsAreFresh(t *testing.T) {
	const (
		path       = "../../docs/findings.md"
		begin, end = "<!-- rules: go test ./session/lint -update -->\n", "<!-- end of rules -->"
	)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok, "%s has no %q", path, begin)
	table, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has no %q", path, end)
	want := "\n" + rulesTable() + "\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644))
		return
	}
	require.Equal(t, want, table, "the table of rules is stale: go test ./session/lint -update")
}

func rulesTable() string {
	var b strings.Builder
	b.WriteString("| id | severity | of | what | where it says so | what breaks |\n|---|---|---|---|---|---|\n")
	for _, r := range Rules() {
		revisions := ""
		if len(r.Revisions) > 0 {
			revisions = " (" + r.Revisions[0] + " to " + r.Revisions[len(r.Revisions)-1] + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | **%s**%s. %s | %s | %s |\n", r.ID, r.Severity, r.Dir, r.Title, revisions, r.Explanation, r.Reference, r.Breaks)
	}
	return b.String()
}
