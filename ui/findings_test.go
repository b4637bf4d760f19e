package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/lint"
)

// guilty has the server break rules: text on stdout, an answer that nobody asked
// for, and one that comes twice.
func guilty(d *driver, x *fakeExecutor) {
	p := x.latest()
	p.out("npm WARN \x1b[2J deprecated")
	p.out(`{"jsonrpc":"2.0","id":700,"result":{}}`)
	p.out(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1,"a":2}}`)
	synctest.Wait()
	d.pull()
}

var findingTests = map[string]actionTest{
	actFindings: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actFindings)
		require.Contains(t, d.rows()[35], "no problems; checked: framing, JSON-RPC and process rules; message contents not checked")
		guilty(d, x)
		d.do(actFindings)
		require.Contains(t, d.plain(), "3 problems (2 errors, 1 warning)")
		require.Regexp(t, `> x FRM12 +\d`, d.plain(), "errors come first")
		require.Regexp(t, `breaks +\w`, d.plain())
		require.NotContains(t, d.screen(), "\x1b[2J")
		golden(t, "findings", d.plain())
	},
	actGoToFinding: func(t *testing.T, d *driver, x *fakeExecutor) {
		guilty(d, x)
		d.do(actFindings)
		d.write("RPC07")
		d.do(actGoToFinding)
		require.Nil(t, d.top())
		require.Equal(t, d.row(`"id":700`), d.cursor())
	},
	actCloseFindings: func(t *testing.T, d *driver, x *fakeExecutor) {
		guilty(d, x)
		d.do(actFindings, actCloseFindings)
		require.Nil(t, d.top())
	},
	scopeFindings + "-" + actDown:     findingMoves(actDown, 0, 1),
	scopeFindings + "-" + actUp:       findingMoves(actUp, 2, 1),
	scopeFindings + "-" + actPageDown: findingMoves(actPageDown, 0, -1),
	scopeFindings + "-" + actPageUp:   findingMoves(actPageUp, -1, 0),
	scopeFindings + "-" + actTop:      findingMoves(actTop, 2, 0),
	scopeFindings + "-" + actBottom:   findingMoves(actBottom, 0, -1),
}

func findingMoves(move string, from, to int) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		guilty(d, x)
		pickerMoves(actFindings, move, from, to)(t, d, x)
	}
}

// TestFindingsOnTheScreen: the header counts them, rows have marks and names, and
// the events pane lists them at their place in time.
func TestFindingsOnTheScreen(t *testing.T) {
	inBubble(t, 160, 40, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		require.NotContains(t, d.rows()[0], "lint")
		guilty(d, x)
		require.Contains(t, d.rows()[0], "3 problems")
		require.Regexp(t, `! +\d+ +0:00\.00 < notifications/x FRM13`, d.plain())
		d.do(actEvents, actZoom)
		rows := strings.Join(d.rows(), "\n")
		require.Regexp(t, `(?s)x +0:00\.00 FRM12 .*x +0:00\.00 RPC07 .*! +0:00\.00 FRM13 `, rows)
		require.NotContains(t, d.screen(), "\x1b[2J")
		x.latest().err("something else") // no finding: it is not in the list
		x.latest().exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
		synctest.Wait()
		d.keepTime()
		d.pull()
		time.Sleep(time.Minute) // its cause might still have followed
		d.arrive()
		require.Regexp(t, `exited +signal SEGV \(crash\)  PRC03`, d.plain(), "an event is found fault with too")
		require.NotContains(t, d.plain(), "something else")
	})
}

// TestFindingsThatComeWithTime: what is due is found without another row.
func TestFindingsThatComeWithTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSession(t, newLog(t), nil)
		require.NoError(t, s.Open(t.Context()))
		term := inTerminal(t, Options{Session: s, Title: "fake (local)"}, 160, 40)
		_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		require.NoError(t, err)
		term.wait()
		require.NotContains(t, term.screen(), "RPC19")
		time.Sleep(2 * time.Minute)
		term.wait()
		require.Contains(t, term.screen(), "RPC19")
		term.requireShown()
	})
}

// TestFindingsInOrder: whatever the order in which events and findings come, the
// pane lists them by row, each once.
func TestFindingsInOrder(t *testing.T) {
	f := newFindings(newLog(t))
	f.follow([]uint32{2, 5, 9})
	f.insert(7)
	f.insert(1)
	f.insert(7)
	f.insert(5)
	f.insert(20)
	f.follow([]uint32{2, 5, 9, 12})
	require.Equal(t, []uint32{1, 2, 5, 7, 9, 12, 20}, f.events)
}

// TestProblemsHaveOneCount holds that the header, the list of problems and the list
// of causes show the count that every other output shows, and what was checked. A
// failed call is not in it.
func TestProblemsHaveOneCount(t *testing.T) {
	inBubble(t, 200, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"err"}}`)
		x.latest().out(`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}`)
		synctest.Wait()
		d.pull()
		require.NotContains(t, d.rows()[0], "problem")
		d.do(actFindings)
		require.Contains(t, d.lastLine(), "no problems; "+checked)
		d.do(actTrouble)
		require.Contains(t, d.lastLine(), "no problems; "+checked)

		guilty(d, x)
		count := d.findings.linter.Count()
		require.Greater(t, count.Problems(), 1)
		require.Contains(t, d.rows()[0], fmt.Sprintf("%d problems", count.Problems()))
		require.Contains(t, d.rows()[0], checked)
		d.do(actFindings)
		require.Contains(t, d.plain(), "━ "+count.String()+" ━")
		require.Contains(t, d.plain(), "  "+checked)
		d.do(actCloseFindings, actTrouble)
		require.Contains(t, d.plain(), count.String()+"; L lists them; checked: framing, JSON-RPC and process rules")
	})
}

// TestManyFindings: a log that is found fault with at every row is looked at in
// steps, and shown no slower for it.
func TestManyFindings(t *testing.T) {
	entries := make([]session.Entry, 3*lintRows)
	for i := range entries {
		line := fmt.Appendf(nil, "stray %d", i)
		entries[i] = session.Entry{Kind: session.KindStdout, Seq: uint64(i) + 1, Payload: line, Msg: framing.Scan(line)}
	}
	log := newLog(t)
	require.NoError(t, log.Append(entries))
	d := drive(t, Options{Source: log}, 120, 36)
	steps := 0
	for {
		rows, _ := d.findings.linter.Looked()
		if rows >= log.Len() {
			break
		}
		steps++
		d.run(d.lintOn())
	}
	require.Equal(t, 2, steps, "the first is taken when the log is opened")
	require.GreaterOrEqual(t, d.findings.count.Errors, len(entries))
	require.Less(t, len(d.findings.list), len(lint.Rules())*100, "what is not kept one by one is counted")
	require.Contains(t, d.repainted(), " problems ")
}
