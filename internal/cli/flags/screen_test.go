package flags

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui"
)

// TestKeepSetting checks that a choice is still there at the next start, and that a file
// with mistakes is left alone.
func TestKeepSetting(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	require.NoError(t, keepSetting("log", "panes"))
	require.NoError(t, keepSetting("log", "together"))
	s, err := ReadSettings()
	require.NoError(t, err)
	require.Equal(t, ui.LogTogether, s.Log)

	elsewhere := filepath.Join(t.TempDir(), "mine.toml")
	require.NoError(t, os.Rename(settingsFile(), elsewhere))
	require.NoError(t, os.Symlink(elsewhere, settingsFile()))
	require.NoError(t, keepSetting("log", "panes"))
	text, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, "log = \"panes\"\n", string(text))

	require.NoError(t, os.WriteFile(elsewhere, []byte("log = [\n"), 0o600))
	require.Error(t, keepSetting("log", "panes"))
	text, err = os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, "log = [\n", string(text))
}
