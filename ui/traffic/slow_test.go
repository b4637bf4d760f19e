package traffic

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

var slowTests = map[string]func(*testing.T, *stage, *uitest.Server){
	"next-slow": func(t *testing.T, s *stage, x *uitest.Server) {
		s.answersAfter(x, 20*time.Millisecond, 90*time.Millisecond, 20*time.Millisecond, 150*time.Millisecond, 20*time.Millisecond)
		s.act(kit.Top)
		s.Do("next-slow")
		require.Equal(t, s.Row(`"id":3,"result"`), s.cursor())
		require.Equal(t, "slow: over 100 ms (median 20 ms of 5 responses besides the handshake)", s.Said())
		s.Do("next-slow")
		require.Equal(t, "no other slow response or pending request: over 100 ms (median 20 ms of 5 responses besides the handshake)", s.Said())

		s.answersAfter(x, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 240*time.Millisecond, 300*time.Millisecond)
		s.act(kit.Top)
		s.Do("next-slow")
		require.Equal(t, "slow: over 249 ms (5 x the median 50 ms of 11 responses besides the handshake)", s.Said())
		s.send(`{"jsonrpc":"2.0","id":"waits","method":"sleep"}`)
		time.Sleep(time.Second)
		s.grown()
		s.Do("next-slow")
		require.Equal(t, s.Row(`"waits"`), s.cursor(), "a pending request is slow too")

		s.lists.Slow = 45 * time.Millisecond
		s.act(kit.Top)
		s.Do("next-slow")
		require.Equal(t, "slow: over 45 ms (as configured)", s.Said())
	},
	"previous-slow": func(t *testing.T, s *stage, x *uitest.Server) {
		s.answersAfter(x, 150*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond)
		s.Do("previous-slow")
		require.Equal(t, s.Row(`"id":0,"result"`), s.cursor())
		s.Do("previous-slow")
		require.Equal(t, "no other slow response or pending request: over 100 ms (median 20 ms of 3 responses besides the handshake)", s.Said())
	},
}

// TestSlowIgnoresTheHandshake checks that a slow start neither counts in the median nor
// is found as a slow response.
func TestSlowIgnoresTheHandshake(t *testing.T) {
	x := &uitest.Server{Startup: 700 * time.Millisecond}
	live(t, x, Wire, func(t *testing.T, s *stage) {
		s.answersAfter(x, time.Millisecond, 2*time.Second, time.Millisecond)
		slow := s.lists.Slowness()
		require.Equal(t, 3, slow.Responses)
		require.InEpsilon(t, time.Millisecond, slow.Median, 0.05)
		require.Equal(t, s.ws.Shown.Index.Latencies.All().Median(), slow.Median.Microseconds(), "the median of the latency panel")
		s.act(kit.Top)
		s.Do("next-slow")
		require.Equal(t, s.Row(`"id":1,"result"`), s.cursor())
		require.Equal(t, "slow: over 100 ms (median 1.0 ms of 3 responses besides the handshake)", s.Said())
		for _, action := range []string{"next-slow", "previous-slow"} {
			s.Do(action)
			require.Equal(t, s.Row(`"id":1,"result"`), s.cursor())
			require.Equal(t, "no other slow response or pending request: over 100 ms (median 1.0 ms of 3 responses besides the handshake)", s.Said())
		}
	})
}

// TestSlowWraps checks that the search wraps around in both directions, and reports that.
func TestSlowWraps(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Wire, func(t *testing.T, s *stage) {
		s.Do("next-slow")
		require.Equal(t, "no response over 100 ms (no responses besides the handshake)", s.Said())
		s.answersAfter(x, 20*time.Millisecond, 150*time.Millisecond, 20*time.Millisecond, 170*time.Millisecond, 20*time.Millisecond)
		first, last := s.Row(`"id":1,"result"`), s.Row(`"id":3,"result"`)
		s.act(kit.Top)
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
			s.Do(step.action)
			require.Equal(t, step.row, s.cursor(), step.says)
			require.Contains(t, s.Said(), step.says)
		}
	})
}

// TestSlowIgnoresThePerson checks that neither a question of the server nor the call that
// waits for its answer is slow, while it waits and afterwards: not in the search for slow
// responses, not in the latencies, and not in the words on the call.
func TestSlowIgnoresThePerson(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Wire, func(t *testing.T, s *stage) {
		s.answersAfter(x, time.Millisecond, 200*time.Millisecond, time.Millisecond)
		slow := s.Row(`"id":1,"result"`)
		shows := func(row string) {
			t.Helper()
			for _, view := range []string{"2 Messages", "2 All", "2 Calls"} {
				require.Contains(t, s.Text(), view)
				s.act(kit.Top)
				s.Do("next-slow", "next-slow")
				require.Contains(t, s.Said(), "no other slow response or pending request: over 100 ms")
				require.Contains(t, []int{slow, s.Row(`"id":1,"method"`)}, s.cursor(), "its request, in the view of exchanges")
				if view == "2 Calls" {
					require.Regexp(t, row, s.Text())
				}
				s.Do(ActView)
			}
		}
		require.NoError(t, s.ws.Session.SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyAsk}))
		s.Begin(host.SendComposed(s.Context(), "tools/call book", "tools/call", []byte(`{"name":"book"}`), 0))
		synctest.Wait()
		x.Latest().Out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`)
		synctest.Wait()
		time.Sleep(16 * time.Second)
		s.grown()
		s.ws.PullRequests()
		shows(`\? +0:00\.20  book +waits for you: Who\? +0 ms +16\.0 s `)
		require.NoError(t, s.ws.Session.Answer(s.ws.Waiting[0].ID, []byte(`{"action":"decline"}`)))
		s.ws.PullRequests()
		time.Sleep(44 * time.Millisecond)
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[{"type":"text","text":"declined"}]}}`)
		synctest.Wait()
		s.arrive()
		require.Contains(t, s.Said(), "the server answered in 44 ms, you 16.0 s: tools/call book")
		shows(` 0:00\.20  book +declined +44 ms +16\.0 s `)
		require.EqualValues(t, 200_000, s.ws.Shown.Index.Latencies.All().Max)
	})
}
