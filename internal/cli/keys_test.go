package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
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
	r := clitest.InProcess(t, "keys")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Regexp(t, `(?m)^Everywhere$`, r.Stdout)
	require.Regexp(t, `(?m)^  f +filter +Filter the traffic`, r.Stdout)
	r = clitest.InProcess(t, "keys", "--markdown")
	require.Equal(t, ui.Actions().Markdown(), r.Stdout)

	withSettings(t, "[keys]\nfilter = [\"X\", \"f3\"]\nzoom = []\n")
	r = clitest.InProcess(t, "keys")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Regexp(t, `(?m)^  X f3 +filter `, r.Stdout)
	require.Regexp(t, `(?m)^  \(palette\) +zoom `, r.Stdout)

	withSettings(t, "theme = \"16\"\n[keys]\nfilter = [\"/\"]\n")
	r = clitest.InProcess(t, "keys")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, `mcpdbg/config.toml:3: keys.filter: key "/" is already bound to search`)
	require.Regexp(t, `(?m)^  f +filter `, r.Stdout, "the table still helps")
}

// TestInvalidSettingsAreReportedBeforeScreen: the interface would hide the error.
func TestInvalidSettingsAreReportedBeforeScreen(t *testing.T) {
	withSettings(t, "colour = true\n")
	for _, args := range [][]string{{}, {"demo"}, {"--", "sh"}} {
		a := &console.Env{Terminal: true}
		r := clitest.InProcessWith(t, a, args...)
		require.Equal(t, 2, r.Code, args)
		require.Contains(t, r.Stderr, "config.toml:1: colour: unknown setting", args)
	}
	r := clitest.InProcess(t, "--", "sh", "-c", "exit 0")
	require.NotContains(t, r.Stderr, "colour", "without the interface they do not matter")
}

// TestPlain: --plain is the same as having no terminal.
func TestPlain(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	a := &console.Env{Terminal: true}
	r := clitest.InProcessWith(t, a, "--plain", "--", "no-such-program")
	require.Equal(t, 3, r.Code)
	require.Contains(t, r.Stderr, `program "no-such-program" not found`)
	a = &console.Env{Terminal: true}
	r = clitest.InProcessWith(t, a, "--plain")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "mcpdbg demo")
}
