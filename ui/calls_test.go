package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var callTests = map[string]actionTest{
	actCancelCall: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCancelCall)
		require.Contains(t, d.rows()[35], "no call is under way")
		d.begin(d.request("sleep long", "sleep", nil, 0))
		synctest.Wait()
		d.do(actCancelCall)
		d.arrive()
		d.row(`"method":"notifications/cancelled","params":{"requestId":"mcpdbg-3","reason":"cancelled by the user"}`)
		require.Equal(t, []string{"cancel"}, d.acts())
	},
}

// TestCallWithProgress: a call that takes long has a line, which its progress
// moves; its answer is selected.
func TestCallWithProgress(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.begin(d.request("tools/call sleep", "tools/call", []byte(`{"name":"sleep"}`), 0))
		d.arrive()
		require.NotContains(t, d.plain(), "ctrl+x", "most calls are short")
		time.Sleep(callShownAfter)
		d.arrive()
		require.Regexp(t, `^ > tools/call sleep  0 s  ctrl\+x cancel +$`, d.rows()[28])
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-3","progress":5,"total":10,"message":"half \u001b[2J"}}`)
		time.Sleep(2 * time.Second)
		d.arrive()
		require.Contains(t, d.rows()[28], `> tools/call sleep  2 s  ctrl+x cancel  [##########----------] 5/10  half \u001b[2J`)
		requireExact(t, d.screen(), 100, 30)
		golden(t, "call", d.screen())

		d.do(actTop)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "the server answered in 2.3 s: tools/call sleep")
		require.NotContains(t, d.plain(), "ctrl+x cancel")
		require.Equal(t, d.row(`"content":[]`), d.cursor())
	})
}

// TestSeveralCalls: each has its line, as long as there is room.
func TestSeveralCalls(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		for _, name := range []string{"one", "two", "three", "four", "five"} {
			d.begin(d.request(name, "sleep", nil, 0))
			d.arrive()
		}
		time.Sleep(callShownAfter)
		d.arrive()
		rows := d.rows()
		require.Contains(t, rows[26], " > three  0 s  and 2 more calls")
		require.Contains(t, rows[27], " > four  0 s ")
		require.Contains(t, rows[28], " > five  0 s  ctrl+x cancel")
		for _, w := range []int{0, 10, 41, 60, 81, 120} {
			for _, h := range []int{1, 9, 10, 11, 16, 20} {
				d.width, d.height = w, h
				d.arrange()
				requireExact(t, d.screen(), w, h)
			}
		}
		x.latest().exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
		d.arrive()
		require.Empty(t, d.calls)
	})
}

// TestCancelledCall: a server obeys, or answers all the same.
func TestCancelledCall(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.keepTime()
		begin := func() {
			d.begin(d.request("sleep long", "sleep", nil, 0))
			time.Sleep(callShownAfter)
			d.arrive()
			d.Do(actCancelCall)
			d.arrive()
			require.Contains(t, d.rows()[28], "cancelled; does the server obey?")
		}
		begin()
		time.Sleep(callObeys)
		d.arrive()
		require.Contains(t, d.rows()[29], "cancelled, and the server has not answered: sleep long")
		require.NotContains(t, d.rows()[28], "sleep long")

		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-3","progress":1}}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "the server works on, though it was told to stop: sleep long")

		time.Sleep(time.Second)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{}}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "answered 3s after the server was told to stop: sleep long")
		require.Empty(t, d.calls)

		begin()
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-4","result":{}}`)
		d.arrive()
		require.Contains(t, d.rows()[29], "answered 0s after the server was told to stop: sleep long")
		require.Empty(t, d.calls)

		begin()
		x.latest().out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-5","progress":1}}`)
		d.arrive()
		require.Contains(t, d.rows()[28], "cancelled, but the server works on")
		time.Sleep(callObeys)
		d.arrive()
		require.Contains(t, d.rows()[29], "cancelled, but the server works on (progress since: 1): sleep long")
	})
}

// TestListen: in the modern era a subscription is a request that lasts.
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) { offers(p, m) })
		x.capabilities, x.modern = allCapabilities, true
		require.NoError(t, s.Open(t.Context()))
		d := drive(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		d.do(actCatalog)
		require.Contains(t, d.plain(), "[tools 3]")
		listen := func() {
			d.begin(d.Do(actCatalogSubscribe))
			time.Sleep(callShownAfter)
			d.arrive()
		}
		listen()
		d.row(`"toolsListChanged":true`)
		require.Contains(t, d.plain(), "the server tells when a list changes")
		require.Zero(t, d.callLines(), "it takes no line")
		d.do(actCancelCall)
		require.Contains(t, d.rows()[35], "no call is under way")

		listen()
		require.NotContains(t, d.plain(), "the server tells when a list changes")
		d.row(`"method":"notifications/cancelled"`)

		d.do(actCatalogNext)
		listen()
		require.Contains(t, d.plain(), "subscribed: the server tells when it changes")
		d.row(`"resourceSubscriptions":["res://logs/1"]`)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-6","result":{"resultType":"complete"}}`)
		d.arrive()
		require.Contains(t, d.rows()[35], "the server has ended the subscription")
		require.NotContains(t, d.plain(), "subscribed: the server tells when it changes")
	})
}

// TestProgressIsBounded: what a server says of a call costs nothing but its line.
func TestProgressIsBounded(t *testing.T) {
	var c call
	c.heard(json.RawMessage(`{"progress":1,"total":4,"message":"a quarter"}`))
	require.Equal(t, progress{Done: "1", Total: "4", Message: "a quarter"}, *c.progress.Load())
	c.heard(json.RawMessage(`{"progress":1,"message":"` + strings.Repeat("x", loadInline) + `"}`))
	require.Equal(t, progress{wrong: "progress of 64.0K"}, *c.progress.Load())
	c.heard(json.RawMessage(`{"progress":"soon"`))
	require.Equal(t, "progress that can't be read", c.progress.Load().wrong)
}
