package ui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/wire"
	"mcpdbg/ui/workspace"
)

// flood sends n notifications of the same method.
func (d *driver) flood(method string, n int) {
	for range n {
		d.send(`{"jsonrpc":"2.0","method":"notifications/` + method + `"}`)
	}
}

// answersAfter makes the server respond to requests, each after a delay.
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
	"timeline": func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().err("to stderr")
		synctest.Wait()
		d.pull()
		require.NotContains(t, d.rows()[10], "to stderr")
		d.do("timeline")
		require.Contains(t, d.rows()[1], "2 All ")
		require.Regexp(t, `(?m)^> +3 +0:00\.\d\d ! to stderr +│`, d.plain())
		require.Regexp(t, `(?m)^ \* +- +0:00\.\d\d +start +mcp-stdio-1 pid 4121 local`, d.plain())
		require.Equal(t, d.visible.ws.Shown.Index.Scanned, d.visible.rows.Traffic.Len())
		d.do("timeline")
		require.Contains(t, d.rows()[1], "2 Exchanges ")
		d.do("timeline")
		require.Contains(t, d.rows()[1], "2 Wire 5")
		require.Equal(t, 5, d.visible.rows.Traffic.Len())
	},
	"next-slow": func(t *testing.T, d *driver, x *fakeExecutor) {
		answersAfter(d, x, 20*time.Millisecond, 90*time.Millisecond, 20*time.Millisecond, 150*time.Millisecond, 20*time.Millisecond)
		d.do(kit.Top, "next-slow")
		require.Equal(t, d.row(`"id":3,"result"`), d.cursor())
		require.Contains(t, d.rows()[35], "slow: over 100 ms (median 20 ms of 5 responses besides the handshake)")
		d.do("next-slow")
		require.Contains(t, d.rows()[35], "no other slow response or pending request: over 100 ms (median 20 ms of 5 responses besides the handshake)")

		answersAfter(d, x, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond, 240*time.Millisecond, 300*time.Millisecond)
		d.do(kit.Top, "next-slow")
		require.Contains(t, d.rows()[35], "slow: over 249 ms (5 x the median 50 ms of 11 responses besides the handshake)")
		d.send(`{"jsonrpc":"2.0","id":"waits","method":"sleep"}`)
		time.Sleep(time.Second)
		d.take(tick{})
		d.do("next-slow")
		require.Equal(t, d.row(`"waits"`), d.cursor(), "a pending request is slow too")

		d.visible.rows.Slow = 45 * time.Millisecond
		d.do(kit.Top, "next-slow")
		require.Contains(t, d.rows()[35], "slow: over 45 ms (as configured)")
	},
	"previous-slow": func(t *testing.T, d *driver, x *fakeExecutor) {
		answersAfter(d, x, 150*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond)
		d.do("previous-slow")
		require.Equal(t, d.row(`"id":0,"result"`), d.cursor())
		d.do("previous-slow")
		require.Contains(t, d.rows()[35], "no other slow response or pending request: over 100 ms (median 20 ms of 3 responses besides the handshake)")
	},
	"mark": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.visible.rows.Traffic.Select(d.fails(x))
		d.do(actTraffic, "mark")
		require.Regexp(t, `(?m)^>xm +3 `, d.plain())
		d.do(kit.Down)
		require.Regexp(t, `(?m)^ xm +3 `, d.plain(), "both marks are shown")
		d.do("mark")
		require.Regexp(t, `(?m)^>!m +4 `, d.plain(), "a second mark")
		d.do("mark")
		require.Regexp(t, `(?m)^>! +4 `, d.plain())
		d.do(kit.Up, "mark")
		require.Regexp(t, `(?m)^>x +3 `, d.plain())
		require.Contains(t, d.rows()[35], "mark removed")
		d.do(actStderr, "mark")
		require.Contains(t, d.rows()[35], "x mark: no row of the traffic is selected")
	},
	"next-mark": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("next-mark")
		require.Contains(t, d.rows()[35], "x next mark: no row is marked")
		first, last := d.row("unknown method"), d.row("notifications/initialized")
		for _, row := range []int{last, first} {
			d.visible.rows.Traffic.Select(row)
			d.do(actTraffic, "mark")
		}
		d.do(kit.Top, "next-mark")
		require.Equal(t, first, d.cursor())
		d.do("next-mark")
		require.Equal(t, last, d.cursor())
		d.do("next-mark")
		require.Contains(t, d.rows()[35], "no mark below")
		d.run(d.visible.rows.SetFilter(parse(t, "kind:request")))
		d.do(kit.Top, "next-mark")
		require.Contains(t, d.rows()[35], "no mark below; 2 hidden")
	},
	"previous-mark": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(kit.Top, "mark", kit.Bottom, "previous-mark")
		require.Equal(t, d.row("server/discover"), d.cursor())
		d.do("previous-mark")
		require.Contains(t, d.rows()[35], "no mark above")
	},
	"time-zero": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","method":"notifications/a"}`)
		time.Sleep(1500 * time.Millisecond)
		d.send(`{"jsonrpc":"2.0","method":"notifications/b"}`)
		d.visible.rows.Traffic.Select(d.row("notifications/a"))
		time.Sleep(250 * time.Millisecond)
		d.send(`{"jsonrpc":"2.0","method":"notifications/c"}`)
		d.visible.rows.Traffic.Select(d.row("notifications/b"))
		d.do(actTraffic, "time-zero")
		require.Regexp(t, ` -0:01\.50 > notifications/a`, d.plain())
		require.Regexp(t, ` \+0:00\.00 > notifications/b`, d.plain())
		require.Regexp(t, ` \+0:00\.25 > notifications/c`, d.plain())
		require.Contains(t, d.rows()[1], "time from 0:01.50")
		require.Contains(t, d.rows()[2], "+/-time")
		d.do(kit.Up, "time-zero")
		require.Regexp(t, ` 0:01\.50 > notifications/b`, d.plain())
		require.NotContains(t, d.rows()[1], "time from")
	},
	"time-clock": func(t *testing.T, d *driver, _ *fakeExecutor) {
		began := d.visible.ws.Shown.Source.Header().Start.Local().Format("15:04:05.000")
		require.NotContains(t, d.plain(), began)
		d.do("time-clock")
		require.Contains(t, d.rows()[3], began+" > server/discover")
		require.Contains(t, d.rows()[1], "local time")
		d.do("time-clock")
		require.NotContains(t, d.plain(), began)
	},
	"fold-flood": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.flood("x", 8)
		require.Regexp(t, `> notifications/x x 8  \(collapsed, enter unfolds\)`, d.plain())
		require.Equal(t, 6, d.visible.rows.Traffic.Len())
		d.flood("x", 1)
		require.Contains(t, d.plain(), "notifications/x x 9 ")
		d.do("fold-flood")
		require.Equal(t, 14, d.visible.rows.Traffic.Len())
		require.NotContains(t, d.plain(), "collapsed")
		d.do("fold-flood")
		require.Equal(t, 6, d.visible.rows.Traffic.Len())
		d.do(host.ActOpen)
		require.Equal(t, 14, d.visible.rows.Traffic.Len(), "enter unfolds")
		require.False(t, d.panes.zoom)
		d.do(host.ActOpen)
		require.True(t, d.panes.zoom)
		d.do(host.ActBack, kit.Top, "fold-flood")
		require.Contains(t, d.rows()[35], "x fold: the selected row has nothing folded")
	},
	"unfold": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("timeline", "timeline", kit.Top)
		require.Contains(t, d.rows()[1], "2 Exchanges 1 ")
		require.Regexp(t, `> \+ +0:00.00 handshake +2025-11-25 legacy +fake 1`, d.rows()[3])
		d.do("unfold")
		require.Equal(t, 5, d.visible.rows.Traffic.Len())
		require.Regexp(t, `response +-32601 `, d.rows()[4])
		require.Regexp(t, `→ initialize `, d.rows()[5])
		d.do(kit.Down, "fold-flood")
		require.Equal(t, 1, d.visible.rows.Traffic.Len())
		d.do("unfold", kit.Left)
		require.Equal(t, 1, d.visible.rows.Traffic.Len(), "left folds")
	},
	"fold-floods": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.flood("x", 8)
		d.flood("y", 6)
		require.Equal(t, 7, d.visible.rows.Traffic.Len())
		d.do("fold-floods")
		require.Equal(t, 19, d.visible.rows.Traffic.Len())
		require.Contains(t, d.rows()[35], "all rows shown")
		d.run(d.visible.rows.SetFilter(parse(t, "kind:notification")))
		require.Equal(t, 15, d.visible.rows.Traffic.Len(), "under a filter too")
		d.do("fold-floods")
		require.Equal(t, 3, d.visible.rows.Traffic.Len())
		d.do(host.ActBack)
		require.Equal(t, 7, d.visible.rows.Traffic.Len())
	},
	actComplete: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err or !me")
		d.take(tea.KeyPressMsg{Code: tea.KeyTab})
		require.Equal(t, "err or !method:", d.front.prompt.input.Value())
		require.Contains(t, d.rows()[35], "x column 16: method: needs a value")
		d.do("close-prompt", actFilter)
		d.write("kind:re")
		d.do(actComplete)
		require.Contains(t, d.rows()[35], "kind:request kind:response")
		require.Equal(t, "kind:re", d.front.prompt.input.Value())
		d.write("s")
		d.do(actComplete)
		require.Equal(t, "kind:response", d.front.prompt.input.Value())
		require.Contains(t, d.rows()[35], "  ok")
		d.do("close-prompt", actSearch, actComplete)
		require.Contains(t, d.rows()[35], "search")
	},
}

