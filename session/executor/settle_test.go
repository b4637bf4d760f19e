package executor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSettle(t *testing.T) {
	never := time.Hour
	for _, tc := range []struct {
		name   string
		ago    time.Duration // the leader ended
		goneIn time.Duration // the others exit
		takes  time.Duration // at most
		least  time.Duration
	}{
		{"no process", 0, 0, 0, 0},
		{"processes follow", 0, 100 * time.Millisecond, 150 * time.Millisecond, 100 * time.Millisecond},
		{"processes stay", 0, never, SettleTime, SettleTime},
		{"processes stay, a while after the exit", 400 * time.Millisecond, never, SettleTime - 400*time.Millisecond, SettleTime - 400*time.Millisecond},
		{"processes stay, long after the exit", time.Minute, never, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				settle(t.Context(), begin.Add(-tc.ago), func() bool { return time.Since(begin) >= tc.goneIn })
				require.LessOrEqual(t, time.Since(begin), tc.takes)
				require.GreaterOrEqual(t, time.Since(begin), tc.least)
			})
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			begin := time.Now()
			settle(ctx, begin, func() bool { return false })
			require.Zero(t, time.Since(begin))
		})
	})
}
