package ui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/termsafe"
)

// flood sends n notifications of the same method.
func (d *driver) flood(method string, n int) {
	for range n {
		d.send(`{"jsonrpc":"2.0","method":"notifications/` + method + `"}`)
	}
}

// answersAfter has requests answered, each after a time.
func answersAfter(d *driver, x *fakeExecutor, took ...time.Duration) {
	for i, took := range took {
		d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sleep"}`, i))
		time.Sleep(took)
		x.latest().out(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i)
		synctest.Wait()
		d.pull()
	}
}

var trafficActionTests = map[string]actionTest{
	actTimeline: func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().err("to stderr")
		synctest.Wait()
		d.pull()
		require.NotContains(t, d.rows()[10], "to stderr")
		d.do(actTimeline)
		require.Contains(t, d.rows()[1], "2 Traffic + stderr 6")
		require.Regexp(t, `┃> +3 +0:00\.\d\d ! to stderr +┃`, d.plain())
		d.do(actTimeline)
		require.Contains(t, d.rows()[1], "2 Timeline ")
		require.Regexp(t, `┃ \* +- +0:00\.\d\d +start +mcp-stdio-1 pid 4121 local`, d.plain())
		require.Equal(t, d.index.scanned, d.traffic.Len())
		d.do(actTimeline)
		require.Contains(t, d.rows()[1], "2 Traffic 5")
		require.Equal(t, 5, d.traffic.Len())
	},
	actNextSlow: func(t *testing.T, d *driver, x *fakeExecutor) {
		answersAfter(d, x, 20*time.Millisecond, 90*time.Millisecond, 20*time.Millisecond, 150*time.Millisecond, 20*time.Millisecond)
		d.do(actTop, actNextSlow)
		require.Equal(t, d.row(`"id":3,"result"`), d.cursor())
		require.Contains(t, d.rows()[35], "slow: over 100 ms (median 20 ms of 5 responses, without the handshake)")
		d.do(actNextSlow)
		require.Contains(t, d.rows()[35], "no other slow response or pending request: over 100 ms (median 20 ms of 5 responses, without the handshake)")

		answersAfter(d, x, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 240*time.Millisecond, 300*time.Millisecond)
		d.do(actTop, actNextSlow)
		require.Contains(t, d.rows()[35], "slow: over 250 ms (5 x the median 50 ms of 11 responses, without the handshake)")
		d.send(`{"jsonrpc":"2.0","id":"waits","method":"sleep"}`)
		time.Sleep(time.Second)
		d.take(tick{})
		d.do(actNextSlow)
		require.Equal(t, d.row(`"waits"`), d.cursor(), "what waits is slow too")

		d.opts.Slow = 45 * time.Millisecond
		d.do(actTop, actNextSlow)
		require.Contains(t, d.rows()[35], "slow: over 45 ms (as set)")
	},
	actPrevSlow: func(t *testing.T, d *driver, x *fakeExecutor) {
		answersAfter(d, x, 150*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond)
		d.do(actPrevSlow)
		require.Equal(t, d.row(`"id":0,"result"`), d.cursor())
		d.do(actPrevSlow)
		require.Contains(t, d.rows()[35], "no other slow response or pending request: over 100 ms (median 20 ms of 3 responses, without the handshake)")
	},
	actMark: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.traffic.Select(d.fails(x))
		d.do(actTraffic, actMark)
		require.Regexp(t, `┃>xm +3 `, d.plain())
		d.do(actDown)
		require.Regexp(t, `┃ xm +3 `, d.plain(), "both marks are seen")
		d.do(actMark)
		require.Regexp(t, `┃> m +4 `, d.plain(), "a second one")
		d.do(actMark)
		require.Regexp(t, `┃>  +4 `, d.plain())
		d.do(actUp, actMark)
		require.Regexp(t, `┃>x +3 `, d.plain())
		require.Contains(t, d.rows()[35], "mark taken away")
		d.do(actStderr, actMark)
		require.Contains(t, d.rows()[35], "x mark: no row of the traffic is selected")
	},
	actNextMark: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actNextMark)
		require.Contains(t, d.rows()[35], "x next mark: no row is marked")
		first, last := d.row("unknown method"), d.row("notifications/initialized")
		for _, row := range []int{last, first} {
			d.traffic.Select(row)
			d.do(actTraffic, actMark)
		}
		d.do(actTop, actNextMark)
		require.Equal(t, first, d.cursor())
		d.do(actNextMark)
		require.Equal(t, last, d.cursor())
		d.do(actNextMark)
		require.Contains(t, d.rows()[35], "no mark below")
		d.run(d.setFilter(parse(t, "kind:request")))
		d.do(actTop, actNextMark)
		require.Contains(t, d.rows()[35], "no mark below; 2 not shown now")
	},
	actPrevMark: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actTop, actMark, actBottom, actPrevMark)
		require.Equal(t, d.row("server/discover"), d.cursor())
		d.do(actPrevMark)
		require.Contains(t, d.rows()[35], "no mark above")
	},
	actTimeZero: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","method":"notifications/a"}`)
		time.Sleep(1500 * time.Millisecond)
		d.send(`{"jsonrpc":"2.0","method":"notifications/b"}`)
		d.traffic.Select(d.row("notifications/a"))
		time.Sleep(250 * time.Millisecond)
		d.send(`{"jsonrpc":"2.0","method":"notifications/c"}`)
		d.traffic.Select(d.row("notifications/b"))
		d.do(actTraffic, actTimeZero)
		require.Regexp(t, ` -0:01\.50 > notifications/a`, d.plain())
		require.Regexp(t, ` \+0:00\.00 > notifications/b`, d.plain())
		require.Regexp(t, ` \+0:00\.25 > notifications/c`, d.plain())
		require.Contains(t, d.rows()[1], "time from 0:01.50")
		require.Contains(t, d.rows()[2], "+/-time")
		d.do(actUp, actTimeZero)
		require.Regexp(t, ` 0:01\.50 > notifications/b`, d.plain())
		require.NotContains(t, d.rows()[1], "time from")
	},
	actTimeWall: func(t *testing.T, d *driver, _ *fakeExecutor) {
		began := d.source.Header().Start.Local().Format("15:04:05.000")
		require.NotContains(t, d.plain(), began)
		d.do(actTimeWall)
		require.Contains(t, d.rows()[3], began+" > server/discover")
		require.Contains(t, d.rows()[1], "local time")
		d.do(actTimeWall)
		require.NotContains(t, d.plain(), began)
	},
	actFlood: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.flood("x", 8)
		require.Regexp(t, `> notifications/x x 8  \(collapsed, enter unfolds\)`, d.plain())
		require.Equal(t, 6, d.traffic.Len())
		d.flood("x", 1)
		require.Contains(t, d.plain(), "notifications/x x 9 ")
		d.do(actFlood)
		require.Equal(t, 14, d.traffic.Len())
		require.NotContains(t, d.plain(), "collapsed")
		d.do(actFlood)
		require.Equal(t, 6, d.traffic.Len())
		d.do(actOpen)
		require.Equal(t, 14, d.traffic.Len(), "enter unfolds")
		require.False(t, d.zoom)
		d.do(actOpen)
		require.True(t, d.zoom)
		d.do(actBack, actTop, actFlood)
		require.Contains(t, d.rows()[35], "x fold: the selected row is in no flood")
	},
	actFloods: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.flood("x", 8)
		d.flood("y", 6)
		require.Equal(t, 7, d.traffic.Len())
		d.do(actFloods)
		require.Equal(t, 19, d.traffic.Len())
		require.Contains(t, d.rows()[35], "all rows shown")
		d.run(d.setFilter(parse(t, "kind:notification")))
		require.Equal(t, 15, d.traffic.Len(), "under a filter too")
		d.do(actFloods)
		require.Equal(t, 3, d.traffic.Len())
		d.do(actBack)
		require.Equal(t, 7, d.traffic.Len())
	},
	actComplete: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err or !me")
		d.take(tea.KeyPressMsg{Code: tea.KeyTab})
		require.Equal(t, "err or !method:", d.prompt.input.Value())
		require.Contains(t, d.rows()[35], "x column 16: method: needs a value")
		d.do(actClosePrompt, actFilter)
		d.write("kind:re")
		d.do(actComplete)
		require.Contains(t, d.rows()[35], "kind:request kind:response")
		require.Equal(t, "kind:re", d.prompt.input.Value())
		d.write("s")
		d.do(actComplete)
		require.Equal(t, "kind:response", d.prompt.input.Value())
		require.Contains(t, d.rows()[35], "  ok")
		d.do(actClosePrompt, actSearch, actComplete)
		require.Contains(t, d.rows()[35], "search")
	},
}

