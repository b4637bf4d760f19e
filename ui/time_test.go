package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/wire"
)

// inTime makes a server respond after different times: at once, late, with an
// error, after a question to the user, after a long pause, and not yet.
func inTime(t *testing.T, s *session.Session, x *fakeExecutor) {
	t.Helper()
	person(t, s)
	p := x.latest()
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
		p.out(text, i, "Echo")
		after(300)
	}
	call(5, "long-run", 1500)
	p.out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1,"total":2}}`)
	after(1500)
	p.out(text, 5, "done")
	after(100)
	call(6, "get-sum", 30)
	p.out(`{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"b must be a number"}],"isError":true}}`)
	after(20_000)
	call(7, "book-room", 200)
	p.out(`{"jsonrpc":"2.0","id":"e-1","method":"elicitation/create","params":{"message":"Which date?","requestedSchema":{"type":"object","properties":{}}}}`)
	after(2500)
	require.NoError(t, s.Answer(s.ServerRequests()[0].ID, json.RawMessage(`{"action":"decline"}`)))
	after(400)
	p.out(text, 7, "Booked")
	after(50)
	send(`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"note://missing"}}`)
	after(9)
	p.out(`{"jsonrpc":"2.0","id":8,"error":{"code":-32002,"message":"Resource not found"}}`)
	after(100)
	call(9, "slow", 1200)
}

// timed runs a test on a session with different times, in the view of exchanges.
func timed(t *testing.T, o Options, w, h int, test func(*testing.T, *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), nil)
		require.NoError(t, s.Open(t.Context()))
		inTime(t, s, x)
		o.Session, o.Title = s, "fake (local)"
		test(t, driveAs(t, o, w, h))
	})
}

// TestTimeFrames shows the tabs of the time view, and the waterfall next to the
// exchanges, at all widths at which something gives way.
func TestTimeFrames(t *testing.T) {
	views := map[string][]string{
		"table": {actZoom}, "waterfall": {"waterfall"}, "sequence": {"sequence"}, "latency": {"latency", "latency-histogram"},
	}
	for _, tc := range []struct {
		w, h         int
		plain, ascii bool
	}{
		{w: 200, h: 60}, {w: 120, h: 36}, {w: 80, h: 24}, {w: 60, h: 20},
		{w: 120, h: 36, plain: true, ascii: true}, {w: 60, h: 20, plain: true, ascii: true},
	} {
		for view, actions := range views {
			if view == "table" && tc.w < 160 {
				continue
			}
			name := fmt.Sprintf("time-%s-%dx%d", view, tc.w, tc.h)
			if tc.plain {
				name += "-ascii"
			}
			t.Run(name, func(t *testing.T) {
				timed(t, Options{NoColor: tc.plain, Settings: Settings{ASCII: tc.ascii}}, tc.w, tc.h, func(t *testing.T, d *driver) {
					d.do(actions...)
					requireExact(t, d.content(), tc.w, tc.h)
					uitest.Golden(t, name, d.content())
				})
			})
		}
	}
}

// TestSlowestCall checks that the slowest call is found with three keys.
func TestSlowestCall(t *testing.T) {
	timed(t, Options{}, 120, 36, func(t *testing.T, d *driver) {
		d.write("t3s")
		require.Contains(t, d.plain(), " 5 tools/call long-run", "without the time that book-room waited for an answer")
		require.Equal(t, wire.Scope, d.visible.scope())
	})
}

// TestTimeUnderAFilter checks that a filter stays in force, and that the numbers
// are those of the exchanges that pass, also of later ones.
func TestTimeUnderAFilter(t *testing.T) {
	timed(t, Options{}, 120, 36, func(t *testing.T, d *driver) {
		d.run(d.visible.rows.SetFilter(parse(t, "tool:echo or tool:slow")))
		d.do("latency")
		require.Regexp(t, `> all +4 +0 +2\d ms +4\d ms +4\d ms`, d.plain())
		require.Contains(t, d.plain(), "filter tool:echo or tool:slow")
		require.NotContains(t, d.plain(), "long-run")
		d.do("time-latency-show-sequence")
		require.Contains(t, d.plain(), `result "Echo"`)
		require.NotContains(t, d.plain(), "elicitation")
		d.do("time-sequence-show-waterfall")
		require.NotContains(t, d.plain(), "get-sum")
		d.do("time-waterfall-show-latency")

		late := session.Entry{Kind: session.KindStdout, Seq: 1000, EOL: framing.LF, Payload: []byte(`{"jsonrpc":"2.0","id":9,"result":{"content":[]}}`)}
		late.Msg = framing.Scan(late.Payload)
		require.NoError(t, d.visible.ws.Session.Log().Append([]session.Entry{late}))
		d.pull()
		require.Regexp(t, `> all +5 +0`, d.plain(), "the pending call has a response now")
		d.do("time-latency-down", "time-latency-down", "latency-filter")
		require.Equal(t, "tool:slow", d.visible.rows.Traffic.Shown.String(), "an alternative is replaced")
		d.do("latency", "time-latency-bottom", "latency-filter", "time-latency-close")
		d.run(d.visible.rows.SetFilter(nil))
		d.do("latency")
		require.Contains(t, d.plain(), "long-run")
	})
}

// TestTimeAtAMoment checks that the time view shows an earlier moment of a
// recording as it was.
func TestTimeAtAMoment(t *testing.T) {
	timed(t, Options{}, 120, 36, func(t *testing.T, live *driver) {
		d := driveAs(t, Options{Source: live.visible.ws.Shown.Source, Title: "session.jsonl"}, 120, 36)
		d.goTo("0:01.2")
		d.do("latency")
		require.Regexp(t, `> all +4 `, d.plain())
		require.NotContains(t, d.plain(), "long-run")
		d.do("time-latency-show-waterfall")
		require.NotContains(t, d.plain(), "long-run")
		d.do("time-waterfall-close", host.ActWhole, "latency")
		require.Regexp(t, `> all +8 `, d.plain())
	})
}

// TestClosingTimeKeepsTheSelection checks that opening and closing the time view
// changes nothing, and that a row that was gone to there stays selected.
func TestClosingTimeKeepsTheSelection(t *testing.T) {
	timed(t, Options{}, 120, 36, func(t *testing.T, d *driver) {
		d.write("tt")
		require.True(t, d.visible.rows.Traffic.Following())
		d.do(kit.Top, kit.Down, "time", "time-waterfall-close")
		first := d.cursor()
		require.Equal(t, 1, d.visible.rows.Traffic.Listed().Position(first))
		d.do("time", "time-waterfall-down", "time-waterfall-close")
		require.Equal(t, 2, d.visible.rows.Traffic.Listed().Position(d.cursor()))
		require.Contains(t, d.plain(), " 2 tools/call echo", "its response")
	})
}

// TestTimeWithTheMouse checks that a tab, a line and a column head are clicked.
func TestTimeWithTheMouse(t *testing.T) {
	timed(t, Options{}, 120, 36, func(t *testing.T, d *driver) {
		click := func(on string, y int) {
			t.Helper()
			x := strings.Index(d.rows()[y], on)
			require.GreaterOrEqual(t, x, 0, d.rows()[y])
			d.take(tea.MouseClickMsg{X: len([]rune(d.rows()[y][:x])), Y: y, Button: tea.MouseLeft})
		}
		d.do("waterfall")
		click("Latency", 1)
		require.Contains(t, d.plain(), "[3 Latency]")
		click("err", 2)
		require.Contains(t, d.plain(), "err▾")
		click("err", 2)
		require.Contains(t, d.plain(), "err▴")
		click("resources/read", 4)
		require.Contains(t, d.rows()[4], "> ")
		click("resources/read", 4)
		require.Nil(t, d.front.top(), "a second click filters")
		require.Equal(t, "method:resources/read", d.visible.rows.Traffic.Shown.String())
	})
}

// timeTests tests the actions of the time view.
func timeTests() map[string]actionTest {
	with := func(action, shown string) actionTest {
		return func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.send(`{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"alpha"}}`)
			time.Sleep(time.Second) // of the bubble's clock
			d.send(`{"jsonrpc":"2.0","id":"b-1","method":"resources/read","params":{"uri":"beta"}}`)
			d.pull()
			d.do(action)
			require.Contains(t, d.plain(), shown)
		}
	}
	tests := map[string]actionTest{
		"waterfall": with("waterfall", "[1 Waterfall]"),
		"sequence":  with("sequence", "[2 Sequence]"),
		"latency":   with("latency", "[3 Latency]"),
		"time": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("time", "[1 Waterfall]")(t, d, x)
			d.take(tea.KeyPressMsg{Code: 't', Text: "t"})
			require.NotContains(t, d.plain(), "Waterfall")
			d.do("latency", "time-latency-close", "time")
			require.Contains(t, d.plain(), "[3 Latency]", "the tab is kept")
		},
		"waterfall-select": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("waterfall", "alpha")(t, d, x)
			d.do("time-waterfall-top", "waterfall-select")
			require.Nil(t, d.front.top())
			require.Contains(t, d.plain(), "#1 server/dis", "the response of the handshake")
		},
		"waterfall-whole": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("waterfall", "0 s")(t, d, x)
			fitted := d.plain()
			d.do("waterfall-whole", "waterfall-whole")
			require.Equal(t, fitted, d.plain())
		},
		"sequence-open": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("sequence", "alpha")(t, d, x)
			d.do("sequence-open")
			require.Equal(t, detailID, d.panes.focus)
		},
		"sequence-partner": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("sequence", "result")(t, d, x)
			before := d.plain()
			d.do("sequence-partner")
			require.NotEqual(t, before, d.plain())
			d.do("sequence-partner")
			require.Equal(t, before, d.plain())
		},
		"latency-filter": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("latency", "alpha")(t, d, x)
			d.do("latency-filter")
			require.Contains(t, d.plain(), "nothing is filtered: the table shows all exchanges")
			d.do("time-latency-bottom", "latency-filter")
			require.Nil(t, d.front.top())
			require.NotNil(t, d.visible.rows.Traffic.Shown)
			d.do("latency", "time-latency-top", "latency-filter")
			require.Contains(t, d.plain(), "filter cleared")
			require.Nil(t, d.visible.rows.Traffic.Shown)
		},
		"latency-slowest": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("latency", "resources/read")(t, d, x)
			d.do("latency-slowest")
			require.Nil(t, d.front.top())
			require.Contains(t, d.plain(), `"b-1" beta`)
		},
		"latency-histogram": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("latency", "alpha")(t, d, x)
			d.do("latency-histogram")
			require.Contains(t, d.plain(), "2 responses, slowest")
		},
		"latency-sort": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("latency", "max▾")(t, d, x)
			d.do("latency-sort")
			require.Contains(t, d.plain(), "latency▾")
		},
		"latency-reverse": func(t *testing.T, d *driver, x *fakeExecutor) {
			with("latency", "max▾")(t, d, x)
			d.do("latency-reverse")
			require.Contains(t, d.plain(), "max▴")
		},
	}
	for id, end := range map[string]string{"waterfall-zoom-in": kit.Top, "waterfall-zoom-out": kit.Top, "waterfall-left": kit.Bottom, "waterfall-right": kit.Top} {
		tests[id] = func(t *testing.T, d *driver, x *fakeExecutor) {
			with("waterfall", "alpha")(t, d, x)
			d.do("time-waterfall-"+end, "waterfall-whole", "waterfall-zoom-in", "waterfall-zoom-in")
			ticks := d.rows()[2]
			d.do(id)
			require.NotEqual(t, ticks, d.rows()[2])
		}
	}
	for tab, id := range map[string]string{"waterfall": "[1 Waterfall]", "sequence": "[2 Sequence]", "latency": "[3 Latency]"} {
		for _, way := range []string{kit.Down, kit.Up, kit.PageDown, kit.PageUp, kit.Top, kit.Bottom} {
			tests["time-"+tab+"-"+way] = func(t *testing.T, d *driver, x *fakeExecutor) {
				with(tab, id)(t, d, x)
				for range 40 {
					d.send(`{"jsonrpc":"2.0","id":"c","method":"ping"}`)
				}
				d.pull()
				d.do("time-"+tab+"-"+kit.Top, "time-"+tab+"-"+kit.Down)
				at := d.atCursor()
				d.do("time-" + tab + "-" + way)
				require.NotEqual(t, at, d.atCursor())
			}
		}
		for _, action := range []string{"next-tab", "previous-tab", "show-waterfall", "show-sequence", "show-latency"} {
			tests["time-"+tab+"-"+action] = func(t *testing.T, d *driver, x *fakeExecutor) {
				with(tab, id)(t, d, x)
				d.do("time-" + tab + "-" + action)
				shown := strings.TrimPrefix(action, "show-")
				require.Equal(t, shown == tab, strings.Contains(d.plain(), id))
			}
		}
		tests["time-"+tab+"-"+host.CloseName] = func(t *testing.T, d *driver, x *fakeExecutor) {
			with(tab, id)(t, d, x)
			d.do("time-" + tab + "-" + host.CloseName)
			require.Nil(t, d.front.top())
		}
	}
	return tests
}

// atCursor returns the line of the screen with the cursor, and its place.
func (d *driver) atCursor() string {
	for i, line := range d.rows() {
		if strings.HasPrefix(line, ">") {
			return fmt.Sprint(i, line)
		}
	}
	return ""
}
