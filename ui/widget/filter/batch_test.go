package filter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
)

// TestElementsOfBatches tests that a batch passes if one of its elements does.
func TestElementsOfBatches(t *testing.T) {
	log := elements.New(newLog(t,
		`> [{"id":1,"method":"ping"},{"id":2,"method":"tools/call","params":{"name":"echo"}}]`,
		`> {"id":3,"method":"ping"}`,
		`< [{"id":2,"result":{"isError":true}},{"id":1,"result":{}}]`,
		`> [{"method":"notifications/initialized"}]`,
		`< {"id":3,"result":{}}`,
	))
	for text, want := range map[string][]int{
		"method:ping":              {0, 1, 2, 4},
		"method:ping kind:request": {0, 1},
		"tool:echo":                {0, 2},
		"id:2":                     {0, 2},
		"id:1 method:tools":        nil, // no element is both
		"kind:notification":        {3},
		"kind:batch":               {0, 2, 3},
		"!kind:batch":              {1, 4},
		"n:1 method:ping":          {0},
		"err tool:echo":            {0, 2},
		"echo":                     {0},
	} {
		f, err := Parse(text)
		require.NoError(t, err)
		one, all := f.Matcher(log), f.Matcher(log)
		verdicts := make([]Verdict, log.Len())
		all.Rows(0, rows(t, log), verdicts)
		var got, read []int
		for i, r := range rows(t, log) {
			if one.Match(i, r) {
				got = append(got, i)
			}
			if verdicts[i] == Yes || verdicts[i] == Unread && all.Read(i, r) {
				read = append(read, i)
			}
		}
		require.Equal(t, want, got, text)
		require.Equal(t, want, read, text)
	}
	f, err := Parse("method:ping")
	require.NoError(t, err)
	require.False(t, f.Matcher(log.Source).Match(0, session.Row{Msg: framing.Batch}), "a source without elements")
}
