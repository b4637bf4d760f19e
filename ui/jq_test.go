package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
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

// query opens the jq bar over a message, types an expression and waits for its
// result.
func (d *driver) query(expression string) {
	d.t.Helper()
	d.keepTime()
	d.send(toolsLine)
	d.visible.rows.Traffic.Select(d.row("Sum Tool"))
	d.do(actTraffic, actJQ)
	require.Equal(d.t, scopeJQ, d.visible.scope())
	d.write(expression)
	time.Sleep(typedPause)
	d.arrive()
}

var jqTests = map[string]actionTest{
	actJQ: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.query(".result.tools[].name")
		rows := d.rows()
		require.Contains(t, rows[3], "jq> .result.tools[].name")
		require.Contains(t, rows[4], "2 results")
		require.Contains(t, rows[6], `0: "echo"`)
		require.Contains(t, rows[7], `1: "get-sum"`)
		uitest.Golden(t, "jq", d.content())

		d.write("]")
		require.Contains(t, d.rows()[7], `1: "get-sum"`, "until the next is there")
		time.Sleep(typedPause)
		d.arrive()
		require.Contains(t, d.rows()[4], `jq: byte 21: unexpected token "]"`)
		uitest.Golden(t, "jq-error", d.content())
	},
	actJQKeep: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.query(".result.tools[1]")
		d.do(actJQKeep)
		require.Equal(t, scopeDetail, d.visible.scope())
		require.Contains(t, d.rows()[3], "jq> .result.tools[1]   1 result")
		require.Contains(t, d.rows()[4], "v {")
		d.do(kit.Bottom, kit.Up, kit.Up)
		value, pointer, jq, ok := d.visible.detail.Value()
		require.True(t, ok)
		require.Equal(t, `"get-sum"`, value)
		require.Equal(t, ".result.tools[1] | .name", jq)
		require.Empty(t, pointer, "it is not a place in the message")

		d.do(actJQ)
		require.Contains(t, d.rows()[3], "jq> .result.tools[1]", "it goes on with the text")
		d.write(" | .title")
		d.do(actJQKeep) // before the pause is over
		require.Contains(t, d.rows()[4], `"Sum Tool"`)
		require.Equal(t, scopeDetail, d.visible.scope())

		d.visible.rows.Traffic.Select(0)
		d.do(actTraffic)
		require.NotContains(t, d.plain(), "jq>")
	},
	actJQComplete: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.query(".res")
		d.do(actJQComplete)
		require.Contains(t, d.rows()[3], "jq> .result ")
		d.write(".tools[0].")
		d.do(actJQComplete)
		require.Contains(t, d.rows()[4], "inputSchema  name  odd key  title")
		d.write("o")
		d.do(actJQComplete)
		require.Contains(t, d.rows()[3], `jq> .result.tools[0]."odd key"`)
		d.write(" | map(.na")
		d.do(actJQComplete)
		require.Contains(t, d.rows()[3], `| map(.name`, "a name from anywhere")
		d.write("x")
		d.do(actJQComplete)
		require.Contains(t, d.rows()[4], `no member begins with namex`)
	},
	actJQCopy: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.query(".result.tools")
		d.do(actJQCopy)
		require.Equal(t, ".result.tools", d.clip)
		require.Contains(t, d.rows()[35], "sent 13 bytes (.result.tools, jq) to the terminal's clipboard (OSC 52)")
	},
	actJQDrop: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.query(".result.tools")
		d.do(actJQDrop)
		require.Equal(t, scopeDetail, d.visible.scope())
		require.NotContains(t, d.plain(), "jq>")
		require.Contains(t, d.plain(), `jsonrpc: "2.0"`)
		d.do(actJQ)
		d.do(actJQKeep) // without a text
		require.Equal(t, scopeDetail, d.visible.scope())
		require.NotContains(t, d.plain(), "jq>")
	},
}

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

// TestJQOfLongMessages checks that expressions run only on request for a message
// that takes long.
func TestJQOfLongMessages(t *testing.T) {
	log := newLog(t)
	payload := []byte(`{"a":"` + strings.Repeat("x", 17<<20) + `","b":[1,2]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	d := drive(t, Options{Source: log}, 120, 36)
	d.do(actJQ)
	require.Contains(t, d.rows()[4], "17.0M: enter runs the expression")
	d.write(".b[]")
	require.Contains(t, d.rows()[4], "enter runs the expression")
	d.do(actJQKeep)
	require.Contains(t, d.rows()[3], "jq> .b[]   2 results")
	require.Contains(t, d.rows()[5], "0: 1")
}

// TestJQOnlyOfMessages checks what has no tree.
func TestJQOnlyOfMessages(t *testing.T) {
	log := newLog(t)
	for _, payload := range []string{"listening", `{"method":"x"}`} {
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: []byte(payload), Msg: framing.Scan([]byte(payload))}}))
	}
	d := drive(t, Options{Source: log}, 120, 36)
	d.visible.rows.Traffic.Select(0)
	d.do(actTraffic, actJQ)
	require.Contains(t, d.rows()[35], "x jq: the row is not a JSON message")
	d.visible.rows.Traffic.Select(1)
	d.do(actTraffic, host.ActOpen, actViewBytes, actJQ)
	require.Contains(t, d.plain(), "jq>", "it shows the tree first")
}

// TestJQIsSafe checks that nothing from a message reaches the terminal raw by way of
// results, names and errors, at any size.
func TestJQIsSafe(t *testing.T) {
	for _, text := range hostile {
		for _, expression := range []string{".", ".result", ".[", "error(tojson)", "."} {
			d := drive(t, Options{Source: hostileLog(t, text)}, 120, 36)
			d.do(actJQ)
			if d.visible.scope() != scopeJQ {
				continue
			}
			d.write(expression)
			d.do(actJQComplete)
			requireExact(t, d.content(), 120, 36)
			d.do(actJQKeep)
			requireExact(t, d.content(), 120, 36)
		}
	}
}

// TestJQAtEverySize checks that the frame is exact at every size.
func TestJQAtEverySize(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {100, 30}, {80, 24}, {60, 20}, {40, 10}, {40, 11}} {
		inBubble(t, size[0], size[1], nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.query(".result.tools[] | {name, title}")
			frame := d.content()
			requireExact(t, frame, size[0], size[1])
			require.Contains(t, stripped(frame), "jq> .result")
			if size[0] == 60 {
				uitest.Golden(t, "jq-60x20", frame)
			}
		})
	}
}
