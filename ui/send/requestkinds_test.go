package send

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
)

// TestWrapAndUnwrap checks that fields represent exactly the responses that they
// can make.
func TestWrapAndUnwrap(t *testing.T) {
	for name, tc := range map[string]struct {
		kind  requestKind
		value string
		not   []string
	}{
		"form":     {elicitation(json.RawMessage(`{"requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`)), `{"name":"x","more":1.0}`, []string{`{"action":"decline"}`, `{"action":"accept"}`, `{"action":"accept","content":{},"_meta":{}}`, `{"error":{}}`, `[]`, `{`}},
		"address":  {elicitation(json.RawMessage(`{"mode":"url","url":"https://example.com/"}`)), ``, []string{`{"action":"cancel"}`, `{"action":"accept","content":{}}`}},
		"sampling": {samplingRequest(json.RawMessage(`{"messages":[],"maxTokens":100}`)), `{"text":"a \u001b","model":"m","stopReason":"endTurn","x":[1.0]}`, []string{`{}`, `{"error":{}}`, `{"role":"user","content":{"type":"text","text":""}}`, `{"role":"assistant","content":[]}`, `{"role":"assistant","content":{"type":"image","data":""}}`, `{"role":"assistant","content":{"type":"text","text":"","x":1}}`, `{"role":"assistant","text":"x"}`}},
		"roots":    {rootsRequest(nil, ""), `{"roots":[{"uri":"file:///a"}],"_meta":{}}`, []string{`{"error":{}}`, `[]`}},
	} {
		response := tc.kind.wrap([]byte(tc.value))
		require.True(t, json.Valid(response), name)
		back, ok := tc.kind.unwrap(response)
		require.True(t, ok, name)
		require.Equal(t, tc.value, string(back), name)
		for _, other := range tc.not {
			_, ok := tc.kind.unwrap([]byte(other))
			require.False(t, ok, "%s: %s", name, other)
		}
	}
}

// TestRootsSuggestion checks that the first suggestion is the folder in which the
// server was started, and later the last response.
func TestRootsSuggestion(t *testing.T) {
	require.JSONEq(t, `{"roots":[]}`, string(rootsRequest(nil, "").value))
	require.JSONEq(t, `{"roots":[{"uri":"file:///home/a%20b","name":"a b"}]}`, string(rootsRequest(nil, "/home/a b").value))
	require.JSONEq(t, `{"roots":[]}`, string(rootsRequest([]byte(`{"roots":[]}`), "/home").value))
	require.Contains(t, string(rootsRequest([]byte(`{"error":{}}`), "/home").value), "file:///home")
}

// TestLongRequest checks that only part is shown of a request that is too long
// to be decoded, and of one with a long text.
func TestLongRequest(t *testing.T) {
	long := strings.Repeat("x ", maxReadable)
	k := kindOf(mcp.MethodElicit, json.RawMessage(`{"message":"`+long+`"}`), nil, "")
	require.Nil(t, k.wrap, "it has only JSON")
	w := requestText{width: 80}
	k.write(&w)
	require.Less(t, len(w.rows), 400)
	require.Contains(t, fmt.Sprint(w.rows[len(w.rows)-1]), "open the request in the detail pane")
}
