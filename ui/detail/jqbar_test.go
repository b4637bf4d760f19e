package detail

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// afterTyping is longer than the pause after which an expression runs.
const afterTyping = 200 * time.Millisecond

const toolsLine = `{"jsonrpc":"2.0","id":1,"result":{"tools":[` +
	`{"name":"echo","title":"Echo Tool","inputSchema":{"type":"object"},"odd key":1},` +
	`{"name":"get-sum","title":"Sum Tool","inputSchema":{"type":"object"}}]}}`

// query opens the jq bar over a message, types an expression and waits for its
// result.
func (r *room) query(expression string) {
	r.T.Helper()
	r.KeepTime()
	r.Send(toolsLine)
	r.show(r.Row("Sum Tool"))
	r.Do(actJQ)
	require.Equal(r.T, ScopeJQ, r.Context().View.Scope())
	r.Write(expression)
	time.Sleep(afterTyping)
	r.Arrive()
}

var jqTests = map[string]roomTest{
	actJQ: func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".result.tools[].name")
		rows := r.rows()
		require.Contains(t, rows[2], "jq> .result.tools[].name")
		require.Contains(t, rows[3], "2 results")
		require.Contains(t, rows[5], `0: "echo"`)
		require.Contains(t, rows[6], `1: "get-sum"`)
		uitest.Golden(t, "jq", r.Frame())

		r.Write("]")
		require.Contains(t, r.rows()[6], `1: "get-sum"`, "until the next is there")
		time.Sleep(afterTyping)
		r.Arrive()
		require.Contains(t, r.rows()[3], `jq: byte 21: unexpected token "]"`)
		uitest.Golden(t, "jq-error", r.Frame())
	},
	actJQKeep: func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".result.tools[1]")
		r.Do(actJQKeep)
		require.Equal(t, Scope, r.Context().View.Scope())
		require.Contains(t, r.rows()[2], "jq> .result.tools[1]   1 result")
		require.Contains(t, r.rows()[3], "v {")
		r.Do(kit.Bottom, kit.Up, kit.Up)
		value, pointer, jq, ok := r.pane.Value()
		require.True(t, ok)
		require.Equal(t, `"get-sum"`, value)
		require.Equal(t, ".result.tools[1] | .name", jq)
		require.Empty(t, pointer, "it is not a place in the message")

		r.Do(actJQ)
		require.Contains(t, r.rows()[2], "jq> .result.tools[1]", "it goes on with the text")
		r.Write(" | .title")
		r.Do(actJQKeep) // before the pause is over
		require.Contains(t, r.rows()[3], `"Sum Tool"`)
		require.Equal(t, Scope, r.Context().View.Scope())

		r.show(0)
		require.NotContains(t, r.Text(), "jq>")
	},
	actJQComplete: func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".res")
		r.Do(actJQComplete)
		require.Contains(t, r.rows()[2], "jq> .result ")
		r.Write(".tools[0].")
		r.Do(actJQComplete)
		require.Contains(t, r.rows()[3], "inputSchema  name  odd key  title")
		r.Write("o")
		r.Do(actJQComplete)
		require.Contains(t, r.rows()[2], `jq> .result.tools[0]."odd key"`)
		r.Write(" | map(.na")
		r.Do(actJQComplete)
		require.Contains(t, r.rows()[2], `| map(.name`, "a name from anywhere")
		r.Write("x")
		r.Do(actJQComplete)
		require.Contains(t, r.rows()[3], `no member begins with namex`)
	},
	actJQCopy: func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".result.tools")
		r.Do(actJQCopy)
		require.Equal(t, ".result.tools", r.Clip)
		require.Contains(t, r.Said(), "sent 13 bytes (.result.tools, jq) to the terminal's clipboard (OSC 52)")
	},
	"jq-clear": func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".result.tools")
		r.Do("jq-clear")
		require.Empty(t, r.pane.jq.input.Value())
		require.Contains(t, r.Text(), `jsonrpc: "2.0"`)
	},
	"jq-earlier": func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".result.tools")
		r.Do(actJQKeep, actJQ, "jq-clear")
		r.Write(".id")
		r.Do(actJQKeep, actJQ, "jq-earlier", "jq-earlier")
		require.Equal(t, ".result.tools", r.pane.jq.input.Value())
	},
	"jq-later": func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".result.tools")
		r.Do(actJQKeep, actJQ, "jq-clear")
		r.Write(".x")
		r.Do("jq-earlier", "jq-later")
		require.Equal(t, ".x", r.pane.jq.input.Value(), "after the latest")
	},
	"jq-drop": func(t *testing.T, r *room, x *uitest.Server) {
		r.query(".result.tools")
		r.Do("jq-drop")
		require.Equal(t, Scope, r.Context().View.Scope())
		require.NotContains(t, r.Text(), "jq>")
		require.Contains(t, r.Text(), `jsonrpc: "2.0"`)
		r.Do(actJQ)
		r.Do(actJQKeep) // without a text
		require.Equal(t, Scope, r.Context().View.Scope())
		require.NotContains(t, r.Text(), "jq>")
	},
}

