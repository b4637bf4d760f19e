package session_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestLogLevel checks how the level reaches a server of each era, and that it ends
// with the process.
func TestLogLevel(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, serveDemo, func(c *session.Config) { c.Era = era })
				server := h.Status().Server
				require.True(t, server.Logs())
				require.Empty(t, h.Status().LogLevel)
				logs := func() string {
					resp, err := h.Request(t.Context(), mcp.MethodToolsCall, json.RawMessage(`{"name":"log","arguments":{"count":1,"level":"debug","message":"x"}}`), session.CallOptions{})
					require.NoError(t, err)
					return string(resp.Result)
				}
				require.Contains(t, logs(), "sent 0 log messages, skipped 1")
				require.NoError(t, h.SetLogLevel(t.Context(), "debug"))
				require.Equal(t, "debug", h.Status().LogLevel)
				require.Contains(t, logs(), "sent 1 log messages, skipped 0")
				if era == mcp.Modern {
					require.NoError(t, h.SetLogLevel(t.Context(), ""))
					require.Contains(t, logs(), "sent 0 log messages, skipped 1", "no level is sent any more")
				} else {
					var refused *session.RPCError
					require.ErrorAs(t, h.SetLogLevel(t.Context(), "loud"), &refused)
					require.Equal(t, "debug", h.Status().LogLevel, "the server has kept it")
				}
				require.NoError(t, h.Restart(t.Context()))
				require.Empty(t, h.Status().LogLevel)
			})
		})
	}
}

func TestLogs(t *testing.T) {
	for capabilities, want := range map[string]bool{`{"logging":{}}`: true, `{"logging":null}`: false, `{"tools":{}}`: false, ``: true} {
		s := session.Server{Capabilities: json.RawMessage(capabilities)}
		require.Equal(t, want, s.Logs(), capabilities)
	}
}