// TestFilterLive: while a filter is typed it is said whether it is right.
func TestFilterLive(t *testing.T) {
	d := drive(t, Options{Source: newLog(t)}, 120, 36)
	d.do(actFilter)
	require.NotContains(t, d.rows()[35], "  ok")
	for _, step := range []struct{ typed, want string }{
		{"err", "  ok"}, {" n", "  ok"}, {":", "x column 7: n: needs a value"}, {"5-x", "x column 9: after the dash"},
	} {
		d.write(step.typed)
		require.Contains(t, d.rows()[35], step.want)
	}
	d.do(actClosePrompt, actSearch)
	d.write("/(/")
	require.Contains(t, d.rows()[35], "x column 2: missing closing )")
}

// TestSearchIsCounted: the title says how many rows match, and which one is
// selected.
func TestSearchIsCounted(t *testing.T) {
	log := newLog(t)
	appendTraffic(t, log, 2*stepRows)
	d := drive(t, Options{Source: log}, 120, 36)
	d.do(actTop)
	cmd, err := d.startSearch("no such tool")
	require.NoError(t, err)
	title := func() string { return d.repainted()[120:300] }
	require.Contains(t, title(), "/no such tool ? of 0+")
	d.run(cmd)
	require.Contains(t, title(), "/no such tool 1 of 3,312 ")
	d.do(actNextMatch, actNextMatch)
	require.Contains(t, title(), " 3 of 3,312 ")
	d.do(actDown)
	require.NotContains(t, title(), " of ")

	before := len(d.search.count.rows)
	appendTraffic(t, log, 100)
	d.pull()
	require.Greater(t, len(d.search.count.rows), before, "what comes is counted too")
	d.run(d.setFilter(parse(t, "method:ping")))
	require.Less(t, len(d.search.count.rows), before, "only what is shown counts")
	d.do(actBack)
	require.Nil(t, d.search)
	require.NotContains(t, title(), "no such tool")
}

