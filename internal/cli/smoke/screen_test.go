package smoke_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// On a terminal a run is a grid, from which recordings are opened and servers
// debugged; the summary is printed after it is left.
func TestSmokeScreen(t *testing.T) {
	config := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{
		"good":{"command":"DEMO","args":["demo-server"]},
		"gone":{"command":"no-such-program"}}}`)
	s := clitest.InTerminal(t, 100, 30, "sh", "-c", `"$0" "$@"; echo "ended with $?"; exec cat`, clitest.Binary(), "smoke", "--config", config)
	s.Until("SMOKE", "good", "15 tools", "gone", "exec", "causes:", "recordings")
	s.Keys("Enter")
	s.Until("FILE  ", "gone (local)", "not started")
	s.Keys("q")
	s.Until("SMOKE")
	s.Keys("q")
	s.Until("1 of 2 targets passed, 1 failed", "ended with 3")
}

// Leaving the grid while servers run ends them first.
func TestSmokeScreenStop(t *testing.T) {
	s := clitest.OnScreen(t, 100, 30, clitest.Against("never-answers", "smoke", "--startup-timeout", "4m")...)
	s.Until("SMOKE", "handshake")
	s.Keys("q")
	s.Until("Stop the run")
	s.Keys("y")
	s.UntilEnded()
	require.Contains(t, s.Tmux("capture-pane", "-p", "-S", "-"), "1 cancelled")
	require.Empty(t, clitest.Marked(s.Mark), "leaked processes")
}
