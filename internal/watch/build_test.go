package watch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

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

// TestBackoff: rounds that follow each other at once are delayed more and more,
// until there is a pause.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Backoff
		var waits []time.Duration
		round := func() (warned bool) {
			wait, warned := b.next()
			waits = append(waits, wait/time.Second)
			time.Sleep(wait + time.Minute) // the length of a round does not matter
			b.Over()
			time.Sleep(backoffReset)
			return warned
		}
		for i := range 15 {
			require.Equal(t, i == 2, round(), i)
		}
		require.Equal(t, []time.Duration{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10}, waits)
		time.Sleep(time.Millisecond)
		require.False(t, round())
		require.Zero(t, waits[15])
	})
}

// TestDelay: the delay ends when its context does.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Backoff{ended: time.Now(), rounds: backoffRounds + 7}
		begin := time.Now()
		warn := func(time.Duration) { t.Error("warned again") }
		require.NoError(t, b.Delay(t.Context(), warn))
		require.Equal(t, 8*time.Second, time.Since(begin))
		b.Over()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, b.Delay(ctx, warn), context.Canceled)
		require.Equal(t, 8*time.Second, time.Since(begin))
	})
}
