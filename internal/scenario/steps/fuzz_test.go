package steps

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/scenario"
	"mcpdbg/recordings"
)

// FuzzOf checks that the scenario of any recording can be written and parsed. Each line
// is written by the client (>) or the server (<), or has the members of an entry.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"t":"${x} [redacted:token:1]"}}}
< {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"\u202e"}}
> {"jsonrpc":"2.0","id":7,"error":{"code":1.5,"data":[]}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"a\u0000"}],"structuredContent":{"id":"0123456789abcdef"}}}
> {"jsonrpc":"2.0","id":2,"method":"a","params":{"id":"0123456789abcdef"}}`,
		`> {"jsonrpc":"2.0","id":1,"method":"a b\n","params":{}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
"k":"act","act":"close-stdin"
"k":"exited","seq":9,"code":99999999999
"k":"start","process":"mcp-stdio-2"
"k":"write","of":7,"status":"stdin-closed"
> [{"jsonrpc":"2.0","id":1,"method":"a"},1]
> no JSON`,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"b","params":3},"j":{"method":"c"}}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{},"requestState":"s","inputResponses":{"k":{"error":{"code":1,"message":"x"},"more":1},"j":null}}}`,
	} {
		f.Add(seed, uint8(0))
		f.Add(seed, uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, level uint8) {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		require.NoError(t, os.WriteFile(path, recorded(append(handshake[:len(handshake):len(handshake)], strings.Split(text, "\n")...)), 0o600))
		src, err := recordings.Open(path)
		require.NoError(t, err)
		defer func() { require.NoError(t, src.Close()) }()
		s, err := FromSession(t.Context(), src, Options{Expect: Expectations()[int(level)%3]})
		if errors.Is(err, ErrNothing) {
			return
		}
		require.NoError(t, err)
		require.NoError(t, scenario.WriteYAML(&bytes.Buffer{}, s))
	})
}

// recorded returns a recording of the lines that are valid entries.
func recorded(lines []string) []byte {
	out := []byte(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n")
	for i, line := range lines {
		kind, text, _ := strings.Cut(line, " ")
		members := `"k":"` + map[string]string{">": "stdin", "<": "stdout"}[kind] + `",`
		switch message := framing.Scan([]byte(text)); {
		case kind != ">" && kind != "<":
			members = line
		case message.Valid() && message.Kind != framing.Batch && message.Kind != framing.Other && strings.ToValidUTF8(text, "") == text && strings.HasPrefix(text, "{"):
			members += `"m":` + text
		default:
			raw, _ := json.Marshal(text) // a string always is JSON
			members += `"raw":` + string(raw)
		}
		entry, _ := json.Marshal(map[string]int{"n": i + 1, "t": i, "seq": i + 1})
		if line = string(entry[:len(entry)-1]) + "," + members + "}"; json.Valid([]byte(line)) {
			out = append(out, line+"\n"...)
		}
	}
	return out
}
