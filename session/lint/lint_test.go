package lint

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

var update = flag.Bool("update", false, "write the golden files")

func open(t testing.TB, name string) *recordings.Recording {
	t.Helper()
	rec, err := recordings.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	require.Zero(t, rec.Warnings(), "%s holds only what this program understands", name)
	return rec
}

// Every fixture has exactly the findings of the golden file.
func TestFindings(t *testing.T) {
	const golden = "testdata/findings.golden"
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	var b strings.Builder
	for _, file := range files {
		name := filepath.Base(file)
		fmt.Fprintf(&b, "%s\n", name)
		for _, f := range Check(open(t, name)) {
			fmt.Fprintf(&b, "  %s %s n=%d", f.Severity.Letter(), f.Rule.ID, f.N)
			if f.Count > 1 {
				fmt.Fprintf(&b, " x%d", f.Count)
			}
			fmt.Fprintf(&b, " %q\n", f.Detail)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "go test ./session/lint -update, and look at the differences")
}
