package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// TestRefusalNamesTheMalformedLine checks what an error without an id says about our
// lines.
func TestRefusalNamesTheMalformedLine(t *testing.T) {
	const (
		good    = `> {"jsonrpc":"2.0","id":1,"method":"ping"}`
		bad     = `"k":"stdin","raw":"{\"id\":"`
		refused = `< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
	)
	for name, tc := range map[string]struct {
		lines []string
		want  string // "" if the last line is not a refusal
	}{
		"a malformed line":      {[]string{rectest.Started, good, bad, good, refused}, "the server could not read a line: Parse error (entry 3 is malformed)"},
		"none is malformed":     {[]string{rectest.Started, good, refused}, "the server could not read a line: Parse error"},
		"refused already":       {[]string{rectest.Started, bad, refused, good, refused}, "the server could not read a line: Parse error"},
		"the second is open":    {[]string{rectest.Started, bad, refused, bad, refused}, "the server could not read a line: Parse error (entry 4 is malformed)"},
		"two are open":          {[]string{rectest.Started, bad, bad, refused}, "the server could not read a line: Parse error"},
		"in an earlier process": {[]string{rectest.Started, bad, rectest.Started, good, refused}, "the server could not read a line: Parse error"},
		"another code":          {[]string{rectest.Started, bad, `< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`}, ""},
		"with an id":            {[]string{rectest.Started, bad, `< {"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"no"}}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rec := rectest.Session(t, tc.lines...)
			number := rec.Len() - 1
			row, ok := session.RowAt(rec, number)
			require.True(t, ok)
			e, err := rec.Entry(row, 0)
			require.NoError(t, err)
			text, ok := session.Refusal(rec, number, &e)
			require.Equal(t, tc.want != "", ok)
			require.Equal(t, tc.want, text)
		})
	}
}
