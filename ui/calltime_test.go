package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/calls"
)

// TestCallTimeIsThatOfTheRow checks that the status line shows the server's time, as the
// row does, however late the screen is updated.
func TestCallTimeIsThatOfTheRow(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		cmd := calls.Request(d.visible.context(), "tools/call echo", "tools/call", []byte(`{"name":"echo"}`), 0)
		time.Sleep(100 * time.Millisecond) // before the command runs
		d.begin(cmd)
		synctest.Wait()
		time.Sleep(41 * time.Millisecond)
		x.latest().out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		synctest.Wait()
		time.Sleep(time.Second) // before the screen is updated
		d.arrive()
		require.Contains(t, d.lastLine(), "the server answered in 41 ms: tools/call echo")
		require.Regexp(t, ` #3 +41\.0 `, d.plain())
	})
}

// TestCallTimeOfRounds checks that the footer shows the time that the server took for all
// rounds of a call, and next to it that in which it waited for the user.
func TestCallTimeOfRounds(t *testing.T) {
	inModern(t, quote, func(t *testing.T, d *driver, _ *fakeExecutor, _ session.Log) {
		d.begin(calls.Request(d.visible.context(), "tools/call quote", "tools/call", []byte(`{"name":"quote","arguments":{"symbol":"ACME"}}`), 0))
		for _, content := range []string{`{"confirm":true}`, `{"again":true}`} {
			time.Sleep(20 * time.Millisecond)
			d.arrive()
			d.answer(content)
		}
		time.Sleep(20 * time.Millisecond)
		d.arrive()
		require.Contains(t, d.lastLine(), "the server answered in 36 ms over 3 rounds, you 2.0 s: tools/call quote")
		require.Empty(t, d.visible.ws.ServerTime(0), "no row, no time")
	})
}
