package wire

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

// FuzzParse checks that the fast paths accept nothing that Decode refuses, and understand the
// same as it.
func FuzzParse(f *testing.F) {
	f.Add(AppendOutput(nil, Output{ProcessID: "a", Seq: 2, Stream: Stderr, Chunk: []byte("err\n")}))
	f.Add(AppendWrite(nil, 7, WriteParams{ProcessID: "a", Chunk: []byte("x"), WriteID: "w1"}))
	f.Add(AppendAccepted(nil, json.RawMessage("7")))
	f.Add([]byte(`{"id":07,"result":{"status":"accepted"}}`))
	f.Add([]byte(`{"error":{"code":-32600,"message":"unknown process id zz"},"id":6}`))
	f.Add([]byte("{\"method\":\"process/output\",\"params\":{\"processId\":\"\x00\xff\",\"seq\":1,\"stream\":\"stdout\",\"chunk\":\"\\n\"}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Decode(text)
		if o, ok := ParseOutput(text); ok {
			require.NoError(t, err)
			require.Equal(t, NoteOutput, m.Method)
			require.Empty(t, m.ID)
			var want Output
			require.NoError(t, framing.Unmarshal(m.Params, &want))
			require.Equal(t, want, o)
		}
		if id, w, ok := ParseWrite(text); ok {
			require.NoError(t, err)
			require.Equal(t, MethodWrite, m.Method)
			require.Equal(t, m.ID, id)
			var want WriteParams
			require.NoError(t, framing.Unmarshal(m.Params, &want))
			require.Equal(t, want, w)
		}
		if id, ok := ParseAccepted(text); ok {
			require.NoError(t, err)
			require.Empty(t, m.Method)
			require.Equal(t, string(m.ID), strconv.FormatUint(id, 10))
			var r WriteResult
			require.NoError(t, framing.Unmarshal(m.Result, &r))
			require.Equal(t, Accepted, r.Status)
		}
	})
}
