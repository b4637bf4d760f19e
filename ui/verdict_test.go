package ui

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// crashes has the server die of a call, with a word about it.
func (d *driver) crashes(x *fakeExecutor) {
	d.t.Helper()
	x.latest().out("starting up")
	d.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	x.latest().out(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	x.latest().err("fatal: out of luck")
	x.latest().exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
	synctest.Wait()
	d.pull()
}

var verdictTests = map[string]actionTest{
	actEvidence: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actEvidence)
		require.Contains(t, d.notice.text, "no problems; checked: framing")
		d.crashes(x)
		d.do(actEvidence)
		require.Equal(t, stderrID, d.focus)
		require.Equal(t, d.row("fatal: out of luck"), d.selected.number)
		d.do(actEvidence)
		require.Equal(t, trafficID, d.focus)
		require.Equal(t, d.row(`"id":99`), d.selected.number)
		d.do(actEvidence)
		require.Equal(t, d.row("starting up"), d.selected.number)
		d.do(actEvidence)
		require.Equal(t, d.row("fatal: out of luck"), d.selected.number, "and round again")
		d.do(actTraffic, actTop, actEvidence)
		require.Equal(t, d.row("fatal: out of luck"), d.selected.number, "the first again, from elsewhere")
	},
	actTrouble: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actTrouble)
		require.Nil(t, d.top())
		d.crashes(x)
		require.Contains(t, d.rows()[1], "x the server was ended by signal SEGV during sleep (id 7): fatal: out of luck; ctrl+r starts it again; ! lists 2")
		d.do(actTrouble)
		for _, want := range []string{"What is wrong", "> x  the server was ended", "x  an answer has id 99", "!  1 line on stdout is no message: starting up", "try stdout must carry"} {
			require.Contains(t, d.plain(), want)
		}
	},
	actTroubleDown: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.crashes(x)
		d.take(tea.WindowSizeMsg{Width: 60, Height: 14})
		d.do(actTrouble, actTroubleDown, actTroubleDown)
		require.Contains(t, d.plain(), "> !  1 line on stdout", "it scrolls")
		d.do(actTroubleDown, actTroubleGo)
		require.Nil(t, d.top())
		require.Equal(t, d.row("starting up"), d.selected.number)
	},
	actTroubleUp: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.crashes(x)
		d.do(actTrouble, actTroubleDown, actTroubleUp, actTroubleUp)
		require.Contains(t, d.plain(), "> x  the server was ended")
	},
	actTroubleGo: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.crashes(x)
		d.do(actTrouble, actTroubleDown, actTroubleGo)
		require.Nil(t, d.top())
		require.Equal(t, trafficID, d.focus)
		require.Equal(t, d.row(`"id":99`), d.selected.number)
	},
	actCloseTrouble: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.crashes(x)
		d.do(actTrouble, actCloseTrouble)
		require.Nil(t, d.top())
	},
}

