package ui

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/player"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/send"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// echo answers every request with the result of a call: an empty one, except that of
// the tool remove, which has an output schema.
func echo(p *fakeProcess, m message) {
	if m.ID == nil || m.Method == "" {
		return
	}
	result := `{"content":[]}`
	if strings.Contains(string(m.Params), `"name":"remove"`) {
		result = `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`
	}
	p.Out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// an actionTest carries out the action whose id it is listed under, and checks
// the effect.
type actionTest func(t *testing.T, d *driver, x *fakeExecutor)

// cursor returns the row under the cursor of the traffic pane.
func (d *driver) cursor() int {
	row, ok := d.visible.rows.Traffic.Cursor()
	require.True(d.t, ok)
	return row
}

// listed returns the row at a position of the traffic.
func (d *driver) listed(i int) int { return int(d.visible.rows.Traffic.Listed().All()[i]) }

// send sends a line as a user does, and updates the screen.
func (d *driver) send(line string) {
	d.t.Helper()
	_, err := d.visible.ws.Session.Send(d.t.Context(), []byte(line))
	require.NoError(d.t, err)
	d.hear()
}

// pings sends two requests that are answered.
func (d *driver) pings() {
	for id := range 2 {
		d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
	}
}

// fails sends a request that is answered with an error, and a notification, and
// returns the row of the error.
func (d *driver) fails(x *fakeExecutor) int {
	d.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	x.Latest().Out(`{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"too tired"}}`)
	x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	d.hear()
	return d.row("too tired")
}

// acts returns the actions recorded in the log.
func (d *driver) acts() []string { return uitest.ActsOf(d.t, d.visible.ws.Shown.Source) }

// moves returns a test that an action moves the cursor of the traffic pane from
// the middle row to another position of the list.
func moves(id string, want func(at, n int) int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		for range 30 {
			d.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
			d.send(`{"jsonrpc":"2.0","method":"notifications/y"}`) // otherwise they would fold
		}
		n := d.visible.rows.Traffic.Len()
		d.visible.Select(d.listed(n / 2))
		d.do(id)
		require.Equal(t, d.listed(want(n/2, n)), d.cursor())
	}
}

func focuses(id string, pane paneID) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		if pane == trafficID {
			d.focusOn(eventsID)
		}
		d.do(id)
		require.Equal(t, pane, d.panes.focus)
		require.Contains(t, d.plain(), "━ "+string('0'+rune(pane))+" ", "the border of the pane is heavy")
	}
}

// tall is the height of the traffic pane in rows at 120x36.
const tall = 27

