package mock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBatches tests that requests recorded in batches, or answered in batches, are
// served, whether a client sends them in a batch or not.
func TestBatches(t *testing.T) {
	rec := record(t, `
		> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
		< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}
		* "k":"stdin","raw":"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"prompts/list\"},{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/list\"}]"}
		> {"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"info"}}
		< [{"jsonrpc":"2.0","id":4,"result":{}},{"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}]
		< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}
	`)
	s := serve(t, rec, Options{}, `
		{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
		{"jsonrpc":"2.0","id":"a","method":"tools/list"}
		[{"jsonrpc":"2.0","id":"b","method":"prompts/list"},{"jsonrpc":"2.0","id":"c","method":"resources/list"}]
		{"jsonrpc":"2.0","id":"d","method":"logging/setLevel","params":{"level":"info"}}
		[]
	`)
	require.Equal(t, lines(`
		{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}
		{"jsonrpc":"2.0","id":"a","result":{"tools":[]}}
		{"jsonrpc":"2.0","id":"b","result":{"prompts":[]}}
		{"jsonrpc":"2.0","id":"d","result":{}}
		{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch must not be empty"}}
	`), s.out)
	require.EqualValues(t, 1, s.report.Unanswered, "resources/list had no response")
	require.EqualValues(t, 1, s.report.Bad)
	require.Zero(t, s.report.Misses+s.report.Skipped)
}
