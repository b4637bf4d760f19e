package cli

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHaste puts rounds off that follow each other at once, more and more, until
// there is a rest.
func TestHaste(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h haste
		var waits []time.Duration
		round := func() (told bool) {
			wait, told := h.next()
			waits = append(waits, wait/time.Second)
			time.Sleep(wait + time.Minute) // it takes long, and that does not matter
			h.over()
			time.Sleep(hasteAfter)
			return told
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

// TestUnhurried ends at once when it is not wanted any more.
func TestUnhurried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watching{haste: haste{ended: time.Now(), rounds: hasteRounds + 7}}
		begin := time.Now()
		require.NoError(t, w.unhurried(t.Context(), "x changed"))
		require.Equal(t, 8*time.Second, time.Since(begin))
		w.haste.over()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, w.unhurried(ctx, "x changed"), context.Canceled)
		require.Equal(t, 8*time.Second, time.Since(begin))
	})
}