var actionTests = map[string]actionTest{
	steer.ActFocus: func(t *testing.T, d *driver, _ *fakeExecutor) { // see TestHeldKeys
		d.do(steer.ActFocus)
		require.Contains(t, d.plain(), host.NoTap)
	},
	kit.Up:           moves(kit.Up, func(at, _ int) int { return at - 1 }),
	kit.Down:         moves(kit.Down, func(at, _ int) int { return at + 1 }),
	kit.PageUp:       moves(kit.PageUp, func(at, _ int) int { return at - tall + 1 }),
	kit.PageDown:     moves(kit.PageDown, func(at, _ int) int { return at + tall - 1 }),
	kit.HalfPageUp:   moves(kit.HalfPageUp, func(at, _ int) int { return at - tall/2 }),
	kit.HalfPageDown: moves(kit.HalfPageDown, func(at, _ int) int { return at + tall/2 }),
	kit.Top:          moves(kit.Top, func(int, int) int { return 0 }),
	kit.Bottom:       moves(kit.Bottom, func(_, n int) int { return n - 1 }),
	kit.Left: func(t *testing.T, d *driver, _ *fakeExecutor) {
		for _, again := range []bool{false, true} { // folds an exchange, scrolls messages
			d.do(kit.Top)
			before := d.plain()
			d.do(kit.Right, kit.Right)
			require.NotEqual(t, before, d.plain())
			d.do(kit.Left, kit.Left)
			require.Equal(t, before, d.plain())
			if !again {
				d.wire()
			}
		}
	},
	kit.Right: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(kit.Top, kit.Right)
		require.Contains(t, d.plain(), "→ initialize ", "the parts of the exchange")
		d.wire()
		require.Contains(t, d.plain(), "→ initialized")
		d.do(kit.Right)
		require.Contains(t, d.plain(), "→ tions/initialized")
	},
	actNextPane: func(t *testing.T, d *driver, _ *fakeExecutor) {
		var seen []paneID
		for range 4 {
			d.do(actNextPane)
			seen = append(seen, d.panes.focus)
		}
		require.Equal(t, []paneID{detailID, stderrID, eventsID, trafficID}, seen)
	},
	actPrevPane: focuses(actPrevPane, eventsID),
	actTraffic:  focuses(actTraffic, trafficID),
	actDetail:   focuses(actDetail, detailID),
	actStderr:   focuses(actStderr, stderrID),
	actEvents:   focuses(actEvents, eventsID),
	actZoom: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actZoom)
		require.NotContains(t, d.plain(), "3 Server")
		d.do(actZoom)
		require.Contains(t, d.plain(), "3 Server")
	},
	host.ActOpen: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(host.ActOpen)
		require.Equal(t, detailID, d.panes.focus)
		require.NotContains(t, d.plain(), "2 Calls")
		require.Contains(t, d.plain(), `protocolVersion: "2025-11-25"`)
		d.do(host.ActOpen)
		require.Contains(t, d.plain(), `>> {jsonrpc: "2.0", id: `, "in the tree, open folds and unfolds")
	},
	host.ActBack: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("kind:request")
		d.do(actAccept, host.ActOpen, host.ActBack)
		require.Equal(t, trafficID, d.panes.focus)
		require.False(t, d.panes.zoom)
		require.NotNil(t, d.visible.rows.Traffic.Shown)
		d.do(host.ActBack)
		require.Nil(t, d.visible.rows.Traffic.Shown)
		d.do(host.ActBack)
		require.False(t, d.quit)
	},
	actSearch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		d.do(actSearch)
		d.write("protocolVersion")
		require.Contains(t, d.rows()[35], "search protocolVersion")
		d.do(actAccept)
		require.Equal(t, d.row(`"protocolVersion":"2025-11-25","capabilities":`), d.viewed(), "the nearest match above")
	},
	actNextMatch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.pings()
		d.search1("ping", kit.Top)
		first := d.cursor()
		d.do(actNextMatch)
		require.Greater(t, d.cursor(), first)
		d.do(kit.Bottom, actNextMatch)
		require.Contains(t, d.rows()[35], "no more matches")
	},
	actPrevMatch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.pings()
		d.search1("ping", kit.Bottom)
		last := d.cursor()
		d.do(actPrevMatch)
		require.Less(t, d.cursor(), last)
		d.do(kit.Top, actPrevMatch)
		require.Contains(t, d.rows()[35], "no more matches")
	},
	actFilter: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.pings()
		d.do(actFilter)
		d.write("method:ping")
		d.do(actAccept)
		require.Contains(t, d.plain(), "2 of 3 rows  filter method:ping")
		require.NotContains(t, d.plain(), "handshake")
		d.do(actFilter)
		require.Contains(t, d.rows()[35], "filter method:ping", "the filter can be edited")
	},
	actFollow: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Contains(t, d.rows()[1], "following")
		d.do(actFollow)
		require.NotContains(t, d.rows()[1], "follow")
		for i := range tall + 4 { // more than fit
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i))
		}
		require.Contains(t, d.rows()[1], "5 new below · G shows them")
		d.do(actFollow)
		require.Contains(t, d.rows()[1], "following")
	},
	actPartner: func(t *testing.T, d *driver, _ *fakeExecutor) {
		request, response := d.row(`"method":"initialize"`), d.row(`"serverInfo"`)
		d.selects(`"method":"initialize"`)
		d.do(actPartner)
		require.Equal(t, response, d.viewed())
		d.do(actPartner)
		require.Equal(t, request, d.viewed())
		d.wire()
		d.run(d.visible.rows.Traffic.SetFilter(parse(t, "kind:request")))
		d.visible.Select(request)
		d.do(actPartner)
		require.Contains(t, d.rows()[35], "the row is hidden")
	},
	actNextError: func(t *testing.T, d *driver, x *fakeExecutor) {
		failure := d.fails(x)
		d.do(kit.Top, actNextError)
		require.Equal(t, failure, d.viewed(), "past the probe, whose error is none")
	},
	actPrevError: func(t *testing.T, d *driver, x *fakeExecutor) {
		failure := d.fails(x)
		d.do(kit.Bottom, actPrevError)
		require.Equal(t, failure, d.viewed(), "the response, not the request that it belongs to")
		d.do(actPrevError)
		require.Equal(t, failure, d.viewed(), "the probe's error is expected")
	},

	host.ActCompose: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(host.ActCompose)
		require.Contains(t, d.plain(), `{"jsonrpc":"2.0","id":"ui-1","method":"tools/list"}`)
		require.Contains(t, d.plain(), "request")
		d.write("x")
		require.Contains(t, d.plain(), "not JSON")
	},
	actResend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":"x"}}`)
		d.selects(`"resources/list"`)
		d.do(actResend)
		d.row(`{"jsonrpc":"2.0","id":"mcpdbg-3","method":"resources/list","params":{"cursor":"x"}}`)
		require.Equal(t, []string{"resend"}, d.acts())

		d.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"rm"}}`)
		d.selects(`"tools/call"`)
		d.do(actResend)
		require.Contains(t, d.plain(), "Call rm again?")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter}) // the default is no
		require.Nil(t, d.front.dialog)
		require.Equal(t, []string{"resend"}, d.acts())
		d.do(actResend, actYes)
		d.row(`{"jsonrpc":"2.0","id":"mcpdbg-4","method":"tools/call","params":{"name":"rm"}}`)

		d.selects(`"notifications/initialized"`)
		d.do(actResend)
		require.Equal(t, []string{"resend", "resend", "resend"}, d.acts())
		require.Equal(t, uint64(8), d.visible.ws.Shown.Source.Stats().Out)
	},
	actEditResend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"resources/list"}`)
		d.selects(`"resources/list"`)
		d.do(actEditResend)
		require.Equal(t, "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"ui-1\",\n  \"method\": \"resources/list\"\n}", d.visible.composer.Text().Value())
		d.do("send")
		d.row(`{"jsonrpc":"2.0","id":"ui-1","method":"resources/list"}`)
	},
	actCancel: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.selects(`"sleep"`)
		require.Regexp(t, `>… .* sleep +running `, d.plain())
		d.do(actCancel)
		d.hear()
		d.row(`"requestId":"slow"`)
		require.Regexp(t, `>⊘.* sleep +cancelled by you`, d.plain())
		d.do(actCancel)
		require.Contains(t, d.rows()[35], "x cancel: only a pending request")
		require.Equal(t, []string{"cancel"}, d.acts())

		d.send(`{"jsonrpc":"2.0","id":"other","method":"sleep"}`)
		d.do(kit.Top, actCancel)
		d.hear()
		d.row(`"requestId":"other"`)
	},
	actCopy: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.selects("notifications/initialized")
		d.do(actCopy)
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, d.clip)
		require.Contains(t, d.rows()[35], "sent 54 bytes (message) to the terminal's clipboard (OSC 52)")
		x.Latest().Err("\x1b]52;c;AAAA\x07 rm -rf \u202e/")
		d.hear()
		d.do(actStderr, actCopy)
		require.Equal(t, "]52;c;AAAA rm -rf /", d.clip)
	},
	actCloseStdin: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCloseStdin)
		d.hear()
		require.Contains(t, d.rows()[0], "exit 0")
		require.Equal(t, []string{"close-stdin"}, d.acts())
	},
	host.ActRestart: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(host.ActRestart)
		d.pull()
		require.Equal(t, "mcp-stdio-2", d.visible.ws.Status.Process.ID)
		require.Contains(t, d.rows()[0], "ready")
		d.do("kill", "stop-this")
		x.Refuse = errors.New("no such program")
		d.do(host.ActRestart)
		require.Contains(t, d.plain(), "The server did not start")
		require.Contains(t, d.plain(), "no such program")
		require.Contains(t, d.plain(), "look for it")
	},

	"dialog-down":      scrollsDialog(1, "dialog-down"),
	"dialog-up":        scrollsDialog(2, "dialog-down", "dialog-down", "dialog-down", "dialog-up"),
	"dialog-page-down": scrollsDialog(31, "dialog-page-down"),
	"dialog-page-up":   scrollsDialog(0, "dialog-down", "dialog-page-up"),
	"dialog-top":       scrollsDialog(0, "dialog-down", "dialog-top"),
	"dialog-bottom":    scrollsDialog(68, "dialog-bottom"),
	"ask-top":          scrollsQuestion(0, "ask-down", "ask-top"),
	"ask-bottom": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		d.do("ask-bottom")
		require.Regexp(t, `lines \d+-(\d+) of \d+`, d.plain())
		require.Contains(t, d.plain(), fmt.Sprintf("-%[1]d of %[1]d", d.front.ask.text.TotalLineCount()))
		d.do("decline")
	},
	actJumpBack: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actJumpBack)
		require.Contains(t, d.rows()[35], "no jump yet")
		request, response := d.row(`"method":"initialize"`), d.row(`"serverInfo"`)
		d.wire()
		d.visible.Select(request)
		d.pull()
		d.do(actPartner)
		require.Equal(t, response, d.cursor())
		d.take(tea.KeyPressMsg{Code: '`', Text: "`"})
		require.Equal(t, request, d.cursor())
		d.take(tea.KeyPressMsg{Code: tea.KeyBackspace})
		require.Equal(t, response, d.cursor(), "and forth")
	},
	"prompt-clear": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err")
		d.do("prompt-clear")
		require.Empty(t, d.front.prompt.input.Value())
	},
	"prompt-earlier": func(t *testing.T, d *driver, _ *fakeExecutor) {
		for _, text := range []string{"err", "tool:x", "err"} {
			d.do(actFilter, "prompt-clear")
			d.write(text)
			d.do(actAccept)
		}
		d.do(actFilter, "prompt-earlier", "prompt-earlier", "prompt-earlier")
		require.Equal(t, "tool:x", d.front.prompt.input.Value(), "each once, and no further")
		d.do("close-prompt", actSearch, "prompt-earlier")
		require.Empty(t, d.front.prompt.input.Value(), "another line")
	},
	"prompt-later": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err")
		d.do(actAccept, actFilter, "prompt-clear")
		d.write("tool:x")
		d.do("prompt-earlier", "prompt-later")
		require.Equal(t, "tool:x", d.front.prompt.input.Value(), "after the latest")
	},
	"ask-down":      scrollsQuestion(1, "ask-down"),
	"ask-up":        scrollsQuestion(2, "ask-down", "ask-down", "ask-down", "ask-up"),
	"ask-page-down": scrollsQuestion(28, "ask-page-down"),
	"ask-page-up":   scrollsQuestion(0, "ask-down", "ask-page-up"),
	actAskNext: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		d.take(tea.KeyPressMsg{Code: tea.KeyTab})
		require.Contains(t, d.plain(), "answer 2 of 2:")
		d.do(actAskNext)
		require.Contains(t, d.plain(), "answer 1 of 2:")
		d.do("decline")
		d.askNow(uitest.PromptPassphrase)
		require.NotContains(t, d.rows()[35], "next field")
		d.do(actAskNext, "decline")
		require.Contains(t, d.rows()[35], "x next field: there is only one field")
	},
	actAskPrevious: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		d.take(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})
		require.Contains(t, d.plain(), "answer 2 of 2:")
		d.do("decline")
	},
	actAskClear: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptPassphrase)
		d.write("wrong")
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		require.NotContains(t, d.plain(), "•")
		d.do("decline")
	},
	actAskAccept: func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := d.askNow(uitest.PromptHostKey)
		d.write("y")
		require.NotNil(t, d.front.ask, "two keys are required")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		answer, err := wait()
		require.NoError(t, err)
		require.True(t, answer.Yes)
	},
	"decline": func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := d.askNow(uitest.PromptPassphrase)
		d.write("a secret")
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		_, err := wait()
		require.ErrorIs(t, err, tty.ErrDeclined)
		require.NotContains(t, d.plain(), "mcpdbg asks")
	},

	actAccept: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("methd:x")
		d.do(actAccept)
		require.Contains(t, d.rows()[35], `x column 1: unknown key "methd"`)
		require.NotNil(t, d.front.prompt)
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		d.do(actAccept)
		require.Nil(t, d.front.prompt)
		require.Nil(t, d.visible.rows.Traffic.Shown)
	},
	"close-prompt": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err")
		d.do("close-prompt")
		require.Nil(t, d.visible.rows.Traffic.Shown)
		require.Contains(t, d.rows()[35], "C call a tool")
	},
	actAlways: func(t *testing.T, d *driver, _ *fakeExecutor) {
		for id := range 2 {
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"rm"}}`, id))
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mv"}}`, 10+id))
		}
		d.selects(`"name":"rm"`)
		d.do(actResend)
		d.hush()
		require.Contains(t, d.plain(), "a always for this tool")
		d.take(tea.KeyPressMsg{Code: 'a', Text: "a"})
		require.Nil(t, d.front.dialog)
		require.Equal(t, []string{"resend"}, d.acts())
		d.selects(`"name":"rm"`)
		d.do(actResend)
		require.Nil(t, d.front.dialog, "no second question")
		require.Equal(t, []string{"resend", "resend"}, d.acts())
		d.selects(`"name":"mv"`)
		d.do(actResend)
		require.NotNil(t, d.front.dialog, "another tool")
	},
	actYes: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(host.ActRestart)
		d.take(tea.KeyPressMsg{Code: 'y', Text: "y"})
		require.Equal(t, []string{"restart"}, d.acts())
	},
	actNo: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(host.ActRestart)
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Nil(t, d.front.dialog)
		require.Empty(t, d.acts())
	},
	actQuit: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(host.ActOpen, actQuit)
		require.False(t, d.quit, "the detail pane is left first")
		require.Equal(t, trafficID, d.panes.focus)
		d.do(actQuit)
		require.True(t, d.quit)
	},
	actTheme: func(t *testing.T, d *driver, _ *fakeExecutor) {
		dark := d.screen.Theme
		d.do(actTheme)
		require.NotEqual(t, dark.Dim, d.screen.Theme.Dim, "from auto to light")
		require.Contains(t, d.rows()[35], "theme light")
		d.do(help.ActPalette)
		d.write("theme contrast-l")
		require.Equal(t, paint.NewTheme(paint.Options{Profile: paint.TrueColor, Contrast: true, Light: true}), d.screen.Theme, "it shows itself")
		d.do("palette-close")
		require.Equal(t, paint.NewTheme(paint.Options{Profile: paint.TrueColor, Light: true}), d.screen.Theme, "closing restores the chosen one")
		d.do(help.ActPalette)
		d.write("theme da")
		d.do(help.ActRunCommand)
		require.Equal(t, dark.Dim, d.screen.Theme.Dim)
		d.colors.profile = paint.NoColor
		d.do(actTheme)
		require.Contains(t, d.rows()[35], "x theme: colors are off")
	},
	actQuitNow: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(host.ActOpen, actQuitNow)
		require.True(t, d.quit, "also from the detail pane")
	},
	host.ActInterrupt: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(host.ActCompose)
		d.take(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		require.Contains(t, d.plain(), "Quit? 1 call is pending")
		d.hush()
		require.Contains(t, d.plain(), "enter no, stay")
		require.False(t, d.quit)
		d.take(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		require.True(t, d.quit, "again")
	},
	actRedraw: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NotNil(t, d.visible.Do(actRedraw))
	},
	actSuspend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Equal(t, tea.SuspendMsg{}, d.visible.Do(actSuspend)())
	},
}

