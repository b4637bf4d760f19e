package cli

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuildAnew begins a command anew for what changes while it runs, up to a
// limit: it may be what writes the files.
func TestBuildAnew(t *testing.T) {
	var b build
	require.False(t, b.stale("a"), "it does not run")
	for range 2 {
		cause := "a"
		for i := range maxAnew {
			ctx, stop := context.WithCancelCause(t.Context())
			b.begin(cause, stop)
			require.Equal(t, cause, b.doing())
			require.True(t, b.stale("b"), i)
			require.ErrorIs(t, context.Cause(ctx), errStale)
			require.True(t, b.stale("c"), "it is being ended")
			cause = b.end()
			require.Equal(t, "c", cause)
			require.Empty(t, b.doing())
		}
		ctx, stop := context.WithCancelCause(t.Context())
		b.begin(cause, stop)
		require.False(t, b.stale("d"), "one is let come to its end")
		require.NoError(t, ctx.Err())
		require.Empty(t, b.end())
		stop(nil)
	}
}
