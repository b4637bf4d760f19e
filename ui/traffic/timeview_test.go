package traffic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// A timeStage has the time view of a session, and a table under a filter.
type timeStage struct {
	*uitest.Room
	state TimeState
}

func newTimeStage(t *testing.T, h *uitest.Host) *timeStage {
	s := &timeStage{Room: uitest.NewRoom(h)}
	s.Actions = TimeActions(func(host.Context) *TimeState { return &s.state })
	s.Filtered = s.setFilter
	s.grown()
	return s
}

// setFilter lists the exchanges that pass a filter by their request or response.
func (s *timeStage) setFilter(f *filter.Filter) {
	p := s.Context().Workspace.Shown
	if s.Filter, s.Passing = f, p.Index.Exchanges.List; f == nil {
		return
	}
	m := f.Matcher(p.Source)
	s.Passing = &table.Folded{}
	for _, number := range p.Index.Exchanges.List.All() {
		row, _ := p.Rows.At(int(number))
		response, _ := p.Index.Exchanges.ResponseOf(int(number), &row)
		answer, ok := p.Rows.At(response)
		if m.Match(int(number), row) || ok && m.Match(response, answer) {
			s.Passing.Append(number, 0)
		}
	}
}

// grown takes in new rows, and what they lead to.
func (s *timeStage) grown() {
	s.Run(s.Context().Panes().Refresh())
	s.setFilter(s.Filter)
	s.Run(s.state.Grown(s.Context()))
	for len(s.Timers) > 0 {
		s.Elapse()
	}
}

func (s *timeStage) parse(t *testing.T, text string) {
	f, err := filter.Parse(text)
	require.NoError(t, err)
	s.setFilter(f)
}

// respondInTime makes a server respond after different times: at once, late, with an error,
// after a question to the user, after a long pause, and not yet.
func respondInTime(t *testing.T, s *session.Session, p *uitest.Process) {
	for _, method := range []string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots} {
		require.NoError(t, s.SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
	}
	send := func(line string) {
		_, err := s.Send(t.Context(), []byte(line))
		require.NoError(t, err)
	}
	after := func(ms int) {
		synctest.Wait()
		time.Sleep(time.Duration(ms) * time.Millisecond) // of the bubble's clock
	}
	call := func(id int, tool string, ms int) {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{"n":%d}}}`, id, tool, id))
		after(ms)
	}
	text := `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`
	for i := 1; i <= 4; i++ {
		call(i, "echo", 12*i)
		p.Out(text, i, "Echo")
		after(300)
	}
	call(5, "long-run", 1500)
	p.Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1,"total":2}}`)
	after(1500)
	p.Out(text, 5, "done")
	after(100)
	call(6, "get-sum", 30)
	p.Out(`{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"b must be a number"}],"isError":true}}`)
	after(20_000)
	call(7, "book-room", 200)
	p.Out(`{"jsonrpc":"2.0","id":"e-1","method":"elicitation/create","params":{"message":"Which date?","requestedSchema":{"type":"object","properties":{}}}}`)
	after(2500)
	require.NoError(t, s.Answer(s.ServerRequests()[0].ID, json.RawMessage(`{"action":"decline"}`)))
	after(400)
	p.Out(text, 7, "Booked")
	after(50)
	send(`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"note://missing"}}`)
	after(9)
	p.Out(`{"jsonrpc":"2.0","id":8,"error":{"code":-32002,"message":"Resource not found"}}`)
	after(100)
	call(9, "slow", 1200)
}

// timed runs a test on a session with different times.
func timed(t *testing.T, w, h int, test func(*testing.T, *timeStage)) {
	t.Helper()
	x := &uitest.Server{}
	uitest.Live(t, x, w, h, func(t *testing.T, h *uitest.Host) {
		respondInTime(t, h.Context().Workspace.Session, x.Latest())
		test(t, newTimeStage(t, h))
	})
}

