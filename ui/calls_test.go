package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/calls"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// cancelWait is how long a cancelled call may take before that is reported.
const cancelWait = 2 * time.Second

var callTests = map[string]actionTest{
	"cancel-call": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("cancel-call")
		require.Contains(t, d.rows()[35], "no call is pending")
		d.begin(calls.Request(d.visible.context(), "sleep long", "sleep", nil, 0))
		synctest.Wait()
		d.do("cancel-call")
		d.arrive()
		d.row(`"method":"notifications/cancelled","params":{"requestId":"mcpdbg-3","reason":"cancelled by the user"}`)
		require.Equal(t, []string{"cancel"}, d.acts())
	},
}

// TestCallWithProgress checks that a long call has a line, which shows its
// progress, and that its response is selected.
func TestCallWithProgress(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.begin(calls.Request(d.visible.context(), "tools/call sleep", "tools/call", []byte(`{"name":"sleep"}`), 0))
		d.arrive()
		require.NotContains(t, d.plain(), "ctrl+x", "most calls are short")
		time.Sleep(workspace.CallShownAfter)
		d.arrive()
		require.Regexp(t, `^ > tools/call sleep  0 s  ctrl\+x cancel +$`, d.rows()[28])
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-3","progress":5,"total":10,"message":"half \u001b[2J"}}`)
		time.Sleep(2 * time.Second)
		d.arrive()
		require.Contains(t, d.rows()[28], `> tools/call sleep  2 s  ctrl+x cancel  [##########----------] 5/10  half \u001b[2J`)
		requireExact(t, d.content(), 100, 30)
		uitest.Golden(t, "call", d.content())

		d.do(kit.Top)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "the server answered in 2.3 s: tools/call sleep")
		require.NotContains(t, d.plain(), "ctrl+x cancel")
		require.Equal(t, d.row(`"content":[]`), d.cursor())
	})
}

// TestSeveralCalls checks that each call has its line, as long as there is
// room.
func TestSeveralCalls(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		for _, name := range []string{"one", "two", "three", "four", "five"} {
			d.begin(calls.Request(d.visible.context(), name, "sleep", nil, 0))
			d.arrive()
		}
		time.Sleep(workspace.CallShownAfter)
		d.arrive()
		rows := d.rows()
		require.Contains(t, rows[26], " > three  0 s  and 2 more calls")
		require.Contains(t, rows[27], " > four  0 s ")
		require.Contains(t, rows[28], " > five  0 s  ctrl+x cancel")
		for _, w := range []int{0, 10, 41, 60, 81, 120} {
			for _, h := range []int{1, 9, 10, 11, 16, 20} {
				d.screen.Width, d.screen.Height = w, h
				d.arrange()
				requireExact(t, d.content(), w, h)
			}
		}
		x.latest().exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
		d.arrive()
		require.Empty(t, d.visible.ws.Calls)
	})
}

// TestCancelledCall checks a server that stops on a cancellation, and one that
// answers anyway.
func TestCancelledCall(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.keepTime()
		begin := func() {
			d.begin(calls.Request(d.visible.context(), "sleep long", "sleep", nil, 0))
			time.Sleep(workspace.CallShownAfter)
			d.arrive()
			d.visible.Do("cancel-call")
			d.arrive()
			require.Zero(t, d.visible.callLines(), "it leaves the pending calls at once")
		}
		begin()
		time.Sleep(cancelWait)
		d.arrive()
		require.Contains(t, d.rows()[29], "cancelled, no response from the server: sleep long")

		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-3","progress":1}}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "the server is still working after the cancellation: sleep long")

		time.Sleep(time.Second)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "response arrived 3s after the cancellation: sleep long")
		require.Empty(t, d.visible.ws.Calls)

		begin()
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-4","result":{"content":[]}}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "response arrived 0s after the cancellation: sleep long")
		require.Empty(t, d.visible.ws.Calls)

		begin()
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-5","progress":1}}`)
		d.arrive()
		time.Sleep(cancelWait)
		d.arrive()
		require.Contains(t, d.rows()[29], "cancelled, but the server is still working (progress since: 1): sleep long")
	})
}

// TestListen checks that in the modern era a subscription is a long-running
// request.
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) { offers(p, m) })
		x.capabilities, x.modern = allCapabilities, true
		require.NoError(t, s.Open(t.Context()))
		d := drive(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		d.do("catalog")
		require.Contains(t, d.plain(), "[Tools 3]")
		listen := func() {
			d.begin(d.visible.Do("catalog-subscribe"))
			time.Sleep(workspace.CallShownAfter)
			d.arrive()
		}
		listen()
		d.row(`"toolsListChanged":true`)
		require.Contains(t, d.plain(), "subscribed to changes of the lists")
		require.Zero(t, d.visible.callLines(), "a subscription has no line")
		d.do("cancel-call")
		require.Contains(t, d.rows()[35], "no call is pending")

		listen()
		require.NotContains(t, d.plain(), "subscribed to changes of the lists")
		d.row(`"method":"notifications/cancelled"`)

		d.do("catalog-next-list")
		listen()
		require.Contains(t, d.plain(), "subscribed to changes")
		d.row(`"resourceSubscriptions":["res://logs/1"]`)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-6","result":{"resultType":"complete"}}`)
		d.arrive()
		require.Contains(t, d.rows()[35], "subscription ended by the server")
		require.NotContains(t, d.plain(), "subscribed to changes")
	})
}

// TestProgressIsBounded checks that large or invalid progress only changes the
// line of its call.
func TestProgressIsBounded(t *testing.T) {
	var c workspace.Call
	c.Heard(json.RawMessage(`{"progress":1,"total":4,"message":"a quarter"}`))
	require.Equal(t, workspace.Progress{Done: "1", Total: "4", Message: "a quarter"}, *c.Progress.Load())
	c.Heard(json.RawMessage(`{"progress":1,"message":"` + strings.Repeat("x", workspace.InlineLimit) + `"}`))
	require.Equal(t, workspace.Progress{Problem: "progress too large (64.0K)"}, *c.Progress.Load())
	c.Heard(json.RawMessage(`{"progress":"soon"`))
	require.Equal(t, "unreadable progress", c.Progress.Load().Problem)
}
