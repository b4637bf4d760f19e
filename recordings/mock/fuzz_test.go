package mock

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

// FuzzClient checks that, whatever a client sends, the mock does not panic, ends with
// the client, and writes only messages; there is at most one response more than there
// are requests.
func FuzzClient(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}` + "\n" + `{"jsonrpc":"2.0","id":"mock-1","result":{}}`,
		`[{"id":1,"method":"ping"},{"method":"notifications/cancelled","params":{"requestId":1}},7]`,
		`{"id":{"a":[1]},"method":"initialize","params":[` + "\n\r\n\x00\xff",
		`{"id":null,"method":"subscriptions/listen","params":{"_meta":{"progressToken":"` + `\u0000"}}}`,
		`{"id":1,"method":"tools/call","params":{"name":"ask","_meta":{"progressToken":{}}},"params":3}`,
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(3))
	}
	legacyFile, modernFile := write(f, asking), write(f, modern)
	f.Fuzz(func(t *testing.T, in []byte, how uint8) {
		path := legacyFile
		if how&4 != 0 {
			path = modernFile
		}
		opts := Options{Exact: how&1 != 0, Strict: how&2 != 0, Bridge: how&8 != 0}
		server, err := New(t.Context(), open(t, path), opts)
		require.NoError(t, err)
		var out bytes.Buffer
		_, err = server.Serve(t.Context(), bytes.NewReader(in), &out, &bytes.Buffer{})
		require.NoError(t, err)
		for line := range strings.Lines(out.String()) {
			require.True(t, framing.Scan([]byte(strings.TrimSuffix(line, "\n"))).Valid(), "%q", line)
		}
		r := server.Report()
		require.LessOrEqual(t, r.Answered, r.Requests+1, "a subscription has its response in its place")
	})
}