// TestFilterLive checks that a filter is validated while it is typed.
func TestFilterLive(t *testing.T) {
	d := drive(t, Options{Source: newLog(t)}, 120, 36)
	d.do(actFilter)
	require.NotContains(t, d.rows()[35], "  ok")
	for _, step := range []struct{ typed, want string }{
		{"err", "  ok"}, {" n", "  ok"}, {":", "x column 7: n: needs a value"}, {"5-x", "x column 9: expected a number"},
	} {
		d.write(step.typed)
		require.Contains(t, d.rows()[35], step.want)
	}
	d.do("close-prompt", actSearch)
	d.write("/(/")
	require.Contains(t, d.rows()[35], "x column 2: missing closing )")
}

// TestSearchIsCounted checks that the title shows the number of matches and which
// one is selected.
func TestSearchIsCounted(t *testing.T) {
	log := newLog(t)
	appendTraffic(t, log, 2*wire.StepRows)
	d := drive(t, Options{Source: log}, 120, 36)
	d.do(kit.Top)
	cmd, err := d.visible.startSearch("no such tool")
	require.NoError(t, err)
	title := func() string { return d.repainted()[120:300] }
	require.Contains(t, title(), "/no such tool ? of 0+")
	d.run(cmd)
	require.Contains(t, title(), "/no such tool 1 of 3,312 ")
	d.do(actNextMatch, actNextMatch)
	require.Contains(t, title(), " 3 of 3,312 ")
	d.do(kit.Down)
	require.NotContains(t, title(), " of ")

	before := len(d.visible.rows.Search.Count.Rows)
	appendTraffic(t, log, 100)
	d.pull()
	require.Greater(t, len(d.visible.rows.Search.Count.Rows), before, "new rows are counted too")
	d.run(d.visible.rows.SetFilter(parse(t, "method:ping")))
	require.Less(t, len(d.visible.rows.Search.Count.Rows), before, "only shown rows are counted")
	d.do(host.ActBack)
	require.Nil(t, d.visible.rows.Search)
	require.NotContains(t, title(), "no such tool")
}

