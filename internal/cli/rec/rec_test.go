package rec

import (
	"bufio"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// Names with the same last letters are not shortened.
func TestShortNamesAreUnique(t *testing.T) {
	t.Parallel()
	list := []Listed{{Name: "20261101-100000-a-aaaaaa.jsonl"}, {Name: "20261102-100000-b-aaaaaa.jsonl"}, {Name: "20261102-100000-a-b-cccccc.jsonl"}, {Name: "x.jsonl"}}
	shortenNames(list)
	require.Equal(t, []string{"20261101-100000-a-aaaaaa.jsonl", "20261102-100000-b-aaaaaa.jsonl", "cccccc", "x.jsonl"},
		[]string{list[0].Name, list[1].Name, list[2].Name, list[3].Name})
}

func TestRecRemoveRequiresWholeName(t *testing.T) {
	t.Parallel()
	const path = "/state/20261121-114750-files-w679wv.jsonl"
	for _, name := range []string{path, "last", "20261121-114750-files-w679wv.jsonl", "20261121-114750-files-w679wv", "w679wv", "W679WV"} {
		require.NoError(t, wholeName(name, path), name)
	}
	err := wholeName("files", path)
	require.EqualError(t, err, `20261121-114750-files-w679wv.jsonl not removed: "files" is only part of its name`)
	require.Equal(t, console.ExitUsage, console.ExitCode(err))
	require.Error(t, wholeName("w679", path))
}

// TestEndlessExpressionsEnd checks that an expression that never ends, whether it has
// results or not, fails the command.
func TestEndlessExpressionsEnd(t *testing.T) {
	rec, err := recordings.Open("../../../recordings/testdata/v1-session.jsonl")
	require.NoError(t, err)
	defer rec.Close()
	row, ok := session.RowAt(rec, 3)
	require.True(t, ok)
	for _, expression := range []string{"def f: f; f", "last(repeat(1))", "range(1e18)", "[range(1e18)] | length", "until(false; .)", "1, (last(range(infinite)))"} {
		j, err := newJQWriter(t.Context(), expression, &logs.Writer{Source: rec, Out: bufio.NewWriter(io.Discard)}, io.Discard)
		require.NoError(t, err)
		require.Equal(t, jqLimit, j.limit)
		j.limit = 20 * time.Millisecond
		err = j.print(3, row)
		require.EqualError(t, err, "entry 4: --jq: not finished within 20ms", expression)
		require.Equal(t, console.ExitFailure, console.ExitCode(err), expression)
	}
}
