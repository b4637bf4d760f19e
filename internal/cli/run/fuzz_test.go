package run

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

func TestRequiredPages(t *testing.T) {
	require.Nil(t, requiredPages(nil))
	require.Nil(t, requiredPages(&session.RPCError{Code: mcp.CodeInternal, Data: json.RawMessage(`{"elicitations":[{"url":"a"}]}`)}))
	for data, want := range map[string]int{
		``: 0, `null`: 0, `{}`: 0, `{"elicitations":{}}`: 0, `{"elicitations":[1,{"url":1},{"url":""},{"url":"a"},{"url":"b","elicitationId":"x"}]}`: 2,
	} {
		require.Len(t, requiredPages(&session.RPCError{Code: mcp.CodeURLElicitation, Data: json.RawMessage(data)}), want, data)
	}
}

func TestStillAsked(t *testing.T) {
	for result, want := range map[string]string{
		`{"resultType":"complete"}`: "",
		`{"resultType":"input_required","inputRequests":{"b":{"method":"roots/list"},"a":{"method":"elicitation/create"}}}`: `elicitation/create (key "a"), roots/list (key "b")`,
		`{"resultType":"input_required","inputRequests":{"1":{},"2":{},"3":{},"4":{},"5":{},"6":{}}}`:                       `? (key "1"), ? (key "2"), ? (key "3"), ? (key "4"), ? (key "5"), ...`,
	} {
		require.Equal(t, want, stillAsked(json.RawMessage(result)), result)
	}
}

// FuzzFromServer reads what a server sends to a call: errors, results and progress.
func FuzzFromServer(f *testing.F) {
	f.Add([]byte(`{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://a.example","message":"x"}]}`))
	f.Add([]byte(`{"progress":1,"total":2,"message":"x"}`))
	f.Add([]byte(`{"resultType":"input_required","inputRequests":{"b":{"method":"roots/list"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		pages := requiredPages(&session.RPCError{Code: mcp.CodeURLElicitation, Data: data})
		require.LessOrEqual(t, len(pages), maxPages)
		for _, p := range pages {
			require.NotEmpty(t, p.URL)
		}
		require.NotEmpty(t, progressText(data))
		_ = stillAsked(data)
	})
}
