package recordings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

const siftHeader = `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n"

// openNeedle opens a recording of lines with the text "needle" in mind.
func openNeedle(t *testing.T, lines ...string) *Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(siftHeader+strings.Join(lines, "\n")+"\n"), 0o600))
	r, err := OpenWith(t.Context(), path, Texts{
		Any:    []session.Needle{{Text: []byte("needle")}},
		Method: func(name string) bool { return strings.Contains(name, "needle") },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// A recording opened for a text has the lines with the text, and those whose text is
// not in the line.
func TestOpenWithSkipsLines(t *testing.T) {
	t.Parallel()
	r := openNeedle(t,
		`{"n":1,"t":1,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"ping"}}`,
		`{"n":2,"t":2,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"a":"NeeDLE"}}}`,
		`{"n":3,"t":3,"k":"stdout","seq":2,"raw":"n\u0065edle"}`,
		`{"n":4,"t":4,"k":"note","text":"x"}`,
		`{"n":2,"t":5,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"ping"}}`,
		`{"n":5,"t":5,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"ping"}`,
	)
	require.Equal(t, 3, r.Len())
	require.Equal(t, Warnings{OutOfOrder: 1, BadLines: 1}, r.Warnings())
}

// A recording is read whole if skipped lines would change the meaning of others.
func TestOpenWithReadsAll(t *testing.T) {
	t.Parallel()
	const ping = `{"n":9,"t":9,"k":"stdin","m":{"jsonrpc":"2.0","id":9,"method":"ping"}}`
	for name, lines := range map[string][]string{
		"method":          {`{"n":1,"t":1,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"x/needle"}}`},
		"batch":           {`{"n":1,"t":1,"k":"stdin","raw":"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x/needle\"}]"}`},
		"continued":       {`{"n":1,"t":1,"k":"stdout","seq":1,"more":true,"raw":"nee"}`, `{"n":2,"t":2,"k":"stdout","seq":2,"raw":"dle"}`},
		"write in pieces": {`{"n":1,"t":1,"k":"stdin","eol":"","raw":"{\"jsonrpc\":\"2.0\","}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, len(lines)+1, openNeedle(t, append(lines, ping)...).Len())
		})
	}
}

// The name that rows have after too many methods decides as well.
func TestOpenWithOtherMethods(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(siftHeader+`{"n":1,"t":1,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"ping"}}`+"\n"), 0o600))
	for text, want := range map[string]int{"hods": 1, "hoods": 0} {
		r, err := OpenWith(t.Context(), path, Texts{Any: []session.Needle{{Text: []byte(text)}}, Method: func(name string) bool { return strings.Contains(name, text) }})
		require.NoError(t, err)
		require.Equal(t, want, r.Len(), text)
		require.NoError(t, r.Close())
	}
}