// scrollsDialog returns a test that actions scroll a long dialog to a line.
func scrollsDialog(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.visible.confirm(&host.Dialog{Title: "Long", Lines: make([]string, 100)})
		for i := range d.front.dialog.asked.Lines {
			d.front.dialog.asked.Lines[i] = fmt.Sprintf("line %d.", i)
		}
		d.canvas.stale = true
		require.Contains(t, d.plain(), "line 0.")
		d.do(actions...)
		require.Contains(t, d.plain(), fmt.Sprintf("line %d.", line))
		require.NotContains(t, d.plain(), fmt.Sprintf("line %d.", line-1))
		require.Contains(t, d.plain(), fmt.Sprintf("lines %d-%d of 100", line+1, line+32))
	}
}

// scrollsQuestion is like scrollsDialog, for a question with a long text.
func scrollsQuestion(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		total := d.front.ask.text.TotalLineCount()
		d.do(actions...)
		require.Contains(t, d.plain(), fmt.Sprintf("lines %d-%d of %d", line+1, line+29, total))
		d.do("decline")
	}
}

// search1 moves with an action and searches from there.
func (d *driver) search1(text string, from string) {
	d.do(from, actSearch)
	d.write(text)
	d.do(actAccept)
}

// allActionTests returns the tests of all actions; each file that adds actions
// adds its own tests.
func allActionTests() map[string]actionTest {
	all := map[string]actionTest{}
	for _, tests := range []map[string]actionTest{
		actionTests,
		failedStartTests,
		trafficActionTests,
		playTests,
		splitTests,
		logTests,
		mouseTests,
		sessionTests,
		paletteTests,
		helpTests,
		gridTests,
		replayTests,
		verdictTests, overviewTests,
	} {
		maps.Copy(all, tests)
	}
	return all
}

