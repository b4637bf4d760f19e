package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/scenario"
)

// TestRecExportScenario: a scenario made from a recording of the demo passes on
// the demo, however much is expected, and parses to the same scenario when
// written again.
func TestRecExportScenario(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	r := inProcess(t, "demo")
	require.Equal(t, 0, r.code, r.stderr)
	for _, expect := range []string{"ok", "shape", "exact"} {
		out := filepath.Join(dir, expect+".yaml")
		r := inProcess(t, "rec", "export", "last", "-o", out, "--expect", expect)
		require.Equal(t, 0, r.code, r.stderr)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		made, err := scenario.Parse(out, data)
		require.NoError(t, err, "%s", data)
		var again bytes.Buffer
		require.NoError(t, scenario.WriteYAML(&again, made))
		require.Equal(t, string(data), again.String())

		r = inProcess(t, "run", "--no-record", "--era", "legacy", "--scenario", out, "--", binary, "demo-server")
		require.Equal(t, 0, r.code, "%s\n%s\n%s", r.stdout, r.stderr, data)
	}
	for _, wrong := range [][]string{
		{"--format", "md", "--expect", "ok"}, {"--format", "scenario", "--expect", "all"}, {"--format", "scenario", "--process", "-1"},
	} {
		r := inProcess(t, append([]string{"rec", "export", "last"}, wrong...)...)
		require.Equal(t, 2, r.code, r.stderr)
		require.Empty(t, r.stdout)
	}
	r = inProcess(t, "rec", "export", "last", "--format", "scenario", "--to", "3")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "cannot make a scenario: the client sent nothing but the handshake\n  try: another part of the recording")
}

func TestSchema(t *testing.T) {
	t.Parallel()
	r := inProcess(t, "schema")
	require.Equal(t, 0, r.code, r.stderr)
	names := strings.Fields(r.stdout)
	require.Contains(t, names, "scenario")
	for _, name := range names {
		r := inProcess(t, "schema", name)
		require.Equal(t, 0, r.code, r.stderr)
		var schema struct {
			Draft string `json:"$schema"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &schema), name)
		require.Equal(t, "https://json-schema.org/draft/2020-12/schema", schema.Draft, name)
	}
	r = inProcess(t, "schema", "scenarios")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "unknown schema \"scenarios\"\n  try: one of answers, check, scenario")
	require.Contains(t, inProcess(t, "__complete", "schema", "").stdout, "scenario\n")
}
