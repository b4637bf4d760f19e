package link

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// quietly is the waits function of callers that do not report their wait.
func quietly(int) func(error) { return func(error) {} }

func TestGatesAreForEachKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gates{limit: 8}
		begin := time.Now()
		var busy sync.WaitGroup
		for _, addr := range []string{"one:22", "two:22"} {
			for range 3 * 8 {
				busy.Go(func() {
					leave, err := g.enter(t.Context(), addr, quietly)
					require.NoError(t, err)
					time.Sleep(time.Second)
					leave()
				})
			}
		}
		busy.Wait()
		require.Equal(t, 3*time.Second, time.Since(begin))
		require.Empty(t, g.byKey, "unused gates are dropped")
	})
}

func TestGateAdmitsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gates{limit: 1}
		first, err := g.enter(t.Context(), "one", quietly)
		require.NoError(t, err)
		var order []int
		var told []int
		var all sync.WaitGroup
		for i := range 5 {
			all.Go(func() {
				leave, err := g.enter(t.Context(), "one", func(inside int) func(error) {
					told = append(told, inside)
					return func(err error) {
						require.NoError(t, err)
						order = append(order, i)
					}
				})
				require.NoError(t, err)
				leave()
				leave() // a second call has no effect
			})
			synctest.Wait()
		}
		require.Equal(t, []int{1, 1, 1, 1, 1}, told)
		first()
		all.Wait()
		require.Equal(t, []int{0, 1, 2, 3, 4}, order)
		require.Empty(t, g.byKey)
	})
}

func TestGateWaitCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gates{limit: 1}
		leave, err := g.enter(t.Context(), "one", quietly)
		require.NoError(t, err)
		late := errors.New("late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, late)
		defer cancel()
		var told error
		_, err = g.enter(ctx, "one", func(int) func(error) { return func(err error) { told = err } })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, told, late)
		leave()
		require.Empty(t, g.byKey, "a caller that gave up holds no slot")
	})
}

// A slot that is assigned while its owner gives up is not lost.
func TestGatePassesOnALateSlot(t *testing.T) {
	g := gates{limit: 1}
	leave, err := g.enter(t.Context(), "one", quietly)
	require.NoError(t, err)
	turn, _ := g.queueUp("one")
	next, _ := g.queueUp("one")
	leave()
	<-turn
	g.giveUp("one", turn)
	<-next
	g.leave("one")
	require.Empty(t, g.byKey)
}

func TestGateIsLoweredByADrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gates{limit: 8}
		began := time.Now()
		require.Equal(t, 4, g.lower("one", began))
		require.Equal(t, 4, g.lower("one", began.Add(-time.Millisecond)), "connections dropped together lower it once")
		for _, want := range []int{2, 2} {
			time.Sleep(time.Second)
			require.Equal(t, want, g.lower("one", time.Now()))
		}
		inside := func(key string) int {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var leaves []func()
			for {
				leave, err := g.enter(ctx, key, func(int) func(error) { cancel(); return func(error) {} })
				if err != nil {
					for _, l := range leaves {
						l()
					}
					return len(leaves)
				}
				leaves = append(leaves, leave)
			}
		}
		require.Equal(t, 2, inside("one"))
		require.Equal(t, 8, inside("two"), "another server")
		time.Sleep(lowTime - time.Nanosecond)
		require.Equal(t, 2, inside("one"))
		time.Sleep(time.Nanosecond)
		require.Equal(t, 8, inside("one"), "for a while")
		require.Empty(t, g.byKey)

		g = gates{limit: 1}
		require.Equal(t, 1, g.lower("one", time.Now()), "never to nothing")
	})
}
