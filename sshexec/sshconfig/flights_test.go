package sshconfig

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFlights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flights
		begin := time.Now()
		var all sync.WaitGroup
		ask := func(key cacheKey) {
			all.Go(func() {
				land, err := f.enter(t.Context(), key)
				require.NoError(t, err)
				time.Sleep(time.Second)
				land()
			})
		}
		for port := range 2 * maxFlights {
			ask(cacheKey{dest: Destination{Port: port}})
		}
		all.Wait()
		require.Equal(t, 2*time.Second, time.Since(begin), "few at a time")
		begin = time.Now()
		for range 3 {
			ask(cacheKey{})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		_, err := f.enter(ctx, cacheKey{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		all.Wait()
		require.Equal(t, 3*time.Second, time.Since(begin), "one destination at a time")
		require.Empty(t, f.byKey)
	})
}
