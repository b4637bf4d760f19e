package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWords checks the words of Markdown, comments and string literals in the
// folders that .vale/folders lists.
func TestWords(t *testing.T) {
	var folders []string
	for line := range strings.Lines(read(t, ".vale/folders")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			folders = append(folders, line)
		}
	}
	if len(folders) == 0 {
		return
	}
	for file, alerts := range vale(t, ".", "error", folders...) {
		for _, a := range alerts {
			t.Errorf("%s:%d: %s: %s", file, a.Line, a.Check, a.Message)
		}
	}
}

// TestWordRules runs each rule on its own bad file: the lines with "BAD:" are
// reported by that rule, and nothing else is reported by any.
func TestWordRules(t *testing.T) {
	dir := t.TempDir() // a copy, because .vale.ini excludes folders named testdata
	require.NoError(t, os.CopyFS(dir, os.DirFS(".vale/testdata")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, ".vale"), os.DirFS(".vale")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".vale.ini"), []byte(read(t, ".vale.ini")), 0o600))

	reports := vale(t, dir, "suggestion", "bad", "good")
	for file := range reports {
		require.True(t, strings.HasPrefix(file, "bad"), "%s: %+v", file, reports[file])
	}
	files, err := filepath.Glob(".vale/testdata/bad/*")
	require.NoError(t, err)
	tested := map[string]bool{}
	for _, file := range files {
		rule := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), "_test")
		tested[rule] = true
		t.Run(filepath.Base(file), func(t *testing.T) {
			var want, got []int
			for i, line := range slices.Collect(strings.Lines(read(t, file))) {
				for range strings.Count(line, "BAD:") {
					want = append(want, i+1)
				}
			}
			for _, a := range reports["bad/"+filepath.Base(file)] {
				require.Equal(t, "mcpdbg."+rule, a.Check, "line %d: %s", a.Line, a.Message)
				got = append(got, a.Line)
			}
			slices.Sort(got)
			require.Equal(t, want, got, "lines")
		})
	}
	rules, err := filepath.Glob(".vale/mcpdbg/*.yml")
	require.NoError(t, err)
	for _, file := range rules {
		rule := strings.TrimSuffix(filepath.Base(file), ".yml")
		require.True(t, tested[rule], "rule %s has no file in .vale/testdata/bad", rule)
	}
}

type alert struct {
	Check, Message string
	Line           int
}

// vale returns what Vale reports, by file.
func vale(t *testing.T, dir, level string, args ...string) map[string][]alert {
	t.Helper()
	if _, err := exec.LookPath("vale"); err != nil {
		const how = "go install github.com/vale-cli/vale/v3/cmd/vale@v3.21.0"
		require.NotEqual(t, "true", os.Getenv("CI"), "%v: %s", err, how)
		t.Skipf("%v: %s", err, how)
	}
	args = append([]string{"--no-global", "--no-exit", "--normalize", "--output=JSON", "--minAlertLevel=" + level}, args...)
	cmd := exec.CommandContext(t.Context(), "vale", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	reports := map[string][]alert{}
	require.NoError(t, json.Unmarshal(out, &reports), "%s", out)
	return reports
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
