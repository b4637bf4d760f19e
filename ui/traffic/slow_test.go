package traffic

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

var slowTests = map[string]func(*testing.T, *stage, *uitest.Server){
	"next-slow": func(t *testing.T, s *stage, x *uitest.Server) {
		s.Do("next-slow")
		require.Equal(t, "no call", s.Said())
		s.answersAfter(x, 20*time.Millisecond, 90*time.Millisecond, 20*time.Millisecond, 60*time.Millisecond, 20*time.Millisecond)
		s.Do("next-slow")
		require.Equal(t, s.Row(`"id":1,"result"`), s.cursor(), "the slowest also if none is slow")
		require.Equal(t, "the slowest, 90 ms: none over 100 ms", s.Said())

		s.answersAfter(x, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 260*time.Millisecond, 300*time.Millisecond, 280*time.Millisecond)
		for _, step := range []struct{ action, id, says string }{
			{"next-slow", "6", "slowest of 3 over 249 ms"}, {"next-slow", "7", "2nd of 3 over 249 ms"},
			{"next-slow", "5", "3rd of 3 over 249 ms"}, {"next-slow", "6", "slowest of 3 over 249 ms"},
			{"previous-slow", "5", "3rd of 3 over 249 ms"}, {"previous-slow", "7", "2nd of 3 over 249 ms"},
		} {
			s.Do(step.action)
			require.Equal(t, s.Row(`"id":`+step.id+`,"result"`), s.cursor(), step)
			require.Equal(t, step.says, s.Said())
		}
		s.lists.Traffic.Select(s.Row(`"id":5,"result"`))
		s.Do("next-slow")
		require.Equal(t, s.Row(`"id":6,"result"`), s.cursor(), "from another row, slow or not, it is the slowest")
		s.send(`{"jsonrpc":"2.0","id":"waits","method":"sleep"}`)
		time.Sleep(time.Second)
		s.grown()
		s.act(kit.Top)
		s.Do("next-slow")
		require.Equal(t, s.Row(`"waits"`), s.cursor(), "a pending request is slow too")

		s.lists.Slow = 45 * time.Millisecond
		s.act(kit.Top)
		s.Do("next-slow")
		require.Equal(t, "slowest of 11 over 45 ms", s.Said())
	},
	"previous-slow": func(t *testing.T, s *stage, x *uitest.Server) {
		s.answersAfter(x, 150*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond)
		s.Do("previous-slow")
		require.Equal(t, s.Row(`"id":0,"result"`), s.cursor())
		s.Do("previous-slow")
		require.Equal(t, "slowest of 1 over 100 ms", s.Said())
	},
}

// TestSlowIgnoresTheHandshake checks that a slow start neither counts in the median nor
// is found as a slow call.
func TestSlowIgnoresTheHandshake(t *testing.T) {
	x := &uitest.Server{Startup: 700 * time.Millisecond}
	live(t, x, Wire, func(t *testing.T, s *stage) {
		s.answersAfter(x, time.Millisecond, 2*time.Second, time.Millisecond)
		require.InEpsilon(t, time.Millisecond.Microseconds(), s.ws.Shown.Index.Latencies.All().Median(), 0.05)
		s.act(kit.Top)
		for _, action := range []string{"next-slow", "next-slow", "previous-slow"} {
			s.Do(action)
			require.Equal(t, s.Row(`"id":1,"result"`), s.cursor())
			require.Equal(t, "slowest of 1 over 100 ms", s.Said())
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
				require.Equal(t, "slowest of 1 over 100 ms", s.Said())
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
		require.Contains(t, s.Said(), "book answered in 44 ms, you 16.0 s")
		shows(` 0:00\.20  book +declined +44 ms +16\.0 s `)
		require.EqualValues(t, 200_000, s.ws.Shown.Index.Latencies.All().Max)
	})
}

// TestFilterSlow checks that a filter follows the median while a log grows, and the setting.
func TestFilterSlow(t *testing.T) {
	for _, view := range []View{Wire, Exchanges} {
		x := &uitest.Server{}
		live(t, x, view, func(t *testing.T, s *stage) {
			answer := func(id string) uint32 {
				if view == Exchanges {
					return uint32(s.Row(`"id":` + id + `,"method"`))
				}
				return uint32(s.Row(`"id":` + id + `,"result"`))
			}
			s.Run(s.traffic.SetFilter(parsed(t, "is:slow")))
			s.answersAfter(x, 20*time.Millisecond, 150*time.Millisecond)
			require.Contains(t, s.passing(), answer("1"), "over 100 ms, as it arrived")
			s.answersAfter(x, 80*time.Millisecond, 80*time.Millisecond, 80*time.Millisecond, 700*time.Millisecond)
			require.Contains(t, s.passing(), answer("3"))
			for _, row := range s.passing() {
				took, ok := s.ws.Shown.Rows.At(int(row))
				require.True(t, ok)
				partner, ok := s.ws.Shown.Rows.PartnerOf(took)
				require.True(t, ok)
				require.Greater(t, max(took.T, partner.T)-min(took.T, partner.T), int64(400_000), "5 times the median")
			}
			s.lists.Slow = 60 * time.Millisecond
			s.grown()
			require.Contains(t, s.passing(), answer("1"))
			require.Contains(t, s.passing(), answer("2"))
		})
	}
}

// TestFilterUnanswered checks that a pending request is unanswered once the log is complete.
func TestFilterUnanswered(t *testing.T) {
	log := &ending{File: uitest.NewLog(t)}
	add := func(kind session.Kind, payload string) {
		e := session.Entry{Kind: kind, Payload: []byte(payload), EOL: framing.LF}
		e.Msg = framing.Scan(e.Payload)
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	add(session.KindStdin, `{"jsonrpc":"2.0","id":1,"method":"a"}`)
	add(session.KindStdin, `{"jsonrpc":"2.0","id":2,"method":"b"}`)
	for _, view := range []View{Wire, Exchanges} {
		log.complete = false
		s := onLog(t, log, view)
		s.Run(s.traffic.SetFilter(parsed(t, "is:unanswered")))
		require.Empty(t, s.passing(), "they are running")
		log.complete = true
		s.grown()
		require.Contains(t, s.passing(), uint32(1))
		if view == Wire {
			require.Contains(t, s.passing(), uint32(0))
			add(session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			s.grown()
		}
		require.NotContains(t, s.passing(), uint32(0), "it was answered")
	}
}

// An ending log is complete when a test says so.
type ending struct {
	*recordings.File
	complete bool
}

func (e *ending) Stats() session.Stats {
	stats := e.File.Stats()
	stats.Recording = session.RecordingOn
	if e.complete {
		stats.Recording = session.RecordingDone
	}
	return stats
}
