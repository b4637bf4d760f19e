package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
)

// guilty makes the server break rules: text on stdout, a response to an unknown
// request, and a duplicate response.
func guilty(d *driver, x *fakeExecutor) {
	p := x.Latest()
	p.Out("npm WARN \x1b[2J deprecated")
	p.Out(`{"jsonrpc":"2.0","id":700,"result":{}}`)
	p.Out(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1,"a":2}}`)
	d.hear()
}

const checked = "checked: " + rule.Checked

// TestFindingsOnTheScreen checks that the header counts problems, that rows
// have marks and names, and that the events pane lists problems at their place
// in time.
func TestFindingsOnTheScreen(t *testing.T) {
	inBubble(t, 160, 40, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		require.NotContains(t, d.rows()[0], "lint")
		guilty(d, x)
		require.Contains(t, d.rows()[0], "3 problems")
		require.Regexp(t, `#.* noise on stdout .*\n.*#.* answer to unknown id `, d.plain())
		d.wire()
		require.Regexp(t, `△ +\d+ +0:00\.00 ← notifications/x +FRM13`, d.plain())
		d.do(actEvents, actZoom)
		rows := strings.Join(d.rows(), "\n")
		require.Regexp(t, `(?s)✗ +3 +0:00\.00 +FRM12 .*✗ +4 +0:00\.00 +RPC07 .*△ +5 +0:00\.00 +FRM13 `, rows)
		require.NotContains(t, d.content(), "\x1b[2J")
		x.Latest().Err("something else") // no problem: it is not in the list
		x.Latest().Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
		synctest.Wait()
		d.keepTime()
		d.pull()
		time.Sleep(time.Minute) // its cause might still have followed
		d.arrive()
		require.Regexp(t, `exit +signal SEGV \(crash\) +PRC03`, d.plain(), "an event has problems too")
		require.NotContains(t, d.plain(), "something else")
	})
}

// TestFindingsThatComeWithTime checks that timed problems are found without
// another row.
func TestFindingsThatComeWithTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := openSession(t, nil)
		term := inTerminal(t, Options{Session: s, Title: "fake (local)"}, 160, 40)
		_, err := s.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		require.NoError(t, err)
		term.Wait()
		require.NotContains(t, term.Text(), "RPC19")
		time.Sleep(2 * time.Minute)
		term.Wait()
		require.Contains(t, term.Text(), "RPC19")
		term.RequireShown()
	})
}

// TestProblemsHaveOneCount checks that the header, the list of problems and the list of
// causes show the same count as every other output, and the checks that were made. A
// failed call is not counted.
func TestProblemsHaveOneCount(t *testing.T) {
	inBubble(t, 200, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		x.Latest().Out(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"busy"}}`)
		d.hear()
		require.NotContains(t, d.rows()[0], "problem")
		d.do(host.ActProblems)
		require.Contains(t, d.lastLine(), "no problems; "+checked)
		d.do(host.ActCauses)
		require.Contains(t, d.lastLine(), "no problems; "+checked)

		guilty(d, x)
		count := d.visible.ws.Shown.Problems.Checker.Count()
		require.Greater(t, count.Problems(), 1)
		require.Contains(t, d.rows()[0], fmt.Sprintf("%d problems", count.Problems()))
		d.do(host.ActProblems)
		require.Contains(t, d.plain(), "─ "+count.String()+" ─")
		require.Contains(t, d.plain(), "─ checked: all ─")
		d.do("close-findings", host.ActCauses)
		card := strings.Join(strings.Fields(strings.ReplaceAll(d.plain(), "│", "")), " ") // its lines wrap
		require.Contains(t, card, count.String()+"; L lists them. Checked: framing, JSON-RPC, contents and")
	})
}
