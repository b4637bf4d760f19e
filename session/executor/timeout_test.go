package executor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPausableTimeout(t *testing.T) {
	errOuter, errInner := errors.New("outer"), errors.New("inner")
	for _, c := range []struct {
		name         string
		outer, inner time.Duration
		pause        time.Duration // after one second
		ends         time.Duration
		cause        error
	}{
		{"inner ends first", 5 * time.Second, 3 * time.Second, 0, 3 * time.Second, errInner},
		{"outer ends first", 2 * time.Second, 3 * time.Second, 0, 2 * time.Second, errOuter},
		{"a pause counts for neither", 2 * time.Second, 3 * time.Second, time.Hour, time.Hour + 2*time.Second, errOuter},
		{"nor for the inner one", 5 * time.Second, 3 * time.Second, time.Hour, time.Hour + 3*time.Second, errInner},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				ctx, cancelOuter := WithPausableTimeout(t.Context(), c.outer, errOuter)
				defer cancelOuter()
				ctx, cancelInner := WithPausableTimeout(ctx, c.inner, errInner)
				defer cancelInner()
				time.Sleep(time.Second)
				if c.pause > 0 {
					resume, again := Pause(ctx), Pause(ctx)
					again()
					time.Sleep(c.pause)
					require.NoError(t, ctx.Err())
					require.Equal(t, time.Second, Elapsed(ctx))
					resume()
					resume()
				}
				<-ctx.Done()
				require.Equal(t, c.ends, time.Since(begin))
				require.Equal(t, c.cause, context.Cause(ctx))
				require.Equal(t, c.ends-c.pause, Elapsed(ctx))
			})
		})
	}
}

func TestPausableTimeoutIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := WithPausableTimeout(t.Context(), time.Second, errors.New("late"))
		resume := Pause(ctx)
		cancel()
		resume()
		time.Sleep(time.Hour)
		require.Equal(t, context.Canceled, context.Cause(ctx))
		Pause(t.Context())() // without a timeout
		require.Zero(t, Elapsed(t.Context()))
	})
}
