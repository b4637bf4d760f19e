package verify_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

// countedSource counts reads of entries.
type countedSource struct {
	session.Source
	entries int
}

func (s *countedSource) Entry(row session.Row, limit int) (session.Entry, error) {
	s.entries++
	return s.Source.Entry(row, limit)
}

// TestEndsGroupWithoutAnotherRead checks that some of the problems of a log can be grouped
// by the causes of its ends without reading it again.
func TestEndsGroupWithoutAnotherRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["a"]}
{"n":1,"t":1,"k":"start","process":"p","pid":1}
{"n":2,"t":2,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}}
{"n":3,"t":3,"k":"stderr","seq":1,"raw":"error: environment variable DEMO_API_KEY is not set"}
{"n":4,"t":4,"k":"exited","seq":2,"code":3,"by":"server"}
{"n":5,"t":5,"k":"closed","seq":3}
`), 0o600))
	recording, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, recording.Close()) })
	src := &countedSource{Source: recording}
	found := verify.CheckLog(src)
	var kept []diagnosis.Problem
	for _, p := range found.Problems {
		if p.Rule.ID != "PRC04" {
			kept = append(kept, p)
		}
	}
	read := src.entries
	groups := diagnosis.Groups(kept, found.Ends)
	require.Equal(t, read, src.entries)
	require.Len(t, found.Ends, 1)
	require.True(t, slices.ContainsFunc(groups, func(g diagnosis.Group) bool { return g.End != nil && g.End.Cause.ID == "variable" }), "%v", groups)
}