// TestTimeFrames shows the tabs of the time view, at all widths at which something
// gives way.
func TestTimeFrames(t *testing.T) {
	for view, actions := range map[string][]string{"waterfall": {"waterfall"}, "sequence": {"sequence"}, "latency": {"latency"}} {
		var frames uitest.Sheet
		for _, tc := range []struct {
			w, h  int
			ascii bool
		}{{200, 60, false}, {120, 36, false}, {80, 24, false}, {60, 20, false}, {120, 36, true}, {60, 20, true}} {
			timed(t, tc.w, tc.h, func(t *testing.T, s *timeStage) {
				if s.Screen().ASCII = tc.ascii; !tc.ascii {
					s.Colours()
				}
				s.Do(actions...)
				uitest.RequireExact(t, s.Frame(), tc.w, tc.h)
				frames.Add(fmt.Sprintf("%dx%d ascii %t", tc.w, tc.h, tc.ascii), s.Frame())
			})
		}
		frames.Golden(t, view)
	}
}

// TestTimeUnderAFilter checks that a filter stays in force, and that the numbers are
// those of the exchanges that pass, also of later ones.
func TestTimeUnderAFilter(t *testing.T) {
	timed(t, 120, 36, func(t *testing.T, s *timeStage) {
		s.parse(t, "tool:echo or tool:slow")
		s.Do("latency")
		require.Regexp(t, `> all +4 +0 +2\d ms +4\d ms +4\d ms`, s.Text())
		require.Contains(t, s.Text(), "filter tool:echo or tool:slow")
		require.NotContains(t, s.Text(), "long-run")
		s.Do("time-latency-previous-tab")
		require.Contains(t, s.Text(), "result Echo")
		require.NotContains(t, s.Text(), "elicitation")
		s.Do("time-sequence-previous-tab")
		require.NotContains(t, s.Text(), "get-sum")
		s.Do("time-waterfall-previous-tab")

		uitest.Append(t, s.Context().Workspace.Session.Log(), `< {"jsonrpc":"2.0","id":9,"result":{"content":[]}}`)
		s.grown()
		require.Regexp(t, `> all +5 +0`, s.Text(), "the pending call has a response now")
		s.Do("time-latency-down", "latency-filter")
		require.Equal(t, "tool:slow", s.Filter.String(), "an alternative is replaced")
		s.Do("latency", "time-latency-bottom", "latency-filter")
		s.setFilter(nil)
		s.Do("latency")
		require.Contains(t, s.Text(), "long-run")
	})
}

// TestTimeAtAMoment checks that the time view shows an earlier moment of a recording as
// it was.
func TestTimeAtAMoment(t *testing.T) {
	ws := uitest.NewWorkspace(t, uitest.Times(t))
	const rows = 26 // up to 1.2 s
	past := session.NewPast(ws.Log.(session.Rewinder))
	past.To(rows)
	ws.Shown = ws.Whole.Past(workspace.Moment{Past: past})
	ws.Shown.Index = ws.Whole.Index.UpTo(ws.Shown.Source, rows, 1_200_000)
	s := newTimeStage(t, uitest.NewHost(t, ws, 120, 36))
	s.Do("latency")
	require.Regexp(t, `> all +4 `, s.Text())
	require.NotContains(t, s.Text(), "long-run")
	s.Do("time-latency-next-tab")
	require.NotContains(t, s.Text(), "long-run")
	s.Do("time-waterfall-close")
	ws.Shown = ws.Whole
	s.grown()
	s.Do("latency")
	require.Regexp(t, `> all +8 `, s.Text())
}

// TestClosingTimeKeepsTheSelection checks that opening and closing the time view changes
// nothing, and that a row that was gone to there stays selected.
func TestClosingTimeKeepsTheSelection(t *testing.T) {
	timed(t, 120, 36, func(t *testing.T, s *timeStage) {
		s.Do("time", "time-waterfall-close")
		require.Empty(t, s.Selected)
		all := s.Context().Workspace.Shown.Index.Exchanges.List.All()
		s.Context().Workspace.AtRow = int(all[1])
		s.Do("time", "time-waterfall-close")
		require.Empty(t, s.Selected)
		s.Do("time", "time-waterfall-down", "time-waterfall-close")
		require.Equal(t, []int{s.Row(`"id":2,"result"`)}, s.Selected, "its response")
	})
}

