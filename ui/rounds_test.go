package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/calls"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// quote is a modern tool that asks twice before it answers.
func quote(p *fakeProcess, m message) {
	const ask = `{"jsonrpc":"2.0","id":%s,"result":{` + modernMeta + `,"resultType":"input_required","inputRequests":{"%s":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"%s"}}`
	time.Sleep(12 * time.Millisecond)
	params := string(m.Params)
	switch {
	case m.Method != "tools/call":
	case strings.Contains(params, `"requestState":"one"`):
		p.out(ask, m.ID, "again", "two")
	case strings.Contains(params, `"requestState":"two"`):
		p.out(`{"jsonrpc":"2.0","id":%s,"result":{`+modernMeta+`,"resultType":"complete","content":[{"type":"text","text":"ACME 12.30"}]}}`, m.ID)
	default:
		p.out(ask, m.ID, "confirm", "one")
	}
}

// inModern runs a test on a session with a modern server, with a row for each
// exchange.
func inModern(t *testing.T, serve func(*fakeProcess, message), test func(*testing.T, *driver, *fakeExecutor, session.Log)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		s, x := newSessionWith(t, log, serve, func(c *session.Config) {
			c.Policies = map[string]session.Policy{"elicitation/create": {Mode: session.PolicyAsk}}
		})
		x.modern = true
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait()
		d := driveAs(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		test(t, d, x, log)
	})
}

// answer accepts the oldest request of the server.
func (d *driver) answer(content string) {
	d.t.Helper()
	s := d.visible.ws.Session
	asks := s.ServerRequests()
	require.NotEmpty(d.t, asks)
	time.Sleep(time.Second)
	require.NoError(d.t, s.Answer(asks[0].ID, []byte(`{"action":"accept","content":`+content+`}`)))
	time.Sleep(5 * time.Millisecond)
	synctest.Wait()
	d.arrive()
}

// table returns the rows of the exchanges on the screen.
func (d *driver) table() string {
	var rows []string
	for _, row := range d.rows() {
		if strings.Contains(row, "0:0") && !strings.Contains(row, "│") && !strings.HasPrefix(row, " ALL") {
			rows = append(rows, strings.TrimRight(row, " "))
		}
	}
	return strings.Join(rows, "\n")
}

// TestRoundsOfACall follows a call with three rounds, live, and as its recording
// shows it afterwards.
func TestRoundsOfACall(t *testing.T) {
	inModern(t, quote, func(t *testing.T, d *driver, _ *fakeExecutor, log session.Log) {
		d.begin(calls.Request(d.visible.context(), "tools/call quote", "tools/call", []byte(`{"name":"quote","arguments":{"symbol":"ACME"}}`), 0))
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		require.Regexp(t, `\? +0:00\.00 tools/call quote +symbol="ACME" +waits for your answer`, d.table())
		d.answer(`{"confirm":true}`)
		require.Regexp(t, `…-  0:00\.00 tools/call quote +symbol="ACME" +2 rounds · running · you 1\.0 s  `, d.table())
		require.Regexp(t, `round 1 +input required: confirm +12 ms`, d.table())
		require.Regexp(t, `…   0:01\.02   round 2 +confirm=true +running`, d.table())
		uitest.Golden(t, "rounds-pending", d.content())
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		require.Regexp(t, `\?-  0:00\.00 tools/call quote +symbol="ACME" +2 rounds · waits for your answer · y`, d.table())
		d.answer(`{"again":true}`)
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		require.Regexp(t, ` \+  0:00\.00 tools/call quote +symbol="ACME" +3 rounds · you 2\.0 s · "ACME 12\.30" +36 ms`, d.table(), "folded again")
		require.NotContains(t, d.table(), "round 1")
		require.Contains(t, d.plain(), "seq 2 -> 4")
		require.Contains(t, d.plain(), `#2 tools/call quote  symbol="ACME"`)
		folded := d.table()

		d.do(kit.Right)
		requireRounds(t, d)
		for _, size := range [][2]int{{120, 36}, {80, 24}} {
			e := driveAs(t, Options{Source: log, Title: "quote.rec"}, size[0], size[1])
			if size[0] == 120 {
				require.Equal(t, folded, e.table(), "a recording folds the same way")
			}
			e.do(kit.Right)
			requireRounds(t, e)
			requireExact(t, e.content(), size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("rounds-%dx%d", size[0], size[1]), e.content())
			e.do(kit.Left)
			require.NotContains(t, e.table(), "round 1")
		}
	})
}

