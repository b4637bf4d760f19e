package filelock

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTurns: a lock is that of one process at a time, here of one open file, and none is
// taken with a context that is over.
func TestTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Take(over, path)
	require.ErrorIs(t, err, context.Canceled)
	first, err := Take(t.Context(), path)
	require.NoError(t, err)
	got := make(chan error, 1)
	waiting, giveUp := context.WithCancel(t.Context())
	go func() {
		_, err := Take(waiting, path)
		got <- err
	}()
	giveUp()
	require.ErrorIs(t, <-got, context.Canceled)
	require.NoError(t, first.Close())
	second, err := Take(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, second.Close())
}
