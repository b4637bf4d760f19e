package redact

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// FuzzLine checks that edits lie in the line and in order, that no verbatim value
// remains, and that a message stays a message.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"a","params":{"password":"x","b":["sesame"]}}`, `{"a":"{\"token\":\"\\u0073esame\"}"}`,
		`[{"id":1,"result":"postgres://a:b@c"}]`, `password=x "token": "ses`, "-----BEGIN PRIVATE KEY-----", `{"a":"\ud83d\ude00\/\b` + "\xff",
	} {
		f.Add([]byte(seed))
	}
	rules := Default()
	rules.Values = []Value{{"env X", "sesame"}}
	rules.Pointers = []string{"/params/*/0", "/id"}
	rules.Home = true
	compiled, err := compile(rules)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newReader(finder{compiled: compiled, salt: []byte("salt")})
		for _, kind := range []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr} {
			clear(r.key)
			edits := r.inStream(kind, line)
			at := 0
			for _, e := range edits {
				require.True(t, at <= e.from && e.from <= e.to && e.to <= len(line), "%+v", edits)
				at = e.to
			}
			out := apply(nil, line, edits)
			require.False(t, bytes.Contains(out, []byte("sesame")) && !bytes.ContainsAny(line, "\n\r"), "%q", out)
			if kind != session.KindStderr && !bytes.Contains(line, []byte("\n")) && framing.Scan(line).Kind != framing.NotJSON {
				require.Equal(t, framing.Scan(line).Kind, framing.Scan(out).Kind, "%q", out)
			}
		}
	})
}
