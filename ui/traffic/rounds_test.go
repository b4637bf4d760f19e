package traffic

import (
	"fmt"
	"strings"
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

// quote is a modern tool that asks twice before it answers.
func quote(p *uitest.Process, m uitest.Message) {
	const ask = `{"jsonrpc":"2.0","id":%s,"result":{` + uitest.ModernMeta + `,"resultType":"input_required","inputRequests":{"%s":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"%s"}}`
	time.Sleep(12 * time.Millisecond)
	params := string(m.Params)
	switch {
	case m.Method != "tools/call":
	case strings.Contains(params, `"requestState":"one"`):
		p.Out(ask, m.ID, "again", "two")
	case strings.Contains(params, `"requestState":"two"`):
		p.Out(`{"jsonrpc":"2.0","id":%s,"result":{`+uitest.ModernMeta+`,"resultType":"complete","content":[{"type":"text","text":"ACME 12.30"}]}}`, m.ID)
	default:
		p.Out(ask, m.ID, "confirm", "one")
	}
}

// inModern runs a test on the exchanges of a session with a modern server.
func inModern(t *testing.T, x *uitest.Server, test func(*testing.T, *stage)) {
	t.Helper()
	x.Modern = true
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		require.NoError(t, s.ws.Session.SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyAsk}))
		test(t, s)
	})
}

// call calls a tool, which takes a while to ask or to answer.
func (s *stage) call(params string) {
	s.Begin(host.SendComposed(s.Context(), "tools/call quote", "tools/call", []byte(params), 0))
	s.later(20 * time.Millisecond)
}

// later takes in what happens in a time.
func (s *stage) later(wait time.Duration) {
	time.Sleep(wait)
	s.arrive()
	s.ws.PullRequests()
}

// answer accepts the oldest request of the server.
func (s *stage) answer(content string) {
	s.t.Helper()
	asks := s.ws.Session.ServerRequests()
	require.NotEmpty(s.t, asks)
	time.Sleep(time.Second)
	require.NoError(s.t, s.ws.Session.Answer(asks[0].ID, []byte(`{"action":"accept","content":`+content+`}`)))
	time.Sleep(5 * time.Millisecond)
	synctest.Wait()
	s.later(0)
}

// TestRoundsOfACall follows a call with three rounds, live, and as its recording shows it
// afterwards.
func TestRoundsOfACall(t *testing.T) {
	var frames uitest.Sheet
	inModern(t, &uitest.Server{Serve: quote}, func(t *testing.T, s *stage) {
		s.call(`{"name":"quote","arguments":{"symbol":"ACME"}}`)
		require.Regexp(t, `\? +0:00\.00  quote +symbol="ACME" +waits for you: `, s.table())
		s.answer(`{"confirm":true}`)
		require.Regexp(t, `…-  0:00\.00  quote +symbol="ACME" +2 rounds · running +1\.0 s `, s.table())
		require.Regexp(t, `round 1 +input required: confirm +12 ms`, s.table())
		require.Regexp(t, `…   0:01\.02    round 2 +confirm=true +running`, s.table())
		frames.Add("pending", s.Text())
		s.later(20 * time.Millisecond)
		require.Regexp(t, `\?-  0:00\.00  quote +symbol="ACME" +2 rounds · waits for you: .* 24 ms +1\.0 s`, s.table())
		s.answer(`{"again":true}`)
		s.later(20 * time.Millisecond)
		require.Regexp(t, ` \+  0:00\.00  quote +symbol="ACME" +3 rounds · ACME 12\.30 +36 ms +2\.0 s `, s.table(), "folded again")
		require.NotContains(t, s.table(), "round 1")
		require.Equal(t, s.Row("ACME 12.30"), s.traffic.Viewed(s.cursor()), "the response of the last round")
		folded := s.table()

		s.act(kit.Right)
		s.requireRounds(t)
		for _, size := range [][2]int{{120, 36}, {80, 24}} {
			e := onLog(t, s.ws.Log, Exchanges)
			e.Resize(size[0], size[1])
			if size[0] == 120 {
				require.Equal(t, folded, e.table(), "a recording folds the same way")
			}
			e.act(kit.Right)
			e.requireRounds(t)
			uitest.RequireExact(t, e.Frame(), size[0], size[1])
			frames.Add(fmt.Sprintf("%dx%d", size[0], size[1]), e.Text())
			e.act(kit.Left)
			require.NotContains(t, e.table(), "round 1")
		}
	})
	frames.Golden(t, "rounds")
}

func (s *stage) requireRounds(t *testing.T) {
	t.Helper()
	require.Regexp(t, `(?s)>. -  0:00\.00 .*round 1 .*round 2 .*round 3 `, " "+strings.ReplaceAll(s.table(), "> -", ">. -"))
}

