package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

func TestNotKept(t *testing.T) {
	log := newLog(t)
	uitest.Append(t, log, `< {"method":"m0","params":["`+strings.Repeat("x", 2*workspace.InlineLimit)+`"]}`)
	d := drive(t, Options{Source: &unreadable{log}}, 120, 36)
	d.do(kit.Bottom)
	require.Contains(t, d.repainted(), "← m0")
	require.Contains(t, d.repainted(), "the bytes are gone")
	d.do(actCopy)
	require.Contains(t, d.rows()[35], "x copy: the bytes are gone")
}

// unreadable is a log whose messages cannot be read.
type unreadable struct{ session.Source }

func (u *unreadable) Entry(session.Row, int) (session.Entry, error) {
	return session.Entry{}, errors.New("the bytes are gone")
}

// TestViewsThatApply checks that only views are offered that show something of the
// selected row, and that the key for the next view goes through them.
func TestViewsThatApply(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		uitest.Busy(t, d.visible.ws.Session, x)
		d.pull()
		d.do("timeline", "timeline") // all rows are listed
		for what, want := range map[string]string{
			"fake: listening":         "[text] bytes stderr ",
			"npm WARN deprecated":     " [text] bytes stderr ",
			"12402":                   " [tree] text bytes stderr ",
			`"progressToken":2`:       " content [tree] text bytes stderr ",
			`"method":"prompts/list"`: " content [tree] text bytes both stderr ",
			`"id":700`:                " content [tree] text bytes stderr ",
			`"text":"missing text"`:   " [content] tree text bytes both stderr ",
		} {
			d.visible.Select(d.row(what))
			d.do(actTraffic, actDetail, actZoom) // which has room for the views
			require.Contains(t, d.repainted(), want, what)
			d.do(actZoom)
		}
	})
}

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
		d.selects("Sum Tool")
		d.do(actFollow, "jq")
		d.write(".res")
		d.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		require.Contains(t, d.rows()[1], "── 3 response")
		d.do("jq-drop")
	})
}

// TestKeptResultStays checks that a new row does not replace a kept result while the
// list follows, and that going to another row does.
func TestKeptResultStays(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.keepTime()
		d.send(toolsLine)
		require.True(t, d.visible.rows.Traffic.Following())
		d.do(kit.Bottom, "jq")
		d.write(".result.tools[].name")
		time.Sleep(typedPause)
		d.arrive()
		d.do("jq-keep")
		d.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		require.Contains(t, d.plain(), "jq> .result.tools[].name")
		require.Contains(t, d.plain(), `0: "echo"`)
		d.do(actTraffic, kit.Up)
		require.NotContains(t, d.plain(), "jq> ")
	})
}
