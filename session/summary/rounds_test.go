package summary_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/summary"
)

func TestAsksForInput(t *testing.T) {
	for _, tc := range []struct {
		name, msg string
		asks      bool
		state     string
	}{
		{"asks", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{}},"requestState":"s<1>"}}`, true, `"s<1>"`},
		{"type last", `{"id":1,"result":{"requestState":{"n":1.0},"resultType":"input_required"}}`, true, `{"n":1.0}`},
		{"no state", `{"id":1,"result":{"resultType":"input_required"}}`, true, ""},
		{"complete", `{"id":1,"result":{"resultType":"complete","x":"input_required"}}`, false, ""},
		{"in a nested object", `{"id":1,"result":{"structuredContent":{"resultType":"input_required"}}}`, false, ""},
		{"in a text", `{"id":1,"result":{"content":[{"text":"\"resultType\":\"input_required\""}]}}`, false, ""},
		{"an error", `{"id":1,"error":{"resultType":"input_required"}}`, false, ""},
		{"beyond what is read", `{"id":1,"result":{"x":"` + strings.Repeat("x", summary.Limit) + `","resultType":"input_required"}}`, false, ""},
		{"not an object", `{"id":1,"result":["input_required"]}`, false, ""},
		{"cut", `{"id":1,"result":{"resultType":"input_required","requestState":"abc`, true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.asks, summary.AsksForInput([]byte(tc.msg)))
			require.Equal(t, tc.state, string(summary.AskedState([]byte(tc.msg))))
		})
	}
}

func TestMembers(t *testing.T) {
	msg := []byte(`{"id": "mcpdbg-4" ,"params":{"_meta":{"a":1,"progressToken": 7},"progressToken":"x","requestId":5,"requestState":null}}`)
	require.Equal(t, `"mcpdbg-4"`, string(summary.IDOf(msg)))
	require.Equal(t, "7", string(summary.ProgressToken(msg)))
	require.Equal(t, `"x"`, string(summary.ProgressOf(msg)))
	require.Equal(t, "5", string(summary.CancelledID(msg)))
	require.Equal(t, "null", string(summary.ResentState(msg)))
	require.Nil(t, summary.AskedState(msg))
	require.Nil(t, summary.IDOf([]byte(`["id"]`)))
}
