package demo

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChangedServer(t *testing.T) {
	requests := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"after-6"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"after-12"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"prompts/list"}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
	}, "\n") + "\n"
	answers := func(opts Options) []string {
		var out, errw bytes.Buffer
		Serve(context.Background(), strings.NewReader(requests), &out, &errw, opts)
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	healthy, changed := answers(Options{}), answers(Options{Changed: true})
	require.Len(t, changed, len(healthy))
	var differ []string
	for i := range healthy {
		if healthy[i] != changed[i] {
			differ = append(differ, changed[i])
		}
	}
	require.Len(t, differ, 2)
	require.Contains(t, differ[0], `"maximum":100,`)
	require.Contains(t, differ[1], `"structuredContent":{"sum":4}`)
}
