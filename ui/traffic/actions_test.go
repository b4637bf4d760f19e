package traffic

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// flood sends n notifications of the same method.
func (s *stage) flood(method string, n int) {
	for range n {
		s.send(`{"jsonrpc":"2.0","method":"notifications/` + method + `"}`)
	}
}

// fails sends a request that is answered with an error, and a notification, and returns
// the row of the error.
func (s *stage) fails(x *uitest.Server) int {
	s.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	x.Latest().Out(`{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"too tired"}}`)
	x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	synctest.Wait()
	s.grown()
	return s.Row("too tired")
}

// selects moves the cursor to a row.
func (s *stage) selects(row int) {
	s.traffic.Select(row)
	s.settle()
}

func TestWireActions(t *testing.T) {
	tests := map[string]func(*testing.T, *stage, *uitest.Server){}
	for id, test := range actionTests {
		tests[id] = test
	}
	for id, test := range slowTests {
		tests[id] = test
	}
	tests[actOnly] = func(t *testing.T, _ *stage, _ *uitest.Server) { TestOnly(t) }
	uitest.TestActions(t, Actions(nil, nil), tests, func(t *testing.T, test func(*testing.T, *stage, *uitest.Server)) {
		x := &uitest.Server{}
		live(t, x, Wire, func(t *testing.T, s *stage) { test(t, s, x) })
	})
}

