package demo

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func atoi(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	require.NoError(t, err)
	return n
}

func TestFastAnswers(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{`{"method":"ping","params":{"id":5,"method":"x","a":["id",{"id":6}]},"id":"a\"b","jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":"a\"b","result":{}}`},
		{` { "id" : 9007199254740993 , "method" : "server/discover" } `, `{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32601,"message":"no such method"}}`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
	} {
		answer := string(newFastServer().answer([]byte(test.line + "\n")))
		if test.want == "" {
			require.Empty(t, answer)
			continue
		}
		require.Equal(t, test.want+"\n", answer, test.line)
	}
	for method, rest := range newFastServer().results {
		require.True(t, json.Valid(append([]byte(`{"id":1`), rest...)), method)
	}
}

func TestFastAnswersWithoutAllocating(t *testing.T) {
	fast := newFastServer()
	line := []byte(`{"jsonrpc":"2.0","id":"mcpdbg-1","method":"ping"}` + "\n")
	fast.answer(line)
	require.Zero(t, testing.AllocsPerRun(100, func() { fast.answer(line) }))
}

// FuzzIDAndMethod compares the scanner with encoding/json, for every object
// with plain and unique keys.
func FuzzIDAndMethod(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"a":"\\","id":"x\"y","b":{"id":2},"method":"m"}`,
		`{"a":[1,{"id":2}],"method":"m","id":null}`,
		`{"id":{"id":1},"method":["x"]}`, `{"id":1,"method":"\"quoted\""}`, `{"id":`, `"id":1`, `{"a":"`, `{"a":"\`, `]]]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		id, method := idAndMethod(line)
		var members map[string]json.RawMessage
		if json.Unmarshal(line, &members) != nil || countKeys(line) != len(members) || bytes.Contains(line, []byte(`\u`)) {
			return
		}
		if want := members["id"]; want != nil && want[0] != '{' && want[0] != '[' {
			require.Equal(t, string(want), string(id))
		}
		if want := members["method"]; want != nil && want[0] == '"' {
			require.Equal(t, string(want[1:len(want)-1]), string(method))
		}
	})
}

// countKeys counts the keys of a JSON object, including duplicates.
func countKeys(line []byte) int {
	dec := json.NewDecoder(bytes.NewReader(line))
	_, _ = dec.Token()
	keys := 0
	for dec.More() {
		var value json.RawMessage
		if _, err := dec.Token(); err != nil || dec.Decode(&value) != nil {
			return -1
		}
		keys++
	}
	return keys
}
