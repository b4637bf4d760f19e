//go:build unix

package knownhosts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that is replaced during Add, as ssh-keygen -R does, gets the line in
// its new form too.
func TestAddToReplacedFile(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "known_hosts"), filepath.Join(dir, "new")
	require.NoError(t, os.WriteFile(file, []byte("old\n"), 0o600))
	require.NoError(t, os.WriteFile(other, []byte("new\n"), 0o600))
	unknown := func() error { return &UnknownError{} }

	done, err := addOnce(t.Context(), file, "line", func() error {
		require.NoError(t, os.Rename(other, file))
		return unknown()
	})
	require.NoError(t, err)
	require.False(t, done)
	done, err = addOnce(t.Context(), file, "line", unknown)
	require.NoError(t, err)
	require.True(t, done)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "new\nline\n", string(text))
}

// Even if a file is large, or grows meanwhile, only a limited part is read.
func TestReadIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Truncate(file, maxFile+2<<20))
	text, err := read(file)
	require.NoError(t, err)
	require.Len(t, text, maxFile+1)
}
