//go:build unix

package rec_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// TestRecipesOfBothForms runs the recipes of the page on the format: each of mcpdbg gives
// what the one of jq gives. The last ones differ in form.
func TestRecipesOfBothForms(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/recording-format.md")
	require.NoError(t, err)
	data, err := os.ReadFile("../../../recordings/testdata/v1-session.jsonl")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rec.jsonl"), data, 0o600))
	require.NoError(t, os.Symlink(clitest.Binary(), filepath.Join(dir, "mcpdbg")))
	block := func(begin string) []string {
		_, rest, found := strings.Cut(string(page), begin)
		require.True(t, found, begin)
		text, _, _ := strings.Cut(rest, "\n```")
		return strings.Split(text, "\n")
	}
	run := func(recipe string) string {
		cmd := exec.Command("sh", "-c", recipe)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := cmd.Output()
		require.NoError(t, err, recipe)
		require.NotEmpty(t, out, recipe)
		return string(out)
	}
	fast, slow := block("```shell\n"), block("```sh\njq ")
	slow[0] = "jq " + slow[0]
	require.Len(t, slow, len(fast))
	for i, recipe := range fast[:len(fast)-1] {
		require.Equal(t, values(t, run(slow[i])), values(t, run(recipe)), recipe)
	}
	require.Contains(t, run(fast[len(fast)-1]), "slowest\n")
}

// values parses lines, and keeps those that are not JSON.
func values(t *testing.T, lines string) []any {
	t.Helper()
	var all []any
	for line := range strings.Lines(lines) {
		var value any
		if json.Unmarshal([]byte(line), &value) != nil {
			value = strings.ToValidUTF8(line, "\uFFFD") // as jq does
		}
		all = append(all, value)
	}
	return all
}
