package ui

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
)

// TestQuitAsks checks that quitting is confirmed while a call is pending or several
// servers run, that staying is the default, and that there is a key without it.
func TestQuitAsks(t *testing.T) {
	inBubble(t, 120, 36, except("sleep", echo), func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(actQuit)
		require.Contains(t, d.plain(), "Quit? 1 call is pending")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Nil(t, d.front.dialog)
		require.False(t, d.quit)
		d.another("second (local)")
		d.do(actQuit)
		require.Contains(t, d.plain(), "Quit? 1 call is pending, 2 servers are running")
		d.take(tea.KeyPressMsg{Code: 'q', Text: "q"})
		require.False(t, d.quit, "twice the same key stays")
		d.do(actQuit)
		d.take(tea.KeyPressMsg{Code: 'y', Text: "y"})
		require.True(t, d.quit)
		d.quit = false
		d.take(tea.KeyPressMsg{Code: 'Q', Text: "Q"})
		require.True(t, d.quit)
	})
}

// TestStates checks that the header shows every state of the server.
func TestStates(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(p *fakeProcess)
		want string
	}{
		"running": {func(*fakeProcess) {}, "ready"},
		"exit":    {func(p *fakeProcess) { p.Exit(executor.Exit{Kind: executor.ExitCode, Code: 3}) }, "exit 3"},
		"signal":  {func(p *fakeProcess) { p.Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"}) }, "signal SEGV"},
		"unknown": {func(p *fakeProcess) { p.Exit(executor.Exit{}) }, "ended, exit unknown"},
		"not told": {func(p *fakeProcess) {
			p.Exit(executor.Exit{Why: "docker ended with 0; how the server ended: cannot tell"})
		}, "ended, exit unknown "},
		"lost":         {func(p *fakeProcess) { p.Journal.Fail(errors.New("link lost")) }, "failed"},
		"streams open": {func(p *fakeProcess) { p.Holds = true; p.Exit(executor.Exit{Kind: executor.ExitCode}) }, "exited, streams still open"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 60, 20, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
				tc.end(x.Latest())
				d.hear()
				require.Contains(t, d.rows()[0], tc.want)
			})
		})
	}
}

// TestRecordingCannotBeActedOn checks that actions that need a server report
// that a recording has none.
func TestRecordingCannotBeActedOn(t *testing.T) {
	log := hostileLog(t, "x")
	d := drive(t, Options{Source: log, Title: "demo.rec"}, 100, 30)
	require.Contains(t, d.rows()[0], "  demo.rec")
	for _, id := range []string{host.ActCompose, actResend, actEditResend, actCancel, "kill", host.ActRestart, actCloseStdin} {
		d.do(id)
		require.Contains(t, d.rows()[29], "this is a recording", id)
	}
}
