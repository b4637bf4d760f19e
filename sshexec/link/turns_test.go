package link

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTurnsAreForEachServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		begin := time.Now()
		var busy sync.WaitGroup
		for _, addr := range []string{"one:22", "two:22"} {
			for range 3 * maxHandshakes {
				busy.Go(func() {
					giveBack, err := all.take(t.Context(), addr)
					require.NoError(t, err)
					time.Sleep(time.Second)
					giveBack()
				})
			}
		}
		busy.Wait()
		require.Equal(t, 3*time.Second, time.Since(begin))
		require.Empty(t, all.slots, "nothing is kept of a server that nobody talks to")
	})
}

func TestTurnIsNotWaitedForInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		for range maxHandshakes {
			_, err := all.take(t.Context(), "one:22")
			require.NoError(t, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := all.take(ctx, "one:22")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, maxHandshakes, all.slots["one:22"].users)
	})
}