var actionTests = map[string]func(*testing.T, *stage, *uitest.Server){
	ActView: func(t *testing.T, s *stage, x *uitest.Server) {
		x.Latest().Err("to stderr")
		synctest.Wait()
		s.grown()
		require.NotContains(t, s.Text(), "to stderr")
		s.Do(ActView)
		require.Contains(t, s.line(1), "2 All ")
		require.Regexp(t, `(?m)^> +3 +0:00\.\d\d   to stderr`, s.Text())
		require.Regexp(t, `(?m)^ +- +0:00\.\d\d +start +mcp-stdio-1 pid 4121 local`, s.Text())
		require.Equal(t, s.ws.Shown.Index.Scanned, s.traffic.Len())
		s.Do(ActView)
		require.Contains(t, s.line(1), "2 Calls ")
		s.Do(ActView)
		require.Contains(t, s.line(1), "2 Messages 5")
		require.Equal(t, 5, s.traffic.Len())
	},
	"mark": func(t *testing.T, s *stage, x *uitest.Server) {
		s.selects(s.fails(x))
		s.Do("mark")
		require.Regexp(t, `(?m)^>✗◆ +3 `, s.Text())
		s.act(kit.Down)
		require.Regexp(t, `(?m)^ ✗◆ +3 `, s.Text(), "both marks are shown")
		s.Do("mark")
		require.Regexp(t, `(?m)^> ◆ +4 `, s.Text(), "a second mark")
		s.Do("mark")
		require.Regexp(t, `(?m)^> +4 `, s.Text())
		s.act(kit.Up)
		s.Do("mark")
		require.Regexp(t, `(?m)^>✗ +3 `, s.Text())
		s.Settle, s.ws.Selected.Traffic = nil, false
		s.Do("mark")
		require.Equal(t, "x mark: no row of the traffic is selected", s.Said())
	},
	"next-mark": func(t *testing.T, s *stage, _ *uitest.Server) {
		s.Do("next-mark")
		require.Equal(t, "x next mark: no row is marked", s.Said())
		first, last := s.Row("unknown method"), s.Row("notifications/initialized")
		for _, row := range []int{last, first} {
			s.selects(row)
			s.Do("mark")
		}
		s.act(kit.Top)
		s.Do("next-mark")
		require.Equal(t, first, s.cursor())
		s.Do("next-mark")
		require.Equal(t, last, s.cursor())
		s.Do("next-mark")
		require.Equal(t, "no mark below", s.Said())
		s.Run(s.lists.SetFilter(parsed(t, "kind:request")))
		s.act(kit.Top)
		s.Do("next-mark")
		require.Equal(t, "no mark below; 2 hidden", s.Said())
	},
	"previous-mark": func(t *testing.T, s *stage, _ *uitest.Server) {
		s.act(kit.Top)
		s.Do("mark")
		s.act(kit.Bottom)
		s.Do("previous-mark")
		require.Equal(t, s.Row("server/discover"), s.cursor())
		s.Do("previous-mark")
		require.Equal(t, "no mark above", s.Said())
	},
	"time-zero": func(t *testing.T, s *stage, _ *uitest.Server) {
		s.send(`{"jsonrpc":"2.0","method":"notifications/a"}`)
		time.Sleep(1500 * time.Millisecond)
		s.send(`{"jsonrpc":"2.0","method":"notifications/b"}`)
		s.selects(s.Row("notifications/a"))
		time.Sleep(250 * time.Millisecond)
		s.send(`{"jsonrpc":"2.0","method":"notifications/c"}`)
		s.selects(s.Row("notifications/b"))
		s.Do("time-zero")
		require.Regexp(t, ` -0:01\.50 → notifications/a`, s.Text())
		require.Regexp(t, ` \+0:00\.00 → notifications/b`, s.Text())
		require.Regexp(t, ` \+0:00\.25 → notifications/c`, s.Text())
		require.Contains(t, s.line(1), "time from 0:01.50")
		require.Contains(t, s.line(2), "+/-time")
		s.act(kit.Up)
		s.Do("time-zero")
		require.Regexp(t, ` 0:01\.50 → notifications/b`, s.Text())
		require.NotContains(t, s.line(1), "time from")
	},
	"time-clock": func(t *testing.T, s *stage, _ *uitest.Server) {
		began := s.ws.Shown.Source.Header().Start.Local().Format("15:04:05.000")
		require.NotContains(t, s.Text(), began)
		s.Do("time-clock")
		require.Contains(t, s.line(3), began+" → server/discover")
		require.Contains(t, s.line(1), "local time")
		s.Do("time-clock")
		require.NotContains(t, s.Text(), began)
	},
	"fold-flood": func(t *testing.T, s *stage, _ *uitest.Server) {
		s.flood("x", 8)
		require.Regexp(t, `→ notifications/x ×8 `, s.Text())
		require.Equal(t, 6, s.traffic.Len())
		s.flood("x", 1)
		require.Contains(t, s.Text(), "notifications/x ×9 ")
		s.Do("fold-flood")
		require.Equal(t, 14, s.traffic.Len())
		require.NotContains(t, s.Text(), "×")
		s.Do("fold-flood")
		require.Equal(t, 6, s.traffic.Len())
		require.True(t, s.lists.Unfold(), "enter unfolds")
		require.Equal(t, 14, s.traffic.Len())
		require.False(t, s.lists.Unfold())
		s.act(kit.Top)
		s.Do("fold-flood")
		require.Equal(t, "x fold: the selected row has nothing folded", s.Said())
	},
	"unfold": func(t *testing.T, s *stage, _ *uitest.Server) {
		s.Do(ActView, ActView)
		s.act(kit.Top)
		require.Contains(t, s.line(1), "2 Calls ━")
		require.Regexp(t, `> \+ +0:00.00  handshake +2025-11-25 +fake 1`, s.line(3))
		s.Do("unfold")
		require.Equal(t, 5, s.traffic.Len())
		require.Regexp(t, `answer +-32601: `, s.line(4))
		require.Regexp(t, `→ initialize `, s.line(5))
		s.act(kit.Down)
		s.Do("fold-flood")
		require.Equal(t, 1, s.traffic.Len())
		s.Do("unfold")
		s.act(kit.Left)
		require.Equal(t, 1, s.traffic.Len(), "left folds")
	},
	"fold-floods": func(t *testing.T, s *stage, _ *uitest.Server) {
		s.flood("x", 8)
		s.flood("y", 6)
		require.Equal(t, 7, s.traffic.Len())
		s.Do("fold-floods")
		require.Equal(t, 19, s.traffic.Len())
		require.Contains(t, s.Said(), "all rows shown")
		s.Run(s.lists.SetFilter(parsed(t, "kind:notification")))
		require.Equal(t, 15, s.traffic.Len(), "under a filter too")
		s.Do("fold-floods")
		require.Equal(t, 3, s.traffic.Len())
		s.Run(s.lists.SetFilter(nil))
		require.Equal(t, 7, s.traffic.Len())
	},
}

// TestFloodStaysUnderTheCursor checks that rows under the cursor do not fold when more
// of them arrive, and that a jump into a flood unfolds it.
func TestFloodStaysUnderTheCursor(t *testing.T) {
	live(t, &uitest.Server{}, Wire, func(t *testing.T, s *stage) {
		s.flood("x", 3)
		s.act(kit.Up)
		at := s.cursor()
		s.flood("x", 20)
		require.Equal(t, at, s.cursor())
		require.Contains(t, s.Text(), "notifications/x ×20")
		require.Equal(t, 5+3+1, s.traffic.Len())

		s.send(`{"jsonrpc":"2.0","method":"notifications/end","params":"needle"}`)
		s.flood("x", 8)
		s.act(kit.Top)
		inFlood := s.ws.Shown.Index.Scanned - 4
		s.traffic.Select(inFlood)
		require.NotEqual(t, inFlood, s.cursor())
		s.traffic.Reveal(inFlood)
		require.Equal(t, inFlood, s.cursor())
		require.Equal(t, 5+3+1+1+8, s.traffic.Len())
	})
}

