package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/calls"
	"mcpdbg/ui/workspace"
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

// TestCallTimeOfRounds checks that the user's time between rounds is not
// counted as the server's.
func TestCallTimeOfRounds(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		c := &workspace.Call{Title: "tools/call echo"}
		answersAfter(d, x, 3*time.Millisecond, 41*time.Millisecond)
		c.Sent(uint64(d.row(`"id":0,"method"`) + 1))
		c.Sent(uint64(d.row(`"id":1,"method"`) + 1))
		require.Equal(t, " in 41 ms (last of 2 rounds)", d.visible.ws.ServerTime(c, uint64(d.row(`"id":1,"result"`)+1)))
		require.Empty(t, d.visible.ws.ServerTime(c, 0), "no row, no time")
	})
}