// testedInRooms returns the actions whose tests, and those of all actions of their
// scopes, are in the packages of their screens. Additions of the shell may be tested here
// too.
func testedInRooms() []host.Action {
	return slices.Concat(
		server.CatalogActions(nil, nil),
		compare.Actions(nil),
		send.ComposerActions(),
		copies.CopyActions(),
		detail.Actions(nil),
		copies.ExportActions(),
		fleet.Actions(nil, nil, nil),
		help.Actions(),
		help.PaletteActions(),
		home.Actions(nil),
		home.InputActions(),
		server.LogLevelActions(),
		steer.Actions(nil, steer.Editors{}), // in TestHeldKeys
		copies.NoteActions(),
		player.Actions(nil),
		problems.Actions(nil),
		process.Actions(),
		replay.Actions(nil),
		send.RequestActions(nil),
		traffic.TimeActions(nil),
		watch.Actions(nil),
		traffic.Actions(nil, nil),
	)
}

func TestActions(t *testing.T) {
	tests := allActionTests()
	table := Actions()
	elsewhere := map[string]bool{}
	for _, a := range testedInRooms() {
		elsewhere[a.ID] = true
		elsewhere["scope "+a.Scope] = a.Scope != keymap.Global
	}
	ids := map[string]bool{}
	for _, scope := range append(scopes, keymap.Scope{ID: keymap.Global}) {
		for _, action := range table.Reachable(scope.ID) {
			if _, here := tests[action.ID]; here || !elsewhere[action.ID] && !elsewhere["scope "+action.Scope] {
				ids[action.ID] = true
			}
		}
	}
	for id := range ids {
		t.Run(id, func(t *testing.T) {
			test, ok := tests[id]
			require.True(t, ok, "the action has no test")
			inBubble(t, 160, 36, except("sleep", offersAndEchoes), func(t *testing.T, d *driver, x *fakeExecutor) { test(t, d, x) })
		})
	}
	for id := range tests {
		require.True(t, ids[id], "a test of the unknown action %s", id)
	}
}