// TestFloods checks that important rows never fold.
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
		require.Equal(t, tc.folds, workspace.FloodKind(&tc.row) != 0, "%+v", tc.row)
	}
}

// TestFloodStaysUnderTheCursor checks that rows under the cursor do not fold when
// more of them arrive, and that a jump into a flood unfolds it.
func TestFloodStaysUnderTheCursor(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.flood("x", 3)
		d.do(kit.Up)
		at := d.cursor()
		d.flood("x", 20)
		require.Equal(t, at, d.cursor())
		require.Contains(t, d.plain(), "notifications/x x 20")
		require.Equal(t, 5+3+1, d.visible.rows.Traffic.Len())

		d.send(`{"jsonrpc":"2.0","method":"notifications/end","params":"needle"}`)
		d.flood("x", 8)
		d.do(kit.Top)
		d.visible.rows.Traffic.Select(d.visible.ws.Shown.Index.Scanned - 4)
		require.NotEqual(t, d.visible.ws.Shown.Index.Scanned-4, d.cursor())
		d.visible.selectTraffic(d.visible.ws.Shown.Index.Scanned - 4)
		require.Equal(t, d.visible.ws.Shown.Index.Scanned-4, d.cursor())
		require.Equal(t, 5+3+1+1+8, d.visible.rows.Traffic.Len())
	})
}

// TestLossNotes checks that a lost request shows the reason.
func TestLossNotes(t *testing.T) {
	code := 3
	for want, end := range map[string]func(d *driver, p *fakeProcess){
		`(process exited 3)`: func(_ *driver, p *fakeProcess) {
			p.exit(executor.Exit{Kind: executor.ExitCode, Code: code})
		},
		`(process ended by KILL)`: func(_ *driver, p *fakeProcess) {
			p.exit(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"})
		},
		`(out of reach)`: func(_ *driver, p *fakeProcess) { p.Journal.Fail(fmt.Errorf("out of reach")) },
	} {
		inBubble(t, 160, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}`)
			require.Regexp(t, `tools/call +(CAP01 +)?a +7 +0 s \.\.\.`, d.plain())
			end(d, x.latest())
			synctest.Wait()
			d.pull()
			require.Contains(t, d.plain(), want)
			require.Regexp(t, `7 +lost `, d.plain())
		})
	}
}

// TestTimeline shows all entries in one list, in two sizes.
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
			d.do("mark", kit.Up, kit.Up, "mark", "timeline", "time-zero", kit.Bottom)
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("timeline-%dx%d", size[0], size[1]), d.plain())
			d.do(actSearch)
			d.write("tool")
			d.do(actAccept)
			d.run(d.visible.rows.SetFilter(parse(t, "!kind:event and !method:resources/*")))
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("timeline-filtered-%dx%d", size[0], size[1]), d.plain())
		})
	}
}
