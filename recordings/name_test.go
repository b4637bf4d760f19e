package recordings

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDefaultNameIsInTheStateFolder(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("XDG_STATE_HOME", state)
	f := create(t, Options{Server: "x"})
	require.NoError(t, f.Close())

	g, err := Create(Options{Server: "@modelcontextprotocol/server-everything: é"})
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.NoError(t, g.Release())
	dir := filepath.Join(state, "mcpdbg", "recordings")
	require.Equal(t, dir, filepath.Dir(g.Path()))
	require.Regexp(t, `^\d{8}-\d{6}-modelcontextprotocol-server-everything-[0-9a-z]{6}\.jsonl$`, filepath.Base(g.Path()))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	}
}

func TestStateDirIgnoresARelativePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("XDG is a Unix convention")
	}
	t.Setenv("HOME", "/home/somebody")
	for value, want := range map[string]string{
		"":         "/home/somebody/.local/state/mcpdbg",
		"relative": "/home/somebody/.local/state/mcpdbg",
		"/state":   "/state/mcpdbg",
	} {
		t.Setenv("XDG_STATE_HOME", value)
		dir, err := StateDir()
		require.NoError(t, err)
		require.Equal(t, want, dir)
	}
}

func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{
		"":                       "server",
		"...":                    "server",
		"../../etc/passwd":       "etc-passwd",
		"C:\\x y":                "C-x-y",
		"a--b":                   "a-b",
		"ok_1.2":                 "ok_1.2",
		strings.Repeat("n", 100): strings.Repeat("n", maxName),
	} {
		require.Equal(t, want, safeName(name), name)
	}
}

func TestIDsSortByTime(t *testing.T) {
	at := time.UnixMilli(1700000000000)
	a, b := newID(at), newID(at.Add(time.Millisecond))
	require.Less(t, a, b)
	require.NotEqual(t, a, newID(at))
	require.Equal(t, "01HF7YAT00", a[:10], "the ULID of that time")
}