// TestCallTimeIsThatOfTheRow checks that the notice about a call has the server's time, as
// the row does, however late the screen is updated.
func TestCallTimeIsThatOfTheRow(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Wire, func(t *testing.T, s *stage) {
		cmd := host.SendComposed(s.Context(), "tools/call echo", "tools/call", []byte(`{"name":"echo"}`), 0)
		time.Sleep(100 * time.Millisecond) // before the command runs
		s.Begin(cmd)
		synctest.Wait()
		time.Sleep(41 * time.Millisecond)
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		synctest.Wait()
		s.later(time.Second) // before the screen is updated
		require.Contains(t, s.Said(), "echo answered in 41 ms")
		require.Regexp(t, ` 3 +no content +41 ms `, s.Text())
	})
}

// TestCallTimeOfRounds checks that the notice about a call has the time that the server
// took for all rounds, and next to it that in which it waited for the user.
func TestCallTimeOfRounds(t *testing.T) {
	inModern(t, &uitest.Server{Serve: quote}, func(t *testing.T, s *stage) {
		s.call(`{"name":"quote","arguments":{"symbol":"ACME"}}`)
		for _, content := range []string{`{"confirm":true}`, `{"again":true}`} {
			s.answer(content)
			s.later(20 * time.Millisecond)
		}
		require.Contains(t, s.Said(), "quote answered in 36 ms over 3 rounds, you 2.0 s")
		require.Empty(t, s.ws.ServerTime(0), "no row, no time")
	})
}

// TestRoundsAreOneExchange checks that filters, searches and jumps find an exchange by
// each of its rounds, and list it once.
func TestRoundsAreOneExchange(t *testing.T) {
	inModern(t, &uitest.Server{Serve: quote}, func(t *testing.T, s *stage) {
		s.call(`{"name":"quote","arguments":{"symbol":"ACME"}}`)
		for _, content := range []string{`{"confirm":"sure"}`, `{"again":"yes"}`} {
			s.answer(content)
			s.later(20 * time.Millisecond)
		}
		for _, e := range []*stage{s, onLog(t, s.ws.Log, Exchanges)} {
			for text, want := range map[string]int{
				"sure": 1, "yes": 1, "ACME 12.30": 1, "requestState": 1, "tool:quote": 1, "method:tools/call": 1, "dir:in kind:response": 2, "nothing like that": 0,
			} {
				e.Run(e.traffic.SetFilter(parsed(t, text)))
				require.Equal(t, want, e.traffic.Len(), "%s\n%s", text, e.Text())
			}
			e.Run(e.traffic.SetFilter(nil))
			e.act(kit.Top)
			require.NoError(t, e.lists.SetSearch("12.30"))
			e.Run(e.lists.Start(TrafficList))
			e.settle()
			call := e.cursor()
			require.Regexp(t, `>.\+ +0:00\.00  quote +symbol`, e.Text())
			e.Run(e.lists.FindNext(TrafficList, 1))
			e.settle()
			require.Equal(t, call, e.cursor(), "one exchange")
		}
	})
}

// TestRoundsKeepTheSelection checks that the cursor goes to the exchange when the round
// under it is folded.
func TestRoundsKeepTheSelection(t *testing.T) {
	inModern(t, &uitest.Server{Serve: quote}, func(t *testing.T, s *stage) {
		s.call(`{"name":"quote"}`)
		s.answer(`{}`)
		s.act(kit.Down)
		require.Regexp(t, `>.*round 1`, s.table())
		s.later(20 * time.Millisecond)
		s.answer(`{}`)
		require.Regexp(t, `>.*round 1`, s.table(), "nothing shifts")
		s.later(20 * time.Millisecond)
		require.Regexp(t, `> \+ +0:00\.00  quote +3 rounds`, s.table())
	})
}

// TestCancelledExchange checks the row of a cancelled call, the progress that still
// arrives, and a late response.
func TestCancelledExchange(t *testing.T) {
	x := &uitest.Server{}
	inModern(t, x, func(t *testing.T, s *stage) {
		s.KeepTime()
		s.Begin(host.SendComposed(s.Context(), "tools/call crawl", "tools/call", []byte(`{"name":"crawl"}`), 0))
		s.later(2100 * time.Millisecond)
		require.Equal(t, 1, host.PendingRequests(s.ws))
		s.Run(host.CancelRequest(s.Context(), s.cursor()))
		arrive := func(wait time.Duration) {
			s.later(wait)
			host.WatchCancelled(s.Context())
		}
		arrive(0)
		require.Zero(t, host.PendingRequests(s.ws))
		require.Regexp(t, `⊘\+  0:00\.00  crawl +cancelled by you +2\.1 s `, s.table())
		rows := s.traffic.Len()
		for i := range 3 {
			x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-2","progress":%d}}`, i)
		}
		arrive(3 * time.Second)
		require.Regexp(t, `⊘\+  0:00\.00  crawl +cancelled by you · no answer +2\.1 s `, s.table())
		require.Equal(t, rows, s.traffic.Len(), "late progress belongs to its call")
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-2","result":{"content":[]}}`)
		arrive(0)
		require.Regexp(t, `⊘\+  0:00\.00  crawl +cancelled by you · answered late +2\.1 s `, s.table())
		require.Equal(t, s.table(), onLog(t, s.ws.Log, Exchanges).table())
		require.Empty(t, s.ws.Calls)
	})
}
