package watch

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuildRestarts: changes while the command runs restart it, up to a limit,
// since it may itself write the files.
func TestBuildRestarts(t *testing.T) {
	b := Build{Command: "make"}
	require.False(t, b.Stale("a"), "it does not run")
	for range 2 {
		cause := "a"
		for i := range maxRestarts {
			ctx, stop := context.WithCancelCause(t.Context())
			b.begin(cause, stop)
			require.Equal(t, "running make: "+cause, b.Doing())
			require.True(t, b.Stale("b"), i)
			require.ErrorIs(t, context.Cause(ctx), errStale)
			require.True(t, b.Stale("c"), "it is being cancelled")
			cause = b.end()
			require.Equal(t, "c", cause)
			require.Empty(t, b.Doing())
		}
		ctx, stop := context.WithCancelCause(t.Context())
		b.begin(cause, stop)
		require.False(t, b.Stale("d"), "one may finish")
		require.NoError(t, ctx.Err())
		require.Empty(t, b.end())
		stop(nil)
	}
}