// TestJQOfLongMessages checks that expressions run only on request for a message
// that takes long.
func TestJQOfLongMessages(t *testing.T) {
	log := uitest.NewLog(t)
	payload := []byte(`{"a":"` + strings.Repeat("x", 17<<20) + `","b":[1,2]}`)
	require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	r := ofLog(t, log, 120, 36)
	r.show(log.Len() - 1)
	r.Do(actJQ)
	require.Contains(t, r.rows()[3], "17.0M: enter runs the expression")
	r.Write(".b[]")
	require.Contains(t, r.rows()[3], "enter runs the expression")
	r.Do(actJQKeep)
	require.Contains(t, r.rows()[2], "jq> .b[]   2 results")
	require.Contains(t, r.rows()[4], "0: 1")
}

// TestJQOnlyOfMessages checks what has no tree.
func TestJQOnlyOfMessages(t *testing.T) {
	log := uitest.NewLog(t)
	for _, payload := range []string{"listening", `{"method":"x"}`} {
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: []byte(payload), Msg: framing.Scan([]byte(payload))}}))
	}
	r := ofLog(t, log, 120, 36)
	r.show(0)
	r.Do(actJQ)
	require.Contains(t, r.Said(), "x jq: the row is not a JSON message")
	r.show(1)
	r.Do(actViewBytes, actJQ)
	require.Contains(t, r.Text(), "jq>", "it shows the tree first")
}

// TestJQIsSafe checks that nothing from a message reaches the terminal raw by way of
// results, names and errors, at any size.
func TestJQIsSafe(t *testing.T) {
	for _, text := range uitest.Hostile {
		for _, expression := range []string{".", ".result", ".[", "error(tojson)", "."} {
			log := uitest.HostileLog(t, text)
			r := ofLog(t, log, 120, 36)
			r.show(log.Len() - 1)
			r.Do(actJQ)
			if r.Context().View.Scope() != ScopeJQ {
				continue
			}
			r.Write(expression)
			r.Do(actJQComplete)
			uitest.RequireExact(t, r.Frame(), 120, 36)
			r.Do(actJQKeep)
			uitest.RequireExact(t, r.Frame(), 120, 36)
		}
	}
}

// TestJQAtEverySize checks that the frame is exact at every size.
func TestJQAtEverySize(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {100, 30}, {80, 24}, {60, 20}, {40, 10}, {40, 11}} {
		inRoom(t, size[0], size[1], nil, func(t *testing.T, r *room, x *uitest.Server) {
			r.query(".result.tools[] | {name, title}")
			frame := r.Frame()
			uitest.RequireExact(t, frame, size[0], size[1])
			require.Contains(t, ansi.Strip(frame), "jq> .result")
			if size[0] == 60 {
				uitest.Golden(t, "jq-60x20", frame)
			}
		})
	}
}
