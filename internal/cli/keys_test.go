package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/ui"
)

// withSettings writes a settings file where the program finds it.
func withSettings(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "mcpdbg"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mcpdbg", "config.toml"), []byte(text), 0o600))
}

func TestKeys(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	r := inProcess(t, "keys")
	require.Equal(t, 0, r.code, r.stderr)
	require.Regexp(t, `(?m)^Everywhere$`, r.stdout)
	require.Regexp(t, `(?m)^  f +filter +Filter the traffic`, r.stdout)
	r = inProcess(t, "keys", "--markdown")
	require.Equal(t, ui.Actions().Markdown(), r.stdout)

	withSettings(t, "[keys]\nfilter = [\"X\", \"f3\"]\nzoom = []\n")
	r = inProcess(t, "keys")
	require.Equal(t, 0, r.code, r.stderr)
	require.Regexp(t, `(?m)^  X f3 +filter `, r.stdout)
	require.Regexp(t, `(?m)^  \(palette\) +zoom `, r.stdout)

	withSettings(t, "theme = \"16\"\n[keys]\nfilter = [\"/\"]\n")
	r = inProcess(t, "keys")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, `mcpdbg/config.toml:3: keys.filter: key "/" is already bound to search`)
	require.Regexp(t, `(?m)^  f +filter `, r.stdout, "the table still helps")
}

// TestInvalidSettingsAreReportedBeforeScreen: the interface would hide the error.
func TestInvalidSettingsAreReportedBeforeScreen(t *testing.T) {
	withSettings(t, "colour = true\n")
	for _, args := range [][]string{{}, {"demo"}, {"--", "sh"}} {
		a := &console.Env{Terminal: true}
		r := inProcessWith(t, a, args...)
		require.Equal(t, 2, r.code, args)
		require.Contains(t, r.stderr, "config.toml:1: colour: unknown setting", args)
	}
	r := inProcess(t, "--", "sh", "-c", "exit 0")
	require.NotContains(t, r.stderr, "colour", "without the interface they do not matter")
}

// TestPlain: --plain is the same as having no terminal.
func TestPlain(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	a := &console.Env{Terminal: true}
	r := inProcessWith(t, a, "--plain", "--", "no-such-program")
	require.Equal(t, 3, r.code)
	require.Contains(t, r.stderr, `program "no-such-program" not found`)
	a = &console.Env{Terminal: true}
	r = inProcessWith(t, a, "--plain")
	require.Equal(t, 0, r.code, r.stderr)
	require.Contains(t, r.stdout, "mcpdbg demo")
}
