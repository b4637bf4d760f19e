package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSlowIgnoresTheHandshake holds that a slow start neither counts in the
// median nor is found as a slow response.
func TestSlowIgnoresTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), nil)
		x.startup = 700 * time.Millisecond
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait()
		d := drive(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		answersAfter(d, x, time.Millisecond, 2*time.Second, time.Millisecond)
		slow := d.slowness()
		require.Equal(t, 3, slow.responses)
		require.Equal(t, time.Millisecond, slow.median)
		d.do(actTop, actNextSlow)
		require.Equal(t, d.row(`"id":1,"result"`), d.cursor())
		require.Contains(t, d.lastLine(), "slow: over 100 ms (median 1 ms of 3 responses, without the handshake)")
		for _, action := range []string{actNextSlow, actPrevSlow} {
			d.do(action)
			require.Equal(t, d.row(`"id":1,"result"`), d.cursor())
			require.Contains(t, d.lastLine(), "no other slow response or pending request: over 100 ms (median 1 ms of 3 responses, without the handshake)")
		}
	})
}

// TestSlowWraps holds that the search goes on at the other end, in both
// directions, and says so.
func TestSlowWraps(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actNextSlow)
		require.Contains(t, d.lastLine(), "no response over 100 ms (no responses besides the handshake's)")
		answersAfter(d, x, 20*time.Millisecond, 150*time.Millisecond, 20*time.Millisecond, 170*time.Millisecond, 20*time.Millisecond)
		first, last := d.row(`"id":1,"result"`), d.row(`"id":3,"result"`)
		d.do(actTop)
		for _, step := range []struct {
			action string
			row    int
			says   string
		}{
			{actNextSlow, first, "slow: over 100 ms (median 20 ms of 5 responses, without the handshake)"},
			{actNextSlow, last, "slow: over 100 ms"},
			{actNextSlow, first, "wrapped to the top; slow: over 100 ms (median"},
			{actPrevSlow, last, "wrapped to the bottom; slow: over 100 ms (median"},
			{actPrevSlow, first, "slow: over 100 ms"},
		} {
			d.do(step.action)
			require.Equal(t, step.row, d.cursor(), step.says)
			require.Contains(t, d.lastLine(), step.says)
		}
	})
}
