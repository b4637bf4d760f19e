//go:build unix

package unixsocket

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shortDir returns a private folder whose path is short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "u") //nolint:usetesting // the path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestListenAndDial(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "made", "s")
	l, err := Listen(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	conn, err := Dial(t.Context(), path)
	require.NoError(t, err)
	accepted, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, accepted.Close())
	require.NoError(t, conn.Close())
	_, err = Listen(path)
	require.ErrorIs(t, err, errInUse)
	require.NoError(t, l.Close())
	require.NoFileExists(t, path)
}

func TestListenReplacesSocketOfKilledProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "s")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	require.NoError(t, err)
	dead.SetUnlinkOnClose(false)
	require.NoError(t, dead.Close())
	require.FileExists(t, path)
	l, err := Listen(path)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

func TestListenRefuses(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	open, link, file := filepath.Join(dir, "open"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	require.NoError(t, os.Mkdir(open, 0o700))
	require.NoError(t, os.Chmod(open, 0o750))
	require.NoError(t, os.Symlink(shortDir(t), link))
	require.NoError(t, os.WriteFile(file, []byte("data"), 0o600))
	for path, want := range map[string]string{
		filepath.Join(open, "s"):               "not a private folder",
		filepath.Join(link, "s"):               "not a private folder",
		file:                                   "not a socket",
		filepath.Join(file, "s"):               "not a directory",
		"/tmp/" + strings.Repeat("x", MaxPath): "longer than",
	} {
		_, err := Listen(path)
		require.ErrorContains(t, err, want, path)
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "data", string(data))
}

func TestConnectionOfAnotherUserIsClosed(t *testing.T) {
	t.Parallel()
	l, err := Listen(filepath.Join(shortDir(t), "s"))
	require.NoError(t, err)
	calls := 0
	own := l.(*listener)
	own.accepts = func(net.Conn) bool { calls++; return calls > 1 }
	stranger, err := Dial(t.Context(), l.Addr().String())
	require.NoError(t, err)
	conn, err := Dial(t.Context(), l.Addr().String())
	require.NoError(t, err)
	accepted, err := l.Accept()
	require.NoError(t, err)
	_, err = stranger.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	for _, c := range []io.Closer{stranger, conn, accepted, l} {
		require.NoError(t, c.Close())
	}
}
