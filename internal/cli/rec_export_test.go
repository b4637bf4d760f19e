package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/notes"
)

func TestRecExport(t *testing.T) {
	t.Parallel()
	const file = lintFixtures + "healthy-legacy.jsonl"
	dir := t.TempDir()
	for _, format := range []string{"html", "md", "jsonl", "har", "txtar"} {
		out := filepath.Join(dir, "session."+format)
		r := inProcess(t, "rec", "export", file, "-o", out)
		require.Equal(t, 0, r.code, r.stderr)
		require.Empty(t, r.stdout+r.stderr)
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

		r = inProcess(t, "rec", "export", file, "-o", out)
		require.Equal(t, 2, r.code)
		require.Contains(t, r.stderr, "not overwritten")
		require.Equal(t, 0, inProcess(t, "rec", "export", file, "-o", out, "--force").code)
	}
	r := inProcess(t, "rec", "export", file, "--format", "jsonl", "--filter", "kind:request", "--to", "20")
	require.Equal(t, 0, r.code, r.stderr)
	for line := range strings.Lines(r.stdout) {
		require.Contains(t, line, `"method":`)
		require.True(t, json.Valid([]byte(line)))
	}
	require.Contains(t, r.stdout, `"dir":"out"`)
}

func TestRecExportUsage(t *testing.T) {
	t.Parallel()
	const file = lintFixtures + "healthy-legacy.jsonl"
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--format must be one of", []string{file}},
		{"--format must be one of", []string{file, "-o", "x.docx"}},
		{"takes one recording", []string{"--format", "md"}},
		{"--filter", []string{file, "--format", "md", "--filter", "/("}},
		{"it looks like", []string{"rec_export_test.go", "--format", "md"}},
	} {
		r := inProcess(t, append([]string{"rec", "export"}, c.args...)...)
		require.Equal(t, 2, r.code, c.says)
		require.Contains(t, r.stderr, c.says)
	}
}

// TestShare: a token is reported, and is neither in the copy nor in its notes.
func TestShare(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("aB1", 12)
	dir := t.TempDir()
	file, copied := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"mcpdbg":1,"id":"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB","tool":"mcpdbg 0.1.0","start":"2026-11-21T10:00:00Z","placement":"local","argv":["s"]}
{"n":1,"t":0,"k":"start","process":"p"}
{"n":2,"t":1,"k":"stderr","seq":1,"raw":"using `+token+`"}
`), 0o600))
	written, err := notes.Open(file, "01KAJJMHZZ3W9T5K6VQ8X1Y2ZB")
	require.NoError(t, err)
	require.NoError(t, written.Set(2, notes.Note{Mark: true, Text: "why " + token}))

	r := inProcess(t, "rec", "export", file, "--format", "txtar")
	require.Equal(t, 0, r.code)
	require.Contains(t, r.stderr, "looks like a token (github)")
	require.Contains(t, r.stderr, "try: --redact")
	whole := r.stdout

	r = inProcess(t, "rec", "export", file, "--format", "txtar", "--redact", "--key", "x")
	require.Equal(t, 0, r.code, r.stderr)
	require.Contains(t, r.stderr, "1 secret removed")
	require.Contains(t, r.stderr, "github")
	require.NotContains(t, r.stdout+r.stderr, token)
	require.Regexp(t, `using \[redacted:[0-9a-z]+\]`, r.stdout)
	require.Contains(t, whole, "using "+token, "not without the flag")
	for _, args := range [][]string{{"--env", "HOME"}, {"--no-defaults"}, {"--redact", "--pattern", "("}, {"--redact", "--env", "NOT_SET_ANYWHERE"}} {
		r = inProcess(t, append([]string{"rec", "export", file, "--format", "md"}, args...)...)
		require.Equal(t, 2, r.code, args)
		require.Empty(t, r.stdout)
	}

	require.Equal(t, 0, inProcess(t, "rec", "redact", file, "-o", copied, "--notes").code)
	r = inProcess(t, "rec", "export", copied, "--format", "txtar")
	require.Equal(t, 0, r.code)
	require.Empty(t, r.stderr)
	again, err := notes.Open(copied, "01KAJJMHZZ3W9T5K6VQ8X1Y2ZB")
	require.NoError(t, err)
	note := again.At(2)
	require.True(t, note.Mark)
	_, mark, _ := strings.Cut(note.Text, "why ")
	require.Contains(t, r.stdout, mark)
	require.NotContains(t, note.Text, token)
}
