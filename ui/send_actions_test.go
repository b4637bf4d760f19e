package ui

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

// sendTests are of messages, the server and the program.
var sendTests = map[string]actionTest{
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
