package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/workspace"
)

// guilty makes the server break rules: text on stdout, a response to an unknown
// request, and a duplicate response.
func guilty(d *driver, x *fakeExecutor) {
	p := x.latest()
	p.out("npm WARN \x1b[2J deprecated")
	p.out(`{"jsonrpc":"2.0","id":700,"result":{}}`)
	p.out(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1,"a":2}}`)
	synctest.Wait()
	d.pull()
}

// dies makes the server exit during a call, for a reason that it names.
func (d *driver) dies(x *fakeExecutor) {
	d.t.Helper()
	d.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	x.latest().err("error: KEY is not set")
	x.latest().exit(executor.Exit{Kind: executor.ExitCode, Code: 3, By: executor.EndedByServer})
	synctest.Wait()
	d.pull()
	time.Sleep(time.Minute) // the cause of the exit might still have followed
	d.arrive()
	d.pull()
}

// The ids of actions on problems and causes, and the scope of the list of problems.
const (
	actGoToFinding = "go-to-finding"
	actEvidence    = "evidence"
	actTroubleGo   = "trouble-evidence"
	scopeFindings  = problems.ScopeList
	scopeTrouble   = problems.ScopeCauses

	checked = "checked: " + rule.Checked
)

var findingTests = map[string]actionTest{
	host.ActProblems: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(host.ActProblems)
		require.Contains(t, d.rows()[35], "no problems; checked: framing, JSON-RPC, contents and process rules")
		guilty(d, x)
		d.do(host.ActProblems)
		require.Contains(t, d.plain(), "3 problems (2 errors, 1 warning)")
		require.Regexp(t, `> x FRM12 +\d`, d.plain(), "errors come first")
		require.Regexp(t, `impact +\w`, d.plain())
		require.NotContains(t, d.content(), "\x1b[2J")
		uitest.Golden(t, "findings", d.plain())
	},
	actGoToFinding: func(t *testing.T, d *driver, x *fakeExecutor) {
		guilty(d, x)
		d.do(host.ActProblems)
		d.write("RPC07")
		d.do(actGoToFinding)
		require.Nil(t, d.front.top())
		require.Equal(t, d.row(`"id":700`), d.cursor())
	},
	"unfold-finding": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.dies(x)
		require.Contains(t, d.rows()[0], "1 problem ")
		d.do(host.ActProblems)
		require.Contains(t, d.plain(), "━ 1 problem (1 error), 1 remark ━")
		require.Regexp(t, `> x cause +\S+  ▸ The server exited with code 3 during sleep \(id 7\)  3 consequences`, d.plain())
		require.NotContains(t, d.plain(), "x PRC03")
		d.do("unfold-finding")
		require.Regexp(t, `(?s)> x cause +\S+  ▾ The server exited .*  x PRC03 .*  x PRC04 .*  x RPC19 `, d.plain())
		require.Contains(t, d.plain(), "5 of 5")
		uitest.Golden(t, "findings-cause", d.plain())
		d.do(scopeFindings+"-"+kit.Down, scopeFindings+"-"+kit.Down, scopeFindings+"-"+kit.Down, actGoToFinding)
		require.Equal(t, d.row(`"id":7`), d.cursor(), "a consequence has a row of its own")
	},
	"fold-finding": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.dies(x)
		d.do(host.ActProblems, "unfold-finding", scopeFindings+"-"+kit.Down, "fold-finding")
		require.Regexp(t, `> x cause +\S+  ▸ The server`, d.plain())
		d.write("in flight")
		require.Contains(t, d.plain(), "1 of 2", "it is found by its consequences")
		d.do(actGoToFinding)
		require.Equal(t, d.row("KEY is not set"), d.visible.ws.Selected.Number, "the row that shows the cause")
	},
	"close-findings": func(t *testing.T, d *driver, x *fakeExecutor) {
		guilty(d, x)
		d.do(host.ActProblems, "close-findings")
		require.Nil(t, d.front.top())
	},
	scopeFindings + "-" + kit.Down:     findingMoves(kit.Down, 0, 1),
	scopeFindings + "-" + kit.Up:       findingMoves(kit.Up, 2, 1),
	scopeFindings + "-" + kit.PageDown: findingMoves(kit.PageDown, 0, -1),
	scopeFindings + "-" + kit.PageUp:   findingMoves(kit.PageUp, -1, 0),
	scopeFindings + "-" + kit.Top:      findingMoves(kit.Top, 2, 0),
	scopeFindings + "-" + kit.Bottom:   findingMoves(kit.Bottom, 0, -1),
}

func findingMoves(move string, from, to int) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		guilty(d, x)
		pickerMoves(host.ActProblems, move, from, to)(t, d, x)
	}
}

// TestFindingsOnTheScreen checks that the header counts problems, that rows
// have marks and names, and that the events pane lists problems at their place
// in time.
func TestFindingsOnTheScreen(t *testing.T) {
	inBubble(t, 160, 40, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		require.NotContains(t, d.rows()[0], "lint")
		guilty(d, x)
		require.Contains(t, d.rows()[0], "3 problems")
		require.Regexp(t, `! +\d+ +0:00\.00 < notifications/x +FRM13`, d.plain())
		d.do(actEvents, actZoom)
		rows := strings.Join(d.rows(), "\n")
		require.Regexp(t, `(?s)x +0:00\.00 FRM12 .*x +0:00\.00 RPC07 .*! +0:00\.00 FRM13 `, rows)
		require.NotContains(t, d.content(), "\x1b[2J")
		x.latest().err("something else") // no problem: it is not in the list
		x.latest().exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
		synctest.Wait()
		d.keepTime()
		d.pull()
		time.Sleep(time.Minute) // its cause might still have followed
		d.arrive()
		require.Regexp(t, `exited +signal SEGV \(crash\)  PRC03`, d.plain(), "an event has problems too")
		require.NotContains(t, d.plain(), "something else")
	})
}

// TestFindingsThatComeWithTime checks that timed problems are found without
// another row.
func TestFindingsThatComeWithTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), nil)
		require.NoError(t, s.Open(t.Context()))
		term := inTerminal(t, Options{Session: s, Title: "fake (local)"}, 160, 40)
		_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		require.NoError(t, err)
		term.wait()
		require.NotContains(t, term.content(), "RPC19")
		time.Sleep(2 * time.Minute)
		term.wait()
		require.Contains(t, term.content(), "RPC19")
		term.requireShown()
	})
}

// TestProblemsHaveOneCount checks that the header, the list of problems and the list of
// causes show the same count as every other output, and the checks that were made. A
// failed call is not counted.
func TestProblemsHaveOneCount(t *testing.T) {
	inBubble(t, 200, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		x.latest().out(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"busy"}}`)
		synctest.Wait()
		d.pull()
		require.NotContains(t, d.rows()[0], "problem")
		d.do(host.ActProblems)
		require.Contains(t, d.lastLine(), "no problems; "+checked)
		d.do(host.ActCauses)
		require.Contains(t, d.lastLine(), "no problems; "+checked)

		guilty(d, x)
		count := d.visible.ws.Shown.Problems.Checker.Count()
		require.Greater(t, count.Problems(), 1)
		require.Contains(t, d.rows()[0], fmt.Sprintf("%d problems", count.Problems()))
		require.Contains(t, d.rows()[0], checked)
		d.do(host.ActProblems)
		require.Contains(t, d.plain(), "━ "+count.String()+" ━")
		require.Contains(t, d.plain(), "  "+checked)
		d.do("close-findings", host.ActCauses)
		card := strings.Join(strings.Fields(strings.ReplaceAll(d.plain(), "┃", "")), " ") // its lines wrap
		require.Contains(t, card, count.String()+"; L lists them. Checked: framing, JSON-RPC, contents and")
	})
}

