package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/detail"
	"mcpdbg/ui/kit"
)

// The ids of the actions of the jq bar.
const (
	actJQ         = "jq"
	actJQKeep     = "jq-keep"
	actJQComplete = "jq-complete"
	actJQCopy     = "jq-copy"
	actJQDrop     = "jq-drop"
	scopeJQ       = detail.ScopeJQ
)

// typedPause is longer than the pause after which an expression runs.
const typedPause = 200 * time.Millisecond

const toolsLine = `{"jsonrpc":"2.0","id":1,"result":{"tools":[` +
	`{"name":"echo","title":"Echo Tool","inputSchema":{"type":"object"},"odd key":1},` +
	`{"name":"get-sum","title":"Sum Tool","inputSchema":{"type":"object"}}]}}`

// TestJQStaysOnItsRow checks that new rows do not take the message away while an
// expression is typed.
func TestJQStaysOnItsRow(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(toolsLine)
		d.visible.rows.Traffic.Select(d.row("Sum Tool"))
		d.do(actTraffic, actFollow, actJQ)
		d.write(".res")
		d.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		require.Contains(t, d.rows()[1], "3 Detail response")
		d.do(actJQDrop)
	})
}

// TestKeptResultStays checks that a new row does not replace a kept result while the
// list follows, and that going to another row does.
func TestKeptResultStays(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.keepTime()
		d.send(toolsLine)
		require.True(t, d.visible.rows.Traffic.Following())
		d.do(actJQ)
		d.write(".result.tools[].name")
		time.Sleep(typedPause)
		d.arrive()
		d.do(actJQKeep)
		d.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		require.Contains(t, d.plain(), "jq> .result.tools[].name")
		require.Contains(t, d.plain(), `0: "echo"`)
		d.do(actTraffic, kit.Up)
		require.NotContains(t, d.plain(), "jq> ")
	})
}
