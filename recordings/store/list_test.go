package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

const (
	headerLine = `{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"ssh","host":"build-7","argv":["npx","-y","@a/files"]}` + "\n"
	startLine  = `{"n":1,"t":0,"k":"start","argv":["npx"],"pid":7}` + "\n"
	exitLine   = `{"n":2,"t":1000,"k":"exited","code":1}` + "\n"
	endLine    = `{"n":3,"t":2000,"k":"end","entries":3,"counts":{"out":5,"in":4,"errors":2}}` + "\n"
)

// file returns a recording that is listed but not read.
func file(t *testing.T, lines string) *Recording {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "20261121-100000-npx-abcdef.jsonl"), []byte(lines), 0o600))
	all, err := List(folder)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "npx", all[0].Command(), "the file is not read")
	require.NoError(t, all[0].Examine(t.Context()))
	require.False(t, all[0].Examined, "before Look")
	return &all[0]
}

func TestLook(t *testing.T) {
	r := file(t, headerLine+startLine+exitLine+endLine)
	require.NoError(t, r.Look())
	require.True(t, r.Whole())
	require.Equal(t, "build-7: files", r.Command())
	require.EqualValues(t, 2000, r.Duration)
	require.Equal(t, &session.EndCounts{Out: 5, In: 4, Errors: 2}, r.Counts)
	require.Empty(t, r.Cause)

	torn := file(t, headerLine+startLine)
	require.NoError(t, torn.Look())
	require.False(t, torn.Whole())
	require.Nil(t, torn.Counts)

	other := file(t, "text\n")
	var format *recordings.FormatError
	require.ErrorAs(t, other.Look(), &format)
	require.EqualValues(t, 5, other.Size)
}

func TestExamine(t *testing.T) {
	r := file(t, headerLine+startLine+exitLine+endLine)
	require.NoError(t, r.Look())
	require.NoError(t, r.Examine(t.Context()))
	require.True(t, r.Examined)
	require.Contains(t, r.Cause, "exited with code 1")
	require.Zero(t, *r.Counts, "those of the file, not those of its last line")

	large := file(t, headerLine+startLine)
	require.NoError(t, large.Look())
	require.NoError(t, os.Truncate(large.Path, maxExamined+1))
	require.NoError(t, large.Look())
	require.NoError(t, large.Examine(t.Context()))
	require.False(t, large.Examined)
}
