package workspace

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session/mcp"
)

// serverOf returns what the log of a session says about its server.
func serverOf(t *testing.T, lines ...string) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := New(ctx, cancel, Opened{Source: rectest.Session(t, lines...)}, 1)
	for w.Shown.Index.Pull(w.Shown.Source) {
	}
	w.Shown.Lifecycle.Pull(w.Shown.Index.Events)
	s := w.Server()
	require.Same(t, s, w.Server(), "it is read once")
	return s
}

// TestServer reads handshakes of both eras, and hostile ones.
func TestServer(t *testing.T) {
	s := serverOf(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{"form":{},"url":{}}}}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"a","version":"1","title":"A"}}}`)
	require.Equal(t, "a 1 A 2025-06-18", s.Name+" "+s.Version+" "+s.Title+" "+s.Protocol)
	require.Equal(t, "2025-11-25", s.Asked)
	require.Equal(t, []string{"elicitation form+url", "roots"}, s.Gives)
	require.Equal(t, []string{"logging", "tools"}, s.Offers)
	require.True(t, s.Answered && s.Has("tools") && !s.Has("prompts"))
	require.Positive(t, s.Output)

	s = serverOf(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"prompts":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"b","version":"2"}}}}`)
	require.Equal(t, "b 2026-07-28", s.Name+" "+s.Protocol)
	require.Equal(t, mcp.Modern, s.Era)
	require.Equal(t, []string{"sampling"}, s.Gives)

	for _, result := range []string{`[]`, `{"capabilities":[]}`, `{"serverInfo":7}`, `null`, `{"protocolVersion":{}}`} {
		s = serverOf(t, rectest.Started, `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}`, `< {"jsonrpc":"2.0","id":1,"result":`+result+`}`)
		require.Empty(t, s.Name)
	}
	s = serverOf(t, rectest.Started, `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`)
	require.True(t, s.Refused)
	require.Empty(t, serverOf(t, rectest.Started).Method)
}

// FuzzServer checks that no handshake crashes the program, and that the names are
// bounded.
func FuzzServer(f *testing.F) {
	f.Add(`{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{"form":{}}}}`, `{"serverInfo":{"name":"a"},"capabilities":{"tools":{}}}`)
	f.Add(`{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}`, `{"supportedVersions":["2026-07-28"],"_meta":{}}`)
	f.Fuzz(func(t *testing.T, params, result string) {
		for _, method := range []string{mcp.MethodInitialize, mcp.MethodDiscover} {
			s := Server{Method: method}
			s.request(method, []byte(params))
			s.response([]byte(result))
			require.LessOrEqual(t, max(len(s.Gives), len(s.Offers)), maxNames)
		}
	})
}
