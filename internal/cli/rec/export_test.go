package rec_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/store"
)

func TestRecExport(t *testing.T) {
	t.Parallel()
	file := clitest.RuleFixtures + "healthy-legacy.jsonl"
	dir := t.TempDir()
	for _, format := range []string{"html", "md", "jsonl", "har", "txtar"} {
		out := filepath.Join(dir, "session."+format)
		r := clitest.InProcess(t, "rec", "export", file, "-o", out)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Empty(t, r.Stdout)
		require.Regexp(t, `^mcpdbg: wrote `+regexp.QuoteMeta(out)+`, [\d.]+ KiB\n$`, r.Stderr)
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

		r = clitest.InProcess(t, "rec", "export", file, "-o", out)
		require.Equal(t, 2, r.Code)
		require.Contains(t, r.Stderr, "not overwritten")
		require.Equal(t, 0, clitest.InProcess(t, "rec", "export", file, "-o", out, "--force").Code)
	}
	r := clitest.InProcess(t, "rec", "export", file, "--format", "jsonl", "--filter", "kind:request", "--to", "20")
	require.Equal(t, 0, r.Code, r.Stderr)
	for line := range strings.Lines(r.Stdout) {
		require.Contains(t, line, `"method":`)
		require.True(t, json.Valid([]byte(line)))
	}
	require.Contains(t, r.Stdout, `"dir":"out"`)
}

func TestRecExportUsage(t *testing.T) {
	t.Parallel()
	file := clitest.RuleFixtures + "healthy-legacy.jsonl"
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--format must be one of", []string{file}},
		{"--format must be one of", []string{file, "-o", "x.docx"}},
		{"takes one recording", []string{"--format", "md"}},
		{"--filter", []string{file, "--format", "md", "--filter", "/("}},
		{"it looks like", []string{"export_test.go", "--format", "md"}},
	} {
		r := clitest.InProcess(t, append([]string{"rec", "export"}, c.args...)...)
		require.Equal(t, 2, r.Code, c.says)
		require.Contains(t, r.Stderr, c.says)
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
	written, err := store.OpenNotes(file, "01KAJJMHZZ3W9T5K6VQ8X1Y2ZB")
	require.NoError(t, err)
	require.NoError(t, written.Set(2, store.Note{Mark: true, Text: "why " + token}))

	r := clitest.InProcess(t, "rec", "export", file, "--format", "txtar")
	require.Equal(t, 0, r.Code)
	require.Contains(t, r.Stderr, "looks like a token (github)")
	require.Contains(t, r.Stderr, "try: --redact")
	whole := r.Stdout

	r = clitest.InProcess(t, "rec", "export", file, "--format", "txtar", "--redact", "--key", "x")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "1 secret removed")
	require.Contains(t, r.Stderr, "github")
	require.NotContains(t, r.Stdout+r.Stderr, token)
	require.Regexp(t, `using \[redacted:[0-9a-z]+\]`, r.Stdout)
	require.Contains(t, whole, "using "+token, "not without the flag")
	for _, args := range [][]string{{"--env", "HOME"}, {"--no-defaults"}, {"--redact", "--pattern", "("}, {"--redact", "--env", "NOT_SET_ANYWHERE"}} {
		r = clitest.InProcess(t, append([]string{"rec", "export", file, "--format", "md"}, args...)...)
		require.Equal(t, 2, r.Code, args)
		require.Empty(t, r.Stdout)
	}

	require.Equal(t, 0, clitest.InProcess(t, "rec", "redact", file, "-o", copied, "--notes").Code)
	r = clitest.InProcess(t, "rec", "export", copied, "--format", "txtar")
	require.Equal(t, 0, r.Code)
	require.Empty(t, r.Stderr)
	again, err := store.OpenNotes(copied, "01KAJJMHZZ3W9T5K6VQ8X1Y2ZB")
	require.NoError(t, err)
	note := again.At(2)
	require.True(t, note.Mark)
	_, mark, _ := strings.Cut(note.Text, "why ")
	require.Contains(t, r.Stdout, mark)
	require.NotContains(t, note.Text, token)
}

// TestRecExportScenario: a scenario made from a recording of the demo, in either era,
// passes on the demo and on a mock of the recording, however much is expected, and parses
// to the same scenario when written again.
func TestRecExportScenario(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	r := clitest.InProcess(t, "demo")
	require.Equal(t, 0, r.Code, r.Stderr)
	modern := filepath.Join(dir, "modern.jsonl")
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}
`)
	r = clitest.InProcess(t, "run", "--era", "modern", "--record", modern, "--in", in, "--", clitest.Binary(), "demo-server")
	require.Equal(t, 0, r.Code, r.Stderr)
	for _, made := range [][2]string{{"last", "ok"}, {"last", "shape"}, {"last", "exact"}, {modern, "exact"}} {
		file, expect := made[0], made[1]
		out := filepath.Join(t.TempDir(), expect+".yaml")
		r := clitest.InProcess(t, "rec", "export", file, "-o", out, "--expect", expect)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Regexp(t, `: wrote .* KiB, \d+ steps\n$`, r.Stderr)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		made, err := scenario.Parse(out, data)
		require.NoError(t, err, "%s", data)
		var again bytes.Buffer
		require.NoError(t, scenario.WriteYAML(&again, made))
		require.Equal(t, string(data), again.String())

		for _, server := range [][]string{{"demo-server"}, {"mock", file}} {
			r = clitest.InProcess(t, append([]string{"run", "--no-record", "--scenario", out, "--", clitest.Binary()}, server...)...)
			require.Equal(t, 0, r.Code, "%s\n%s\n%s", r.Stdout, r.Stderr, data)
		}
	}
	for _, wrong := range [][]string{
		{"--format", "md", "--expect", "ok"}, {"--format", "scenario", "--expect", "all"}, {"--format", "scenario", "--process", "-1"},
	} {
		r := clitest.InProcess(t, append([]string{"rec", "export", "last"}, wrong...)...)
		require.Equal(t, 2, r.Code, r.Stderr)
		require.Empty(t, r.Stdout)
	}
	r = clitest.InProcess(t, "rec", "export", "last", "--format", "scenario", "--to", "3")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "cannot make a scenario: the client sent nothing but the handshake\n  try: another part of the recording")
}
