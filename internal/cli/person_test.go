package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestWhoAnswers: on the screen a person answers what has no canned answer;
// without one nobody does.
func TestWhoAnswers(t *testing.T) {
	flags := freshFlags()
	flags.defaultAnswers = session.Answers{mcp.MethodRoots: json.RawMessage(`{"roots":[]}`)}
	cfg, err := flags.sessionConfig([]string{"server"})
	require.NoError(t, err)
	require.Empty(t, cfg.Policies)

	flags.person = true
	cfg, err = flags.sessionConfig([]string{"server"})
	require.NoError(t, err)
	ask := session.Policy{Mode: session.PolicyAsk}
	require.Equal(t, map[string]session.Policy{mcp.MethodElicit: ask, mcp.MethodSample: ask}, cfg.Policies)
	require.Contains(t, cfg.Answers, mcp.MethodRoots)
}
