package rec

import (
	"bufio"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

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
		require.Equal(t, exit.Failure, exit.CodeOf(err), expression)
	}
}
