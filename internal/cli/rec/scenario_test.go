package rec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/scenario"
)

// TestRecExportScenario: a scenario made from a recording of the demo passes on
// the demo, however much is expected, and parses to the same scenario when
// written again.
func TestRecExportScenario(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	r := clitest.InProcess(t, "demo")
	require.Equal(t, 0, r.Code, r.Stderr)
	for _, expect := range []string{"ok", "shape", "exact"} {
		out := filepath.Join(dir, expect+".yaml")
		r := clitest.InProcess(t, "rec", "export", "last", "-o", out, "--expect", expect)
		require.Equal(t, 0, r.Code, r.Stderr)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		made, err := scenario.Parse(out, data)
		require.NoError(t, err, "%s", data)
		var again bytes.Buffer
		require.NoError(t, scenario.WriteYAML(&again, made))
		require.Equal(t, string(data), again.String())

		r = clitest.InProcess(t, "run", "--no-record", "--era", "legacy", "--scenario", out, "--", clitest.Binary(), "demo-server")
		require.Equal(t, 0, r.Code, "%s\n%s\n%s", r.Stdout, r.Stderr, data)
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
