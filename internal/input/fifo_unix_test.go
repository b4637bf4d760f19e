//go:build unix

package input

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestOpenDoesNotWaitForFIFOWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(name, 0o600))
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := Open(ctx, name)
	require.NoError(t, err)
	go cancel(errEnough)
	_, err = r.Read(make([]byte, 1))
	require.ErrorIs(t, err, errEnough)
	require.NoError(t, r.Close())

	name += "-2" // the first one has an abandoned reader
	require.NoError(t, unix.Mkfifo(name, 0o600))
	r, err = Open(t.Context(), name)
	require.NoError(t, err)
	go func() { _ = os.WriteFile(name, []byte("text"), 0) }()
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "text", string(got))
	_, err = ReadRegular(name)
	require.ErrorContains(t, err, "not a regular file")
}
