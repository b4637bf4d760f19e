package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// composesRaw opens the composer for any message, and sends a text.
func (d *driver) composesRaw(text string) {
	d.do(host.ActCompose, "compose-view", "compose-clear")
	d.write(text)
	d.do("compose-newline")
	d.take(ctrlS)
}

// waysToSend are those of a person, each with words of the row that it makes.
var waysToSend = map[string]struct {
	words string
	send  func(d *driver, x *fakeExecutor)
}{
	"form": {"echo", func(d *driver, _ *fakeExecutor) {
		d.lookUp()
		d.do("catalog-open")
		d.take(ctrlS)
		d.take(ctrlS)
	}},
	"message": {"ping", func(d *driver, _ *fakeExecutor) { d.composesRaw(`{"jsonrpc":"2.0","id":77,"method":"ping"}`) }},
	"again":   {"again", func(d *driver, _ *fakeExecutor) { d.selects(`"again"`); d.do(actResend) }},
	"edit":    {"again", func(d *driver, _ *fakeExecutor) { d.selects(`"again"`); d.do(actEditResend); d.take(ctrlS) }},
	"batch": {"batch", func(d *driver, _ *fakeExecutor) {
		d.composesRaw(`[{"jsonrpc":"2.0","id":78,"method":"ping"},{"jsonrpc":"2.0","id":79,"method":"other"}]`)
	}},
	"answer": {mcp.MethodElicit, func(d *driver, x *fakeExecutor) {
		d.opened(x, mcp.MethodElicit, `{"message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`)
		d.do("answer-send")
	}},
}

// filters sets a filter that hides the messages sent after it.
func (d *driver) filters() {
	d.do(actFilter)
	d.write("id:7")
	d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
}

// afterSending are what may follow.
var afterSending = map[string]func(d *driver, x *fakeExecutor){
	"nothing": func(*driver, *fakeExecutor) {},
	"10,000 notifications": func(d *driver, x *fakeExecutor) {
		for i := range 10_000 {
			x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i%2)
		}
	},
	"a filter before": func(*driver, *fakeExecutor) {},
	"a restart": func(d *driver, _ *fakeExecutor) {
		d.do(host.ActRestart)
		if d.front.dialog != nil {
			d.do(actYes)
		}
	},
	"a resize": func(d *driver, _ *fakeExecutor) {
		for _, size := range frameSizes {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.content()
		}
		d.take(tea.WindowSizeMsg{Width: 60, Height: 20})
	},
}

// selectedCall returns the line of the selected row on the screen, or "".
func (d *driver) selectedCall() string {
	r := d.panes.layout.pane[trafficID].Body()
	for _, row := range d.rows()[r.Y : r.Y+r.H] {
		if line := []rune(row)[r.X : r.X+r.W]; line[0] == '>' {
			return strings.TrimRight(string(line), " ")
		}
	}
	return ""
}

// TestSentIsInTheFrame checks for each way to send, in each view, that the next frame has
// the row, selected, and still has it after other things happened.
func TestSentIsInTheFrame(t *testing.T) {
	t.Parallel()
	for way, of := range waysToSend {
		for view := range 3 {
			for what, then := range afterSending {
				t.Run(fmt.Sprint(way, "/", []string{"calls", "messages", "all"}[view], "/", what), func(t *testing.T) {
					t.Parallel()
					inBubble(t, 120, 36, offersAndEchoes, func(t *testing.T, d *driver, x *fakeExecutor) {
						uitest.Person(t, d.visible.ws.Session)
						d.send(`{"jsonrpc":"2.0","id":7,"method":"again"}`)
						for i := range 100 {
							d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i%2))
						}
						for range view {
							d.do("timeline")
						}
						d.do(actTraffic, kit.Bottom)
						if what == "a filter before" {
							d.filters()
						}
						of.send(d, x)
						d.hear()
						require.Contains(t, d.selectedCall(), of.words, "%s", d.plain())
						then(d, x)
						synctest.Wait()
						d.hear()
						require.Contains(t, d.selectedCall(), of.words, "%s", d.plain())
					})
				})
			}
		}
	}
}
