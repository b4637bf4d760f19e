package tap

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/tap"
)

func TestFilterOfHeldMessages(t *testing.T) {
	t.Parallel()
	call := tap.Message{ToServer: true, Line: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":"needle"}}}`), Method: "tools/call", Tool: "echo"}
	result := tap.Message{Line: []byte(`{"jsonrpc":"2.0","id":1,"result":{"y":"straw"}}`), Method: "tools/call", Tool: "echo"}
	failure := tap.Message{Line: []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`), Method: "tools/call", Tool: "echo"}
	notice := tap.Message{Line: []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`), Method: "notifications/message"}
	batch := tap.Message{ToServer: true, Line: []byte(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)}
	other := tap.Message{Line: []byte("hello needle")}
	for text, want := range map[string][]bool{
		"method:tools":              {true, true, true, false, true, false},
		"tool:echo":                 {true, true, true, false, true, false},
		"tool:add":                  {false, false, false, false, false, false},
		"tool:echo dir:out":         {true, false, false, false, true, false},
		"kind:request":              {true, false, false, false, true, false},
		"kind:response":             {false, true, true, false, false, false},
		"kind:error":                {false, false, true, false, false, false},
		"id:1":                      {true, true, true, false, true, false},
		"needle":                    {true, false, false, false, false, true},
		"/needle|straw/ dir:in":     {false, true, false, false, false, true},
		"method:ping or dir:in err": {false, false, true, false, true, true},
		"kind:notification":         {false, false, false, true, false, false},
	} {
		m, err := match(text)
		require.NoError(t, err, text)
		var got []bool
		for _, msg := range []tap.Message{call, result, failure, notice, batch, other} {
			got = append(got, m(&msg))
		}
		require.Equal(t, want, got, text)
	}
	_, err := match("colour:red")
	require.ErrorContains(t, err, "unknown key")
}