// TestLossNotes checks that a lost request shows the reason.
func TestLossNotes(t *testing.T) {
	for want, end := range map[string]func(p *uitest.Process){
		`server exited 3`:       func(p *uitest.Process) { p.Exit(executor.Exit{Kind: executor.ExitCode, Code: 3}) },
		`server killed by KILL`: func(p *uitest.Process) { p.Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}) },
		`out of reach`:          func(p *uitest.Process) { p.Journal.Fail(errText("out of reach")) },
	} {
		x := &uitest.Server{}
		live(t, x, Wire, func(t *testing.T, s *stage) {
			s.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}`)
			require.Regexp(t, `… +- +0:00\.00 → tools/call +7 +a +0 ms`, s.Text())
			end(x.Latest())
			synctest.Wait()
			s.grown()
			require.Regexp(t, `∅ +- +0:00\.00 → tools/call +7 +no answer: `+want+`  a `, s.Text())
		})
	}
}

type errText string

func (e errText) Error() string { return string(e) }

// TestTimeline shows all entries in one list, in two sizes.
func TestTimeline(t *testing.T) {
	var frames uitest.Sheet
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		s := newStage(t, uitest.NewHost(t, uitest.NewWorkspace(t, uitest.Everything(t)), size[0], size[1]), Wire)
		s.act(kit.Bottom)
		s.Do("mark")
		s.act(kit.Up, kit.Up)
		s.Do("mark", ActView, "time-zero")
		s.act(kit.Bottom)
		frames.Add("all", s.Text())
		require.NoError(t, s.lists.SetSearch("tool"))
		s.Run(s.lists.Start(TrafficList))
		s.settle()
		s.Run(s.lists.SetFilter(parsed(t, "!kind:event and !method:resources/*")))
		uitest.RequireExact(t, s.Frame(), size[0], size[1])
		frames.Add("filtered", s.Text())
	}
	frames.Golden(t, "timeline")
}

// TestTableBesideBars shows the waterfall next to the exchanges on a wide screen.
func TestTableBesideBars(t *testing.T) {
	s := newStage(t, uitest.NewHost(t, uitest.NewWorkspace(t, uitest.Times(t)), 200, 60), Exchanges)
	uitest.RequireExact(t, s.Frame(), 200, 60)
	uitest.Golden(t, "table-200x60", s.Text())
}

// TestNewlineOfFlushedLineIsNoRow checks that a newline that arrives after its line was
// shown makes no empty row, neither in the stderr pane nor in the traffic, while an empty
// line does; the view of all has every entry of the log.
func TestNewlineOfFlushedLineIsNoRow(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Wire, func(t *testing.T, s *stage) {
		output := func(text string) {
			x.Latest().Journal.Output(executor.Stderr, []byte(text))
			time.Sleep(time.Second)
			synctest.Wait()
			s.grown()
		}
		output("panic: boom")
		require.Equal(t, 1, s.lists.Stderr.Len())
		output("\n")
		require.Equal(t, 1, s.lists.Stderr.Len())
		s.Do(ActView)
		require.Equal(t, s.ws.Shown.Source.Len(), s.traffic.Len(), "the view of all")
		require.Contains(t, s.Text(), "  (end of the previous line)")
		s.Do(ActView, ActView)
		output("\n")
		require.Equal(t, 2, s.lists.Stderr.Len(), "the empty line is counted")
	})
}

// TestWhoRefused checks that an automatic refusal differs from a refusal by
// policy or by the user, although the server receives the same error.
func TestWhoRefused(t *testing.T) {
	for mode, note := range map[session.PolicyMode]string{session.PolicyRefuse: "answered by a rule -32601", session.PolicyDecline: "answered -32601"} {
		x := &uitest.Server{}
		live(t, x, Wire, func(t *testing.T, s *stage) {
			require.NoError(t, s.ws.Session.SetPolicy("roots/list", session.Policy{Mode: mode}))
			x.Latest().Out(`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
			synctest.Wait()
			s.grown()
			require.Regexp(t, "roots/list +3 +"+note, s.Text())
		})
	}
}
