package testhome_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/testhome"
)

var before, _ = os.UserHomeDir()

func TestMain(m *testing.M) { testhome.Main(m) }

func TestHomeIsAnother(t *testing.T) {
	require.NotEqual(t, before, os.Getenv("HOME"))
	for name, folder := range map[string]func() (string, error){"home": os.UserHomeDir, "cache": os.UserCacheDir, "settings": os.UserConfigDir} {
		path, err := folder()
		require.NoError(t, err, name)
		inside, err := filepath.Rel(os.Getenv("HOME"), path)
		require.NoError(t, err, name)
		require.True(t, filepath.IsLocal(inside), "%s: %s", name, path)
	}
}

// A go command that a test runs needs no network.
func TestCachesAreKept(t *testing.T) {
	for _, name := range []string{"GOPATH", "GOCACHE", "npm_config_cache", testhome.Tools} {
		require.NotEmpty(t, os.Getenv(name), name)
	}
}
