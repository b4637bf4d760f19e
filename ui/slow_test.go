package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/kit"
)

// TestSlowIgnoresTheHandshake checks that a slow start neither counts in the
// median nor is found as a slow response.
func TestSlowIgnoresTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), nil)
		x.startup = 700 * time.Millisecond
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait()
		d := drive(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		answersAfter(d, x, time.Millisecond, 2*time.Second, time.Millisecond)
		slow := d.visible.rows.Slowness()
		require.Equal(t, 3, slow.Responses)
		require.InEpsilon(t, time.Millisecond, slow.Median, 0.05)
		require.Equal(t, d.visible.ws.Shown.Index.Latencies.All().Median(), slow.Median.Microseconds(), "the median of the latency panel")
		d.do(kit.Top, "next-slow")
		require.Equal(t, d.row(`"id":1,"result"`), d.cursor())
		require.Contains(t, d.lastLine(), "slow: over 100 ms (median 1.0 ms of 3 responses besides the handshake)")
		for _, action := range []string{"next-slow", "previous-slow"} {
			d.do(action)
			require.Equal(t, d.row(`"id":1,"result"`), d.cursor())
			require.Contains(t, d.lastLine(), "no other slow response or pending request: over 100 ms (median 1.0 ms of 3 responses besides the handshake)")
		}
	})
}

// TestSlowWraps checks that the search wraps around in both directions, and
// reports that.
func TestSlowWraps(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("next-slow")
		require.Contains(t, d.lastLine(), "no response over 100 ms (no responses besides the handshake)")
		answersAfter(d, x, 20*time.Millisecond, 150*time.Millisecond, 20*time.Millisecond, 170*time.Millisecond, 20*time.Millisecond)
		first, last := d.row(`"id":1,"result"`), d.row(`"id":3,"result"`)
		d.do(kit.Top)
		for _, step := range []struct {
			action string
			row    int
			says   string
		}{
			{"next-slow", first, "slow: over 100 ms (median 20 ms of 5 responses besides the handshake)"},
			{"next-slow", last, "slow: over 100 ms"},
			{"next-slow", first, "wrapped to the top; slow: over 100 ms (median"},
			{"previous-slow", last, "wrapped to the bottom; slow: over 100 ms (median"},
			{"previous-slow", first, "slow: over 100 ms"},
		} {
			d.do(step.action)
			require.Equal(t, step.row, d.cursor(), step.says)
			require.Contains(t, d.lastLine(), step.says)
		}
	})
}
