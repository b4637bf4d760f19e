package lifecycle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// parsed returns a message as the reader of a log passes it.
func parsed(n int, fromServer bool, revision, format string, args ...any) *message.Message {
	line := fmt.Appendf(nil, format, args...)
	return &message.Message{Message: framing.Scan(line), At: message.Place{N: uint64(n), T: int64(n)}, FromServer: fromServer, Bytes: line, Revision: revision}
}

// TestStateIsBounded checks that hostile messages cannot make the state grow, and that
// Limited reports the limits.
func TestStateIsBounded(t *testing.T) {
	past := &Past{}
	c := New(func(*diagnosis.Rule, diagnosis.Severity, message.Place, diagnosis.Location, string) {}, past, true)
	require.False(t, c.Limited())
	request := func(n int, method, revision, params string, r message.Request) *message.Request {
		m := parsed(n, r.FromServer, revision, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, n, method, params)
		r.At, r.ID, r.Method, r.Revision = m.At, fmt.Sprint(n), method, revision
		m.Request = &r
		c.Request(m)
		return &r
	}
	for n := range maxTokens + maxTokens/2 {
		request(n, mcp.MethodToolsCall, mcp.V20251125, `{}`, message.Request{Token: fmt.Sprint(n)})
		r := request(n, mcp.MethodToolsCall, mcp.V20260728, `{}`, message.Request{Token: fmt.Sprintf(`"%d"`, n), Versioned: true, LogLevel: "info"})
		c.Response(parsed(n, true, r.Revision, `{"jsonrpc":"2.0","id":%d,"result":{"resultType":"input_required","requestState":"%d"}}`, n, n), r)
		request(n, methodSubscribe, mcp.V20251125, `{}`, message.Request{Name: fmt.Sprint("file:///", n)})
		request(n, methodListen, mcp.V20260728, `{"notifications":{"toolsListChanged":true}}`, message.Request{Versioned: true, LogLevel: "info"})
		r = request(n, mcp.MethodToolsList, mcp.V20251125, `{}`, message.Request{Cursor: fmt.Sprintf(`"c%d"`, n)})
		c.Response(parsed(n, true, r.Revision, `{"jsonrpc":"2.0","id":%d,"result":{"tools":[],"nextCursor":"c%d"}}`, n, n+1), r)
		c.Notification(parsed(n, true, mcp.V20251125, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"%d","status":"working"}}`, n))
		if n > 2*maxAsked {
			continue // it is slow
		}
		request(n, mcp.MethodElicit, mcp.V20251125, fmt.Sprintf(`{"elicitationId":"%d"}`, n), message.Request{FromServer: true})
	}
	require.True(t, c.Limited())
	for i := range c.progress {
		require.LessOrEqual(t, len(c.progress[i].tokens), maxTokens+maxEndedTokens)
		require.LessOrEqual(t, len(c.progress[i].ended), maxEndedTokens)
	}
	require.LessOrEqual(t, len(c.resources.uris), maxURIs)
	require.LessOrEqual(t, len(c.subscriptions.open), maxSubscriptions)
	require.LessOrEqual(t, len(c.rounds.all), maxRounds)
	require.LessOrEqual(t, len(c.asked), maxAsked)
	require.LessOrEqual(t, len(c.logging.pending), maxAsked)
	require.LessOrEqual(t, len(c.urls.ids), maxElicitations)
	require.LessOrEqual(t, len(c.tasks.all), maxTasks)
	require.LessOrEqual(t, len(c.pages.walks[mcp.MethodToolsList].before), maxCursors)
	require.LessOrEqual(t, len(past.cursors), maxCursors)
}
