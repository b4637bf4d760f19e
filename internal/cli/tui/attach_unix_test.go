//go:build unix

package tui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/tap/control"
)

// TestWatch checks which tap a recording is watched through: a live one, a plain one, or
// none.
func TestWatch(t *testing.T) {
	home, err := os.MkdirTemp("", "mcpdbg") //nolint:usetesting // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(home)) })
	t.Setenv("HOME", home)
	dir, err := recordings.TapDir()
	require.NoError(t, err)
	log, err := recordings.Create(recordings.Options{Path: filepath.Join(t.TempDir(), "a.jsonl"), Header: session.Header{Mode: session.ModeTap, Name: "files"}})
	require.NoError(t, err)
	tap, v := watch(t.Context(), log.Path(), log.Header())
	require.Nil(t, v)
	require.Equal(t, "started without --live", tap.Why)

	folder, err := control.Folder(dir)
	require.NoError(t, err)
	s, err := control.Listen(control.Options{Folder: folder, Tap: control.Tap{Name: "files", PID: os.Getpid(), Recording: log.Path()}})
	require.NoError(t, err)
	tap, v = watch(t.Context(), log.Path(), log.Header())
	require.NotNil(t, v)
	require.Same(t, v, tap.Link)
	require.NoError(t, v.Close())
	tap, _ = watch(t.Context(), filepath.Join(home, "other"), session.Header{})
	require.Nil(t, tap, "not the recording of a tap")
	s.Close()

	require.NoError(t, log.Close())
	require.NoError(t, log.Release())
	tap, _ = watch(t.Context(), log.Path(), log.Header())
	require.Nil(t, tap, "it has ended")
}
