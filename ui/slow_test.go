package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/calls"
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

// TestSlowIgnoresThePerson checks that neither a question of the server nor the call that
// waits for its answer is slow, while it waits and afterwards: not in the search for slow
// responses, not in the latencies, and not in the footer.
func TestSlowIgnoresThePerson(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		answersAfter(d, x, time.Millisecond, 200*time.Millisecond, time.Millisecond)
		slow := d.row(`"id":1,"result"`)
		shows := func(row string) {
			t.Helper()
			for _, view := range []string{"2 Wire", "2 All", "2 Exchanges"} {
				require.Contains(t, d.plain(), view)
				d.do(kit.Top, "next-slow", "next-slow")
				require.Contains(t, d.lastLine(), "no other slow response or pending request: over 100 ms")
				require.Contains(t, []int{slow, d.row(`"id":1,"method"`)}, d.cursor(), "its request, in the view of exchanges")
				if view == "2 Exchanges" {
					require.Regexp(t, row, d.plain())
				}
				d.do("timeline")
			}
		}
		d.begin(calls.Request(d.visible.context(), "tools/call book", "tools/call", []byte(`{"name":"book"}`), 0))
		synctest.Wait()
		d.asked(x, 0, "elicitation/create", askName)
		time.Sleep(16 * time.Second)
		d.take(tick{})
		shows(`tools/call book +waits for your answer · you 16\.0 s +\d`)
		require.NoError(t, d.visible.ws.Session.Answer(d.visible.ws.Waiting[0].ID, []byte(`{"action":"decline"}`)))
		time.Sleep(44 * time.Millisecond)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[{"type":"text","text":"declined"}]}}`)
		synctest.Wait()
		d.arrive()
		require.Contains(t, d.lastLine(), "the server answered in 44 ms, you 16.0 s: tools/call book")
		shows(`tools/call book +you 16\.0 s · "declined" +44 ms`)
		require.EqualValues(t, 200_000, d.visible.ws.Shown.Index.Latencies.All().Max)
	})
}