// TestFloods: what may be of interest never folds.
func TestFloods(t *testing.T) {
	for _, tc := range []struct {
		row   session.Row
		folds bool
	}{
		{session.Row{Kind: session.KindStdout, Msg: framing.Notification, Method: 3}, true},
		{session.Row{Kind: session.KindStdin, Msg: framing.Notification, Method: 3}, true},
		{session.Row{Kind: session.KindStdout, Msg: framing.Notification, Flags: session.FlagProblem}, false},
		{session.Row{Kind: session.KindStdin, Msg: framing.Request, State: session.ReqPending}, false},
		{session.Row{Kind: session.KindStdout, Msg: framing.ErrorResponse, Flags: session.FlagError}, false},
		{session.Row{Kind: session.KindStdout, Msg: framing.NotJSON}, false},
		{session.Row{Kind: session.KindGap}, false},
	} {
		require.Equal(t, tc.folds, floodKind(&tc.row) != 0, "%+v", tc.row)
	}
}

// TestFloodStaysUnderTheCursor: rows that somebody reads do not fold when more of
// them come, and a jump into a flood unfolds it.
func TestFloodStaysUnderTheCursor(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.flood("x", 3)
		d.do(actUp)
		at := d.cursor()
		d.flood("x", 20)
		require.Equal(t, at, d.cursor())
		require.Contains(t, d.plain(), "notifications/x x 20")
		require.Equal(t, 5+3+1, d.traffic.Len())

		d.send(`{"jsonrpc":"2.0","method":"notifications/end","params":"needle"}`)
		d.flood("x", 8)
		d.do(actTop)
		d.traffic.Select(d.index.scanned - 4)
		require.NotEqual(t, d.index.scanned-4, d.cursor())
		d.selectTraffic(d.index.scanned - 4)
		require.Equal(t, d.index.scanned-4, d.cursor())
		require.Equal(t, 5+3+1+1+8, d.traffic.Len())
	})
}

