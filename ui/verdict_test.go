package ui

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// crashes makes the server crash during a call, with output on stderr.
func (d *driver) crashes(x *fakeExecutor) {
	d.t.Helper()
	x.Latest().Out("starting up")
	d.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	x.Latest().Out(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	x.Latest().Err("fatal: out of luck")
	x.Latest().Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
	d.hear()
}

// verdictTests follow a cause to the panes that have its rows.
var verdictTests = map[string]actionTest{
	"evidence": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.crashes(x)
		require.Contains(t, d.rows()[1], "✗ The server was killed by signal SEGV during sleep: fatal: out of luck   ! why   ctrl+r restarts it   2 more causes")
		d.do("evidence")
		require.Equal(t, stderrID, d.panes.focus)
		require.Equal(t, d.row("fatal: out of luck"), d.visible.ws.Selected.Number)
		d.do("evidence")
		require.Equal(t, trafficID, d.panes.focus)
		require.Equal(t, d.row(`"id":99`), d.visible.ws.Selected.Number)
		d.do(actTraffic, kit.Top, "evidence")
		require.Equal(t, d.row("fatal: out of luck"), d.visible.ws.Selected.Number, "the first one again, from another row")
	},
	"trouble-restart": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.crashes(x)
		d.do(host.ActCauses, "trouble-process")
		require.Contains(t, d.plain(), "╭─ Process ")
		d.do("close-process")
		require.Contains(t, d.plain(), "╭─ Why", "the card is still open")
		d.do("trouble-restart")
		require.Nil(t, d.front.top())
		require.Equal(t, 2, x.Started())
	},
}

// TestVerdictFollowsTheSession checks that a cause appears with its problem, that
// its clock runs, and that it disappears when the problem is over.
func TestVerdictFollowsTheSession(t *testing.T) {
	inBubble(t, 100, 30, func(*fakeProcess, message) {}, func(t *testing.T, d *driver, x *fakeExecutor) {
		require.True(t, d.panes.layout.verdict.Empty())
		d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"dig"}}`)
		require.True(t, d.panes.layout.verdict.Empty())
		time.Sleep(12 * time.Second)
		d.take(tick{})
		require.Contains(t, d.rows()[1], "△ No response to dig (id 7) for 12 s")
		require.Equal(t, time.Second, d.pace())
		time.Sleep(time.Second)
		d.take(tick{})
		require.Contains(t, d.rows()[1], "for 13 s")
		x.Latest().Out(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
		d.hear()
		require.True(t, d.panes.layout.verdict.Empty())
		require.Zero(t, d.pace())
	})
}

// TestStreamsHeldOpen checks that streams held open by a child process are
// reported without a further row.
func TestStreamsHeldOpen(t *testing.T) {
	inBubble(t, 100, 30, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		x.Latest().Holds = true
		x.Latest().Exit(executor.Exit{Kind: executor.ExitCode})
		d.hear()
		require.NotContains(t, d.plain(), "still open after")
		require.Equal(t, time.Second, d.pace())
		time.Sleep(2 * time.Second)
		d.take(tick{})
		d.do(host.ActCauses)
		require.Contains(t, d.plain(), "its streams are still open after 2 s")
	})
}

// TestServerWaitsForYou checks that a request that waits for the user is
// prominent on any screen.
func TestServerWaitsForYou(t *testing.T) {
	for _, width := range []int{120, 80, 60, 40} {
		inBubble(t, width, 24, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			require.NoError(t, d.visible.ws.Session.SetPolicy("elicitation/create", session.Policy{Mode: session.PolicyAsk}))
			x.Latest().Out(`{"jsonrpc":"2.0","id":"s-1","method":"elicitation/create","params":{"message":"?"}}`)
			synctest.Wait()
			time.Sleep(12 * time.Second)
			d.take(tick{})
			require.Contains(t, d.rows()[0], " 1 waits")
			require.Contains(t, d.rows()[1], "△ Waiting for your response for 12 s")
			require.Equal(t, time.Second, d.pace())
			require.NoError(t, d.visible.ws.Session.Answer(d.visible.ws.Waiting[0].ID, []byte(`{"action":"decline"}`)))
			d.hear()
			require.NotContains(t, d.rows()[0], "1 waits")
		})
	}
}

// TestVerdictFrames shows recordings of servers with problems.
func TestVerdictFrames(t *testing.T) {
	var tops uitest.Sheet
	for _, name := range []string{"variable", "crashed", "stray", "not-found", "multi-line"} {
		rec, err := recordings.Open(filepath.Join("..", "session", "diagnosis", "cause", "testdata", name+".jsonl"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rec.Close()) })
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
			d := drive(t, Options{Source: rec, Title: name + ".jsonl"}, size[0], size[1])
			d.requireSound()
			tops.Add(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), strings.Join(d.rows()[:d.panes.layout.verdict.Y+d.panes.layout.verdict.H], "\n"))
		}
	}
	tops.Golden(t, "verdicts")
}

// TestClickOnCause checks that a click on the line below the header opens the card,
// and that its choices take clicks.
func TestClickOnCause(t *testing.T) {
	inBubble(t, 120, 36, func(*fakeProcess, message) {}, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.crashes(x)
		d.take(tea.MouseClickMsg{X: 10, Y: 1, Button: tea.MouseLeft})
		d.click("I process")
		require.Contains(t, d.plain(), "╭─ Process ")
	})
}

// TestVerdictInSight checks that causes stay visible over the catalog, and that a
// server request is shown with its key.
func TestVerdictInSight(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		require.NoError(t, d.visible.ws.Session.SetPolicy("sampling/createMessage", session.Policy{Mode: session.PolicyAsk}))
		d.asked(x, 3, "sampling/createMessage", `{"messages":[],"maxTokens":1}`)
		require.Contains(t, d.rows()[1], "Waiting for your response for 0 s: sampling/createMessage   A answers it")
		d.do("catalog")
		require.Contains(t, d.rows()[1], "Waiting for your response")
		require.Contains(t, d.rows()[2], "╭─ [Tools")
		require.Contains(t, d.rows()[34], "╰")
	})
}

// TestProbeSteps checks that in the steps of a start an unanswered probe is not a
// failure if initialize follows.
func TestProbeSteps(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		probe := session.PhaseBody{Phase: mcp.MethodDiscover, Took: 1_500_000, Error: "server/discover: no answer in time (1.5s)"}
		d.visible.ws.Shown.Lifecycle.Phases = []session.PhaseBody{probe}
		require.Equal(t, "✗", startSteps(d.visible.ws, d.screen.Theme, "✗")[0].mark)
		d.visible.ws.Shown.Lifecycle.Phases = append(d.visible.ws.Shown.Lifecycle.Phases, session.PhaseBody{Phase: mcp.MethodInitialize, Took: 1})
		require.Equal(t, step{name: "server/discover", detail: "no answer in time (1.5s)", took: "1.5 s", style: d.screen.Theme.Dim}, startSteps(d.visible.ws, d.screen.Theme, "✗")[0])
	})
}
