package rec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/recordings"
	"mcpdbg/recordings/formats"
)

const importFixtures = "../../../recordings/formats/testdata/imports/"

func TestRecImport(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]string{
		"claude-desktop.log": "Claude Desktop log",
		"inspector.json":     "MCP Inspector protocol export", "plain-epoch.jsonl": "JSONL",
	} {
		out := filepath.Join(t.TempDir(), "import.jsonl")
		r := clitest.InProcess(t, "rec", "import", importFixtures+name, "-o", out, "--", "my", "--server")
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Equal(t, out+"\n", r.Stdout)
		require.Contains(t, r.Stderr, "imported as "+from+": ")
		s, err := recordings.Peek(out)
		require.NoError(t, err)
		require.Equal(t, []string{"my", "--server"}, s.Header.Argv)
		require.Equal(t, name, s.Header.Imported.File)

		require.Equal(t, 0, clitest.InProcess(t, "rec", "verify", out).Code)
		info := clitest.InProcess(t, "rec", "info", out)
		require.Contains(t, info.Stdout, "imported   from "+from+", "+name)
		require.Equal(t, 0, clitest.InProcess(t, "rec", "cat", out).Code)

		r = clitest.InProcess(t, "rec", "import", importFixtures+name, "-o", out)
		require.Equal(t, 2, r.Code)
		require.Contains(t, r.Stderr, "never overwritten")
	}
}

func TestRecImportReport(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "import.jsonl")
	r := clitest.InProcess(t, "rec", "import", importFixtures+"claude-desktop.log", "-o", out, "--json")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stderr)
	var report formats.ImportReport
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report))
	require.Equal(t, out, report.Recording)
	require.Equal(t, 1, report.Cut)

	r = clitest.InProcess(t, "rec", "import", importFixtures+"claude-mcp.log", "-o", filepath.Join(t.TempDir(), "x.jsonl"), "--only", "weather")
	require.Equal(t, 0, r.Code)
	require.Contains(t, r.Stderr, "1 message sent, 0 received")
	require.Contains(t, r.Stderr, `7 lines of other sessions or servers skipped: ["everything"]`)
}

func TestRecImportUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"takes one file", nil},
		{"takes one file", []string{"a", "b"}},
		{"takes one file", []string{"--", "a"}},
		{"file not found", []string{filepath.Join(dir, "none")}},
		{"is a directory", []string{dir}},
		{"already a recording\n  try: mcpdbg open", []string{clitest.RuleFixtures + "healthy-legacy.jsonl"}},
		{`text that begins with "hi\x1b[2J"` + "\n  try: --format with one of", []string{file("text", "hi\x1b[2J")}},
		{"JSON with the members jsonrpc", []string{file("bare", `{"jsonrpc":"2.0","id":1}`)}},
		{"an empty file", []string{file("empty", "")}},
		{`unknown format "x"`, []string{file("any", "x"), "--format", "x"}},
		{"no longer supported: the last version that reads them is mcpdbg 0.1.0\n  try: --format with one of", []string{file("any", "x"), "--format", "txtar"}},
		{"nothing could be read as jsonl (line 1: not a JSON object)", []string{file("any", "x"), "--format", "jsonl"}},
		{"cannot be written to standard output", []string{file("any", "x"), "-o", "-"}},
	} {
		r := clitest.InProcess(t, append([]string{"rec", "import"}, c.args...)...)
		require.Equal(t, 2, r.Code, c.args)
		require.Contains(t, r.Stderr, c.says, c.args)
		require.NotContains(t, r.Stderr, "\x1b")
		require.Empty(t, r.Stdout)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestRecImportWithoutTimes checks that lines that are not messages are counted, and that
// rec info computes no times for a log without any.
func TestRecImportWithoutTimes(t *testing.T) {
	t.Parallel()
	log := `--> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
junk
<-- {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
more junk
--> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}
`
	out := filepath.Join(t.TempDir(), "import.jsonl")
	r := clitest.InProcess(t, "rec", "import", clitest.WriteFile(t, log), "-o", out)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "\n  2 lines that are not messages kept as notes\n")
	require.Contains(t, r.Stderr, "\n  its lines have no date and time\n")

	r = clitest.InProcess(t, "rec", "info", out)
	require.Contains(t, r.Stdout, "without times: all entries have the same, by ")
	require.Contains(t, r.Stdout, "entry 7 b (request id 2): no response\n")
	require.Regexp(t, `client +a +1 +0 +0 +- +- +- +-\n`, r.Stdout)
	require.NotContains(t, r.Stdout, "slowest")
	require.NotContains(t, r.Stdout, "0 ms")

	var info map[string]any
	r = clitest.InProcess(t, "rec", "info", "--json", out)
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &info))
	require.Equal(t, true, info["untimed"])
	require.Equal(t, 0.0, info["duration_us"])
	require.Equal(t, 1, strings.Count(r.Stdout, `_us":`))
	require.NotContains(t, info, "slowest")
}