func requireRounds(t *testing.T, d *driver) {
	t.Helper()
	require.Regexp(t, `(?s)>. -  0:00\.00 .*round 1 .*round 2 .*round 3 `, " "+strings.ReplaceAll(d.table(), "> -", ">. -"))
}

// TestRoundsAreOneExchange checks that filters, searches and jumps find an exchange
// by each of its rounds, and list it once.
func TestRoundsAreOneExchange(t *testing.T) {
	inModern(t, quote, func(t *testing.T, d *driver, _ *fakeExecutor, log session.Log) {
		d.begin(calls.Request(d.visible.context(), "tools/call quote", "tools/call", []byte(`{"name":"quote","arguments":{"symbol":"ACME"}}`), 0))
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		for _, content := range []string{`{"confirm":"sure"}`, `{"again":"yes"}`} {
			d.answer(content)
			time.Sleep(20 * time.Millisecond)
			d.arrive()
		}
		for _, e := range []*driver{d, driveAs(t, Options{Source: log}, 120, 36)} {
			for text, want := range map[string]int{
				"sure": 1, "yes": 1, "ACME 12.30": 1, "requestState": 1, "tool:quote": 1, "method:tools/call": 1, "dir:in kind:response": 2, "nothing like that": 0,
			} {
				e.run(e.visible.rows.Traffic.SetFilter(parse(t, text)))
				require.Equal(t, want, e.visible.rows.Traffic.Len(), "%s\n%s", text, e.plain())
			}
			e.run(e.visible.rows.Traffic.SetFilter(nil))
			e.do(kit.Top)
			e.search1("12.30", kit.Top)
			call := e.cursor()
			require.Regexp(t, `>.\+ +0:00\.00 tools/call quote`, e.plain())
			e.do(actNextMatch)
			require.Equal(t, call, e.cursor(), "one exchange")
		}
	})
}

// TestRoundsKeepTheSelection checks that the cursor goes to the exchange when the
// round under it is folded.
func TestRoundsKeepTheSelection(t *testing.T) {
	inModern(t, quote, func(t *testing.T, d *driver, _ *fakeExecutor, _ session.Log) {
		d.begin(calls.Request(d.visible.context(), "tools/call quote", "tools/call", []byte(`{"name":"quote"}`), 0))
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		d.answer(`{}`)
		d.do(kit.Up)
		require.Regexp(t, `>.*round 1`, d.table())
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		d.answer(`{}`)
		require.Regexp(t, `>.*round 1`, d.table(), "nothing shifts")
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		require.Regexp(t, `> \+ +0:00\.00 tools/call quote +3 rounds`, d.table())
	})
}

// TestCancelledExchange checks the row of a cancelled call, the progress that still
// arrives, and a late response.
func TestCancelledExchange(t *testing.T) {
	for _, selected := range []bool{false, true} {
		t.Run(fmt.Sprint(selected), func(t *testing.T) {
			inModern(t, nil, func(t *testing.T, d *driver, x *fakeExecutor, log session.Log) {
				d.keepTime()
				d.begin(calls.Request(d.visible.context(), "tools/call crawl", "tools/call", []byte(`{"name":"crawl"}`), 0))
				time.Sleep(2100 * time.Millisecond)
				d.arrive()
				require.Equal(t, 1, d.visible.callLines())
				if selected {
					d.visible.Do("cancel")
				} else {
					d.visible.Do("cancel-call")
				}
				d.arrive()
				require.Zero(t, d.visible.callLines())
				require.NotContains(t, d.plain(), "1 pending")
				require.Regexp(t, `⊘\+  0:00\.00 tools/call crawl +cancelled by you at 2\.1 s +[\d]+$`, d.table())
				rows := d.visible.rows.Traffic.Len()
				for i := range 3 {
					x.latest().out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-2","progress":%d}}`, i)
				}
				time.Sleep(3 * time.Second)
				d.arrive()
				require.Regexp(t, `⊘\+  0:00\.00 tools/call crawl +cancelled by you at 2\.1 s · no answer`, d.table())
				require.Equal(t, rows, d.visible.rows.Traffic.Len(), "late progress belongs to its call")
				x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-2","result":{"content":[]}}`)
				d.arrive()
				require.Regexp(t, `⊘\+  0:00\.00 tools/call crawl +cancelled by you at 2\.1 s · answered… +5\.1 s`, d.table())
				require.Equal(t, d.table(), driveAs(t, Options{Source: log}, 120, 36).table())
				require.Empty(t, d.visible.ws.Calls)
			})
		})
	}
}
