package cli

import (
	"fmt"
	"testing"

	"mcpdbg/internal/cli/clitest"
)

func TestScreenWithDemo(t *testing.T) {
	for _, size := range []struct{ columns, lines int }{{120, 36}, {80, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size.columns, size.lines), func(t *testing.T) {
			s := clitest.OnScreen(t, size.columns, size.lines, "demo", "--era", "legacy")
			s.Until("LIVE  ready  demo server (local)", "handshake", "? menu")

			s.Keys("c") // compose a call of a slow tool
			s.Until("[message]")
			s.Keys("C-u")
			s.Keys("-l", `{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"echo","arguments":{"message":"from the composer"}}}`)
			s.Keys("C-s")
			s.Until(`"mine"`, `message="from the composer"`)

			s.Tmux("resize-window", "-x", "100", "-y", "30")
			s.Until("2 Calls", "3 echo")

			s.Keys("f")
			s.Keys("-l", "method:initialize dir:in")
			s.Keys("Enter")
			s.Until("1 of ", "filter method:initialize")
			s.Keys("f", "C-u", "Enter")

			s.Keys("K")
			s.Until("Shutdown sequence")
			s.Keys("Enter")
			s.Until("exit 0")
			s.Keys("C-r")
			s.Until("LIVE  ready", "restarted at")
			s.Quit()
		})
	}
}

// A second key skips the rest of the shutdown sequence.
func TestScreenKillsAStubbornServer(t *testing.T) {
	s := clitest.OnScreen(t, 120, 36, clitest.Against("ignores-eof-term")...)
	s.Until("ready")
	s.Keys("K")
	s.Until("Shutdown sequence")
	s.Keys("Enter")
	s.Until("LIVE  stopping")
	s.Keys("K")
	s.Until("ENDED  signal KILL", "the server ended after KILL")
	s.Quit()
}

func TestScreenShowsWhyAServerDoesNotStart(t *testing.T) {
	s := clitest.OnScreen(t, 120, 36, clitest.Against("dies-at-start")...)
	s.Until("exit 3", "DEMO_API_KEY is not set", "It seems to need", "v       set DEMO_API_KEY", "enter run")
	s.Keys("Escape")
	s.UntilGone("It seems to need") // or the two keys are one: alt+q
	s.Quit()
}

func TestScreenShowsLagHoldAndGap(t *testing.T) {
	s := clitest.OnScreen(t, 120, 36, clitest.Against("writer:20000x2048", "--collector-delay", "20ms")...)
	s.Keys("5", "z") // the events, on the whole screen
	s.Until("events behind", "stall   stdout")
	s.Keys("z")
	s.Quit()

	s = clitest.OnScreen(t, 120, 36, clitest.Against("writer:500000x2048", "--collector-delay", "20ms", "--overrun", "drop")...)
	s.Keys("5", "z")
	s.Until("gap", "GAP")
	s.Keys("z")
	s.Quit()
}

// A real server from npm: handshake, messages and stderr.
func TestScreenWithServerEverything(t *testing.T) {
	t.Parallel()
	s := clitest.OnScreen(t, 120, 36, clitest.RealServers[0].Command(t)...)
	s.Until("ready", "handshake", "2025-11-25", "Starting default (STDIO) server")
	s.Quit()
}