// TestLossNotes: a request that was lost says why.
func TestLossNotes(t *testing.T) {
	code := 3
	for want, end := range map[string]func(d *driver, p *fakeProcess){
		`tools/call (process exited 3)`: func(_ *driver, p *fakeProcess) {
			p.exit(executor.Exit{Kind: executor.ExitCode, Code: code})
		},
		`tools/call (process ended by KILL)`: func(_ *driver, p *fakeProcess) {
			p.exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
		},
		`tools/call (out of reach)`: func(_ *driver, p *fakeProcess) { p.Journal.Fail(fmt.Errorf("out of reach")) },
	} {
		inBubble(t, 160, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}`)
			require.Regexp(t, `tools/call a +7 +0 s \.\.\.`, d.plain())
			end(d, x.latest())
			synctest.Wait()
			d.pull()
			require.Contains(t, d.plain(), want)
			require.Regexp(t, `7 +lost `, d.plain())
		})
	}
}

// TestTimeline shows everything in one list, in two sizes.
func TestTimeline(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		synctest.Test(t, func(t *testing.T) {
			s, x := newSession(t, newLog(t), nil)
			require.NoError(t, s.Open(t.Context()))
			everything(t, s, x)
			d := drive(t, Options{Session: s, Title: "fake (local)"}, size[0], size[1])
			d.flood("message", 12)
			x.latest().exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
			synctest.Wait()
			d.pull()
			d.do(actMark, actUp, actUp, actMark, actTimeline, actTimeline, actTimeZero, actBottom)
			requireExact(t, d.screen(), size[0], size[1])
			golden(t, fmt.Sprintf("timeline-%dx%d", size[0], size[1]), d.plain())
			d.do(actSearch)
			d.write("tool")
			d.do(actAccept)
			d.run(d.setFilter(parse(t, "!kind:event and !method:resources/*")))
			requireExact(t, d.screen(), size[0], size[1])
			golden(t, fmt.Sprintf("timeline-filtered-%dx%d", size[0], size[1]), d.plain())
		})
	}
}

// TestHours: a log of hours has room for them.
func TestHours(t *testing.T) {
	var f timeForm
	require.False(t, f.widen(time.Hour.Microseconds()-1))
	require.True(t, f.widen(time.Hour.Microseconds()))
	require.False(t, f.widen(2*time.Hour.Microseconds()))
	for _, f := range []timeForm{{long: true}, {long: true, reference: true, zero: 1}, {wall: true}} {
		text := f.append(nil, 36*time.Hour.Microseconds(), time.Now())
		require.LessOrEqual(t, len(text), f.columns()[colTime].Min+1, string(text))
	}
}

func TestMarks(t *testing.T) {
	var m marks
	for _, row := range []int{5, 3, 9, 7} {
		require.True(t, m.toggle(row))
	}
	require.False(t, m.toggle(7))
	require.Equal(t, marks{3, 5, 9}, m)
	even := func(row int) bool { return row != 5 }
	found, hidden, ok := m.next(3, 1, even)
	require.True(t, ok)
	require.Equal(t, []int{9, 1}, []int{found, hidden})
	found, _, _ = m.next(9, -1, even)
	require.Equal(t, 3, found)
	_, _, ok = m.next(3, -1, even)
	require.False(t, ok)
}

// TestLens: what is interleaved, and what a filter names, is listed.
func TestLens(t *testing.T) {
	for _, tc := range []struct {
		among  interleaved
		filter string
		lists  map[session.Kind]bool
	}{
		{onlyMessages, "", map[session.Kind]bool{session.KindStdin: true, session.KindStdout: true, session.KindStderr: false, session.KindGap: false}},
		{andStderr, "", map[session.Kind]bool{session.KindStdout: true, session.KindStderr: true, session.KindGap: false}},
		{timeline, "", map[session.Kind]bool{session.KindStdout: true, session.KindStderr: true, session.KindGap: true}},
		{onlyMessages, "kind:gap or err", map[session.Kind]bool{session.KindStdout: true, session.KindStderr: false, session.KindGap: true}},
		{onlyMessages, "kind:stderr", map[session.Kind]bool{session.KindStderr: true, session.KindGap: false}},
	} {
		l := lens{tc.among, parse(t, tc.filter)}
		for kind, want := range tc.lists {
			require.Equal(t, want, l.lists(kind), "%v %s", tc, kind)
		}
	}
}

func TestShareRoom(t *testing.T) {
	for _, tc := range []struct {
		a, b, wantA, wantB string
		room               int
	}{
		{"kind:request", "text", "kind:request", "text", 20},
		{"kind:request", "text", "kind:r…", "text", 11},
		{"kind:request", "some longer text", "kind:req…", "some lon…", 18},
		{"kind:request", "text", "kind:…", "text", -5},
		{"", "some longer text", "", "some longer text", 16},
	} {
		a, b := shareRoom(tc.a, tc.b, tc.room, termsafe.Ellipsis)
		require.Equal(t, []string{tc.wantA, tc.wantB}, []string{a, b}, "%+v", tc)
	}
}
