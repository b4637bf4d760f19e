package ui

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestComposeInProgram goes by keys from the catalog through the form to the
// response.
func TestComposeInProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), func(p *fakeProcess, m message) {
			if !offers(p, m) {
				echo(p, m)
			}
		})
		x.Capabilities = allCapabilities
		term := inTerminal(t, Options{Session: s, Title: "fake (local)", Start: s.Open}, 120, 36)
		term.press("C")
		require.Contains(t, term.content(), "[Tools 3]")
		term.press("e", "c", "h", "\r", "h", "i")
		require.Contains(t, term.content(), "Compose tools/call echo")
		term.requireShown()
		term.press("\x14") // ctrl+t
		require.Contains(t, term.content(), `"text": "hi"`)
		term.press(keyCtrlS)
		require.Contains(t, term.content(), "the server answered in 0.00 ms: tools/call echo")
		term.requireShown()
	})
}
