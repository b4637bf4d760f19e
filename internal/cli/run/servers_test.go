package run_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// The reference server asks for everything, and the answers declare it: without
// them it does not even list these tools.
func TestRealServerAsks(t *testing.T) {
	t.Parallel()
	answers := clitest.WriteFile(t, `{
		"elicitation/create": ["defaults", {"mode": "url", "result": {"action": "accept"}}],
		"sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "canned words"}, "model": "m", "stopReason": "endTurn"},
		"roots/list": {"roots": [{"uri": "file:///a"}]}
	}`)
	for _, c := range []struct {
		tool         string
		args         []string
		stdout, says string
	}{
		{"trigger-elicitation-request", nil, "Favorite Integer: 42", ""},
		{"trigger-sampling-request", []string{"prompt=hi"}, "canned words", ""},
		{"get-roots-list", nil, "file:///a", ""},
		{"trigger-url-elicitation", []string{"url=https://example.com", "errorPath:=true"}, "User completed the URL elicitation flow",
			"retrying: accepted by --answers; no notifications/elicitation/complete after "},
		{"trigger-long-running-operation", []string{"duration:=0.1", "steps:=2"}, "Steps: 2", "mcpdbg: progress 1 of 2 (50%)\n"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"call", "--no-record", "--timeout", "4m", "--answers", answers, "--tool", c.tool}, c.args...)
			r := detached(t, clitest.RealServers[0].Command(t, args...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, c.stdout)
			require.Contains(t, r.Stderr, c.says)
		})
	}
}