// TestVerdictFollowsTheSession: it comes with the trouble, its clock runs, and
// it goes when that is over.
func TestVerdictFollowsTheSession(t *testing.T) {
	inBubble(t, 100, 30, func(*fakeProcess, message) {}, func(t *testing.T, d *driver, x *fakeExecutor) {
		require.True(t, d.layout.verdict.Empty())
		d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"dig"}}`)
		require.True(t, d.layout.verdict.Empty())
		time.Sleep(12 * time.Second)
		d.take(tick{})
		require.Contains(t, d.rows()[1], "! tools/call dig (id 7) has waited for its answer for 12 s")
		require.Equal(t, time.Second, d.pace())
		time.Sleep(time.Second)
		d.take(tick{})
		require.Contains(t, d.rows()[1], "for 13 s")
		x.latest().out(`{"jsonrpc":"2.0","id":7,"result":{}}`)
		synctest.Wait()
		d.pull()
		require.True(t, d.layout.verdict.Empty())
		require.Zero(t, d.pace())
	})
}

// TestStreamsHeldOpen: that a child holds the streams shows without a further
// row.
func TestStreamsHeldOpen(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().holds = true
		x.latest().exit(executor.Exit{Kind: executor.ExitCode})
		synctest.Wait()
		d.pull()
		require.NotContains(t, d.plain(), "still open after")
		require.Equal(t, time.Second, d.pace())
		time.Sleep(2 * time.Second)
		d.take(tick{})
		d.do(actTrouble)
		require.Contains(t, d.plain(), "its streams are still open after 2 s")
	})
}

// TestServerWaitsForYou: what only a person can answer is loud, on any screen.
func TestServerWaitsForYou(t *testing.T) {
	for _, width := range []int{120, 80, 60, 40} {
		inBubble(t, width, 24, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			require.NoError(t, d.session.SetPolicy("elicitation/create", session.Policy{Mode: session.PolicyAsk}))
			x.latest().out(`{"jsonrpc":"2.0","id":"s-1","method":"elicitation/create","params":{"message":"?"}}`)
			synctest.Wait()
			time.Sleep(12 * time.Second)
			d.take(tick{})
			require.Contains(t, d.rows()[0], "WAITS FOR YOU 12s")
			require.Contains(t, d.rows()[1], "! the server waits for you, for 12 s:")
			require.Equal(t, time.Second, d.pace())
			require.NoError(t, d.session.Answer(d.waiting[0].ID, []byte(`{"action":"decline"}`)))
			synctest.Wait()
			d.pull()
			require.NotContains(t, d.plain(), "WAITS FOR YOU")
		})
	}
}

// TestVerdictFrames shows recordings of servers with something wrong.
func TestVerdictFrames(t *testing.T) {
	for _, name := range []string{"variable", "crashed", "stray", "not-found", "multi-line"} {
		rec, err := recordings.Open(filepath.Join("..", "session", "verdict", "testdata", name+".jsonl"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rec.Close()) })
		var top []string
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
			d := drive(t, Options{Source: rec, Title: name + ".jsonl"}, size[0], size[1])
			requireExact(t, d.screen(), size[0], size[1])
			top = append(top, d.rows()[:d.layout.verdict.Y+d.layout.verdict.H]...)
		}
		golden(t, "verdict-"+name, strings.Join(top, "\n"))
	}
}

// TestHeaderPriorities: what is left out on a narrow screen is what matters least.
func TestHeaderPriorities(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
		require.NoError(t, d.session.Log().Append([]session.Entry{
			session.NewEntry(session.KindGap, 0, session.GapBody{From: 1, To: 2, Bytes: 12_345, Streams: []string{"stdout"}}),
		}))
		d.pull()
		for width, want := range map[int]string{
			140: "LIVE  fake (local)  mcp-stdio-1 pid 4121  2025-11-25 legacy  ready | out 4 in 2  1 pending | REC off | gap 1 (12.1K LOST)",
			90:  "LIVE  fake (local)  2025-11-25  ready | 4/2  1 pending | REC off | gap 1 (12.1K LOST)",
			80:  "LIVE  fake (local)  ready | 4/2  1 pending | REC off | gap 1 (12.1K LOST)",
			60:  "LIVE  fake (local)  ready | 1 pending | 12.1K LOST",
			40:  "LIVE  fake (local)  ready | 12.1K LOST",
		} {
			require.Equal(t, want, header(d, width), width)
		}
	})
}

func TestMeter(t *testing.T) {
	var m meter
	require.Zero(t, m.perSecond())
	n := uint64(0)
	for i := range int64(100) { // each tenth of a second
		m.sample(i*100_000, n)
		n += 30
	}
	require.Equal(t, 300, m.perSecond())
	require.LessOrEqual(t, len(m.samples), meterSpan/meterStep+4)
	m.sample(30_000_000, n)
	m.sample(40_000_000, n)
	require.Zero(t, m.perSecond())
}

// TestVerdictInSight: what is wrong is told over the catalog too, and a server
// that asks is told of with the key.
func TestVerdictInSight(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		require.NoError(t, d.session.SetPolicy("sampling/createMessage", session.Policy{Mode: session.PolicyAsk}))
		d.asked(x, 3, "sampling/createMessage", `{"messages":[],"maxTokens":1}`)
		require.Contains(t, d.rows()[1], "the server waits for you, for less than 1 ms: sampling/createMessage; A answers it")
		d.do(actCatalog)
		require.Contains(t, d.rows()[1], "the server waits for you")
		require.Contains(t, d.rows()[2], "tools")
		require.Contains(t, d.rows()[3], "Catalog")
		require.Contains(t, d.rows()[34], "┗")
	})
}

// TestProbeSteps: among the steps of a start a probe that was not answered is no
// failure, if initialize follows.
func TestProbeSteps(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		probe := session.PhaseBody{Phase: mcp.MethodDiscover, Took: 1_500_000, Error: "server/discover: no answer in time (1.5s)"}
		d.story.phases = []session.PhaseBody{probe}
		require.Equal(t, "x", d.steps()[0].mark)
		d.story.phases = append(d.story.phases, session.PhaseBody{Phase: mcp.MethodInitialize, Took: 1})
		require.Equal(t, step{mark: "-", name: "server/discover", detail: "no answer in time (1.5s)", took: "1.50 s", style: d.theme.Dim}, d.steps()[0])
	})
}

// TestWhoRefused: what the program refused by itself differs from a refusal that
// somebody chose, though the server gets the same error.
func TestWhoRefused(t *testing.T) {
	for mode, note := range map[session.PolicyMode]string{session.PolicyRefuse: "auto -32601", session.PolicyDecline: "answered -32601"} {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			require.NoError(t, d.session.SetPolicy("roots/list", session.Policy{Mode: mode}))
			x.latest().out(`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
			synctest.Wait()
			d.pull()
			require.Contains(t, d.plain(), "roots/list "+note)
		})
	}
}