// TestManyFindings checks that a log with problems at every row is checked in
// steps, and is not shown more slowly.
func TestManyFindings(t *testing.T) {
	entries := make([]session.Entry, 3*workspace.CheckRows)
	for i := range entries {
		line := fmt.Appendf(nil, "stray %d", i)
		entries[i] = session.Entry{Kind: session.KindStdout, Seq: uint64(i) + 1, Payload: line, Msg: framing.Scan(line)}
	}
	log := newLog(t)
	require.NoError(t, log.Append(entries))
	d := drive(t, Options{Source: log}, 120, 36)
	steps := 0
	for {
		rows, _ := d.visible.ws.Shown.Problems.Checker.Progress()
		if rows >= log.Len() {
			break
		}
		steps++
		d.run(d.visible.problems.Check(d.visible.context()))
	}
	require.Equal(t, 2, steps, "the first step runs when the log is opened")
	shown := d.visible.ws.Shown.Problems
	require.Len(t, shown.Groups, 1)
	require.Equal(t, len(entries), shown.Groups[0].Count)
	require.Less(t, len(shown.List), len(rule.All())*100, "problems beyond the limit are only counted")
	require.Contains(t, d.repainted(), " 1 problem ", "a flood")
	d.do(host.ActProblems)
	require.Contains(t, d.plain(), fmt.Sprintf("%d times, not all alike", len(entries)))
}
