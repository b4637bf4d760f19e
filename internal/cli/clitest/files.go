package clitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// WriteFile writes a text to a new file, and returns its path.
func WriteFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// ConfigFile writes a config file in the format of Claude Code to a new folder,
// and returns its path. DEMO in text is replaced by the demo server's program.
func ConfigFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	quoted, err := json.Marshal(Binary())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, `"DEMO"`, string(quoted))), 0o600))
	return path
}

// Fill writes files below a folder, replacing DEMO by the program's path.
func Fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "DEMO", Binary())), 0o600))
	}
}

// root leads from the folder of the tested package, which is current when its tests
// begin, to the module. Processes with a role have no use for it.
var root = func() string {
	for up := ""; len(up) < len("../../../../"); up += "../" {
		if _, err := os.Stat(up + "go.mod"); err == nil {
			return up
		}
	}
	return ""
}()

// source returns the path of a file of the module.
func source(path string) string { return root + path }