// TestTimeWithTheMouse checks that a tab, a line and a column head are clicked.
func TestTimeWithTheMouse(t *testing.T) {
	timed(t, 120, 36, func(t *testing.T, s *timeStage) {
		line := func(y int) string { return strings.Split(s.Text(), "\n")[y] }
		click := func(on string, y int) (again bool) {
			t.Helper()
			before, _, found := strings.Cut(line(y), on)
			require.True(t, found, line(y))
			again, hit := s.state.view.Click(len([]rune(before)), y)
			require.True(t, hit)
			return again
		}
		s.Do("waterfall")
		click("latency", 1)
		require.Contains(t, s.Text(), "[latency]")
		click("failed", 2)
		require.Contains(t, s.Text(), "failed▾")
		click("failed", 2)
		require.Contains(t, s.Text(), "failed▴")
		require.False(t, click("book-room", 4))
		require.Contains(t, line(4), "> ")
		require.True(t, click("book-room", 4), "which filters")
	})
}

// recordedTime returns a stage on a recording with two exchanges besides the handshake, a
// second apart, and others.
func recordedTime(t *testing.T, others int) *timeStage {
	lines := []string{
		rectest.Started,
		`> {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		`< {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"}}}`,
		`> {"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"alpha"}}`,
		`< {"jsonrpc":"2.0","id":"a-1","result":{"content":[]}}`,
		`> {"jsonrpc":"2.0","id":"b-1","method":"resources/read","params":{"uri":"beta"}}`, `"k":"note","text":"a millisecond"`,
		`< {"jsonrpc":"2.0","id":"b-1","result":{"contents":[]}}`,
	}
	for range others {
		lines = append(lines, `> {"jsonrpc":"2.0","id":"c","method":"ping"}`, `< {"jsonrpc":"2.0","id":"c","result":{}}`)
	}
	return newTimeStage(t, uitest.NewHost(t, uitest.NewWorkspace(t, rectest.Session(t, lines...)), 160, 36))
}

// atCursor returns the line with the cursor, and its place.
func (s *timeStage) atCursor() string {
	for i, line := range strings.Split(s.Text(), "\n") {
		if strings.HasPrefix(line, ">") {
			return fmt.Sprint(i, line)
		}
	}
	return ""
}

func TestTimeActions(t *testing.T) {
	with := func(action, shown string, test func(*testing.T, *timeStage)) func(*testing.T) {
		return func(t *testing.T) {
			s := recordedTime(t, 0)
			s.Do(action)
			require.Contains(t, s.Text(), shown)
			test(t, s)
		}
	}
	opens := func(*testing.T, *timeStage) {}
	tests := map[string]func(*testing.T){
		"waterfall": with("waterfall", "[waterfall]", opens),
		"sequence":  with("sequence", "[sequence]", opens),
		"latency":   with("latency", "[latency]", opens),
		"time": with("time", "[waterfall]", func(t *testing.T, s *timeStage) {
			s.Do("time-waterfall-close")
			require.Nil(t, s.Context().View)
			s.Do("latency", "time-latency-close", "time")
			require.Contains(t, s.Text(), "[latency]", "the tab is kept")
		}),
		"waterfall-select": with("waterfall", "alpha", func(t *testing.T, s *timeStage) {
			s.Do("time-waterfall-top", "waterfall-select")
			require.Nil(t, s.Context().View)
			require.Equal(t, []int{2}, s.Selected, "the response of the handshake")
		}),
		"waterfall-whole": with("waterfall", "0:00", func(t *testing.T, s *timeStage) {
			fitted := s.Text()
			s.Do("waterfall-whole", "waterfall-whole")
			require.Equal(t, fitted, s.Text())
		}),
		"waterfall-slowest": with("waterfall", "0:00", func(t *testing.T, s *timeStage) {
			s.Do("time-waterfall-top", "waterfall-slowest")
			require.Contains(t, s.atCursor(), "beta", "the one that took a millisecond")
		}),
		"sequence-open": with("sequence", "alpha", func(t *testing.T, s *timeStage) {
			s.Do("sequence-open")
			require.Equal(t, []int{7}, s.Selected)
			require.Equal(t, []string{host.ActOpen}, s.Done)
		}),
		"sequence-partner": with("sequence", "result", func(t *testing.T, s *timeStage) {
			before := s.Text()
			s.Do("sequence-partner")
			require.NotEqual(t, before, s.Text())
			s.Do("sequence-partner")
			require.Equal(t, before, s.Text())
		}),
		"latency-filter": with("latency", "alpha", func(t *testing.T, s *timeStage) {
			s.Do("latency-filter")
			require.Equal(t, "nothing is filtered: the table shows all calls", s.Said())
			s.Do("time-latency-bottom", "latency-filter")
			require.Nil(t, s.Context().View)
			require.NotNil(t, s.Filter)
			s.Do("latency", "time-latency-top", "latency-filter")
			require.Equal(t, "filter cleared: the table shows all calls", s.Said())
			require.Nil(t, s.Filter)
		}),
		"latency-slowest": func(t *testing.T) {
			with("latency", "resources/read", func(t *testing.T, s *timeStage) {
				s.Do("latency-slowest")
				require.Nil(t, s.Context().View)
				require.Equal(t, []int{7}, s.Selected)
			})(t)
			timed(t, 120, 36, func(t *testing.T, s *timeStage) {
				s.Do("time", "time-waterfall-previous-tab", "latency-slowest")
				require.Equal(t, []int{s.Row(`"id":5,"result"`)}, s.Selected, "without the time that book-room waited for an answer")
			})
		},
		"latency-histogram": with("latency", "alpha", func(t *testing.T, s *timeStage) {
			s.Do("latency-histogram")
			require.NotContains(t, s.Text(), "histogram of")
			s.Do("latency-histogram")
			require.Regexp(t, `histogram of all   █ `, s.Text())
		}),
		"latency-sort": with("latency", "max▾", func(t *testing.T, s *timeStage) {
			s.Do("latency-sort")
			require.Contains(t, s.Text(), "you▾")
		}),
		"latency-reverse": with("latency", "max▾", func(t *testing.T, s *timeStage) {
			s.Do("latency-reverse")
			require.Contains(t, s.Text(), "max▴")
		}),
	}
	for id, end := range map[string]string{"waterfall-zoom-in": kit.Top, "waterfall-zoom-out": kit.Top, "waterfall-left": kit.Bottom, "waterfall-right": kit.Top} {
		tests[id] = with("waterfall", "alpha", func(t *testing.T, s *timeStage) {
			s.Do("time-waterfall-"+end, "waterfall-whole", "waterfall-zoom-in", "waterfall-zoom-in")
			ticks := strings.Split(s.Text(), "\n")[2]
			s.Do(id)
			require.NotEqual(t, ticks, strings.Split(s.Text(), "\n")[2])
		})
	}
	for tab, shown := range map[string]string{"waterfall": "[waterfall]", "sequence": "[sequence]", "latency": "[latency]"} {
		for _, way := range []string{kit.Down, kit.Up, kit.PageDown, kit.PageUp, kit.Top, kit.Bottom} {
			tests["time-"+tab+"-"+way] = func(t *testing.T) {
				s := recordedTime(t, 40)
				s.Do(tab)
				s.Text()
				s.Do("time-"+tab+"-"+kit.Top, "time-"+tab+"-"+kit.Down)
				at := s.atCursor()
				s.Do("time-" + tab + "-" + way)
				require.NotEqual(t, at, s.atCursor())
			}
		}
		for _, action := range []string{"next-tab", "previous-tab"} {
			tests["time-"+tab+"-"+action] = with(tab, shown, func(t *testing.T, s *timeStage) {
				s.Do("time-" + tab + "-" + action)
				require.NotContains(t, s.Text(), shown)
			})
		}
		tests["time-"+tab+"-"+host.CloseName] = with(tab, shown, func(t *testing.T, s *timeStage) {
			s.Do("time-" + tab + "-" + host.CloseName)
			require.Nil(t, s.Context().View)
		})
	}
	uitest.TestActions(t, TimeActions(nil), tests, func(t *testing.T, test func(*testing.T)) { test(t) })
}

// TestWaterfallShowsProcesses checks that the end of a process, with the restart, is a row
// with a rule.
func TestWaterfallShowsProcesses(t *testing.T) {
	s := newTimeStage(t, uitest.NewHost(t, uitest.NewWorkspace(t, rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
		`"k":"exited","code":1`, `"k":"closed","stdout":{},"stderr":{},"stdin":{}`, rectest.Started,
		`> {"jsonrpc":"2.0","id":2,"method":"ping"}`, `< {"jsonrpc":"2.0","id":2,"result":{}}`)), 100, 20))
	s.Do("waterfall")
	require.Regexp(t, `✗ +0:00\.00 exited 1 · restarted +─+`, s.Text())
}
