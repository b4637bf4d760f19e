package session_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const filledMeta = `{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"0"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"`

func TestFillMeta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			return p.each(func(m message) { p.result(m, discoverResult) })
		}, nil)
		require.Equal(t, mcp.Modern, h.Status().Server.Era)
		for _, tc := range []struct{ line, want string }{
			{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":META}}`},
			{`{"jsonrpc":"2.0","id":1,"method":"tools/list"} ` + "\r", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":META}} ` + "\r"},
			{`{"params": { } ,"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"params": {"_meta":META } ,"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
			{`{"id":1.0,"method":"x","params":{ "big":12345678901234567890},"jsonrpc":"2.0"}`, `{"id":1.0,"method":"x","params":{"_meta":META, "big":12345678901234567890},"jsonrpc":"2.0"}`},
			{`{"id":1,"method":"x","params":{"_meta":{"a":1}},"jsonrpc":"2.0"}`, `{"id":1,"method":"x","params":{"_meta":OPEN,"a":1}},"jsonrpc":"2.0"}`},
			{`{"id":1,"method":"x","params":{"_meta":{}},"jsonrpc":"2.0"}`, `{"id":1,"method":"x","params":{"_meta":META},"jsonrpc":"2.0"}`},
			{`{"id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/clientInfo":7}},"jsonrpc":"2.0"}`,
				`{"id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":7}},"jsonrpc":"2.0"}`},
		} {
			got := string(h.FillMeta([]byte(tc.line)))
			want := strings.NewReplacer("META", filledMeta+"}", "OPEN", filledMeta).Replace(tc.want)
			require.Equal(t, want, got)
			require.True(t, json.Valid([]byte(got)))
		}
		for _, kept := range []string{
			`{"id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"jsonrpc":"2.0"}`,
			`{"id":1,"method":"initialize","params":{},"jsonrpc":"2.0"}`, `{"method":"notifications/cancelled","jsonrpc":"2.0"}`,
			`{"id":1,"result":{},"jsonrpc":"2.0"}`, `{"id":1,"method":"x","params":[],"jsonrpc":"2.0"}`, `{"id":1,"method":"x","params":{"_meta":1},"jsonrpc":"2.0"}`,
			`[{"id":1,"method":"x","jsonrpc":"2.0"}]`, `{"id":1,"method":"x"`, ``, `no message`,
		} {
			require.Equal(t, kept, string(h.FillMeta([]byte(kept))))
		}
	})
}

func TestFillMetaOfLegacyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(*fakeProcess, message) {}), nil)
		const line = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		require.Equal(t, line, string(h.FillMeta([]byte(line))))
	})
}

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
