package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// On a terminal a run is a grid, from which recordings are opened and servers
// debugged; the summary is printed after it is left.
func TestSmokeScreen(t *testing.T) {
	config := configFile(t, ".mcp.json", `{"mcpServers":{
		"good":{"command":"DEMO","args":["demo-server"]},
		"gone":{"command":"no-such-program"}}}`)
	s := inTerminal(t, 100, 30, "sh", "-c", `"$0" "$@"; echo "ended with $?"; exec cat`, binary, "smoke", "--config", config)
	s.until("SMOKE", "good", "15 tools", "gone", "exec", "causes:", "recordings")
	s.keys("Enter")
	s.until("FILE  ", "gone (local)", "not started")
	s.keys("q")
	s.until("SMOKE")
	s.keys("q")
	s.until("1 of 2 targets passed, 1 failed", "ended with 3")
}

// Leaving the grid while servers run ends them first.
func TestSmokeScreenStop(t *testing.T) {
	s := onScreen(t, 100, 30, against("never-answers", "smoke", "--startup-timeout", "4m")...)
	s.until("SMOKE", "handshake")
	s.keys("q")
	s.until("Stop the run")
	s.keys("y")
	s.untilEnded()
	require.Contains(t, s.tmux("capture-pane", "-p", "-S", "-"), "1 cancelled")
	require.Empty(t, marked(s.mark), "leaked processes")
}
