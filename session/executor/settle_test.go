package executor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

func TestSettle(t *testing.T) {
	never := time.Hour
	for _, tc := range []struct {
		name   string
		ago    time.Duration // the leader ended
		goneIn time.Duration // the others end
		takes  time.Duration // at most
		least  time.Duration
	}{
		{"nobody is there", 0, 0, 0, 0},
		{"they follow", 0, 100 * time.Millisecond, 150 * time.Millisecond, 100 * time.Millisecond},
		{"they stay", 0, never, executor.SettleTime, executor.SettleTime},
		{"they stay, a while after the end", 400 * time.Millisecond, never, executor.SettleTime - 400*time.Millisecond, executor.SettleTime - 400*time.Millisecond},
		{"they stay, long after the end", time.Minute, never, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				executor.Settle(t.Context(), begin.Add(-tc.ago), func() bool { return time.Since(begin) >= tc.goneIn })
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
			executor.Settle(ctx, begin, func() bool { return false })
			require.Zero(t, time.Since(begin))
		})
	})
}
