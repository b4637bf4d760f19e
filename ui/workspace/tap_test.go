package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// TestTapAtAnEarlierMoment checks that a recording of a tap at a row has nothing of a
// restart or a client after it.
func TestTapAtAnEarlierMoment(t *testing.T) {
	log, err := recordings.Open("../uitest/testdata/tap.jsonl")
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	x := NewIndex()
	for x.Pull(log) {
	}
	const client, exited, started, restarted = 4, 19, 26, 33
	for rows := range log.Len() + 1 {
		cut := x.Exchanges.upTo(log, rows)
		require.Equal(t, rows > client, cut.tap.client == "claude-code 2.1", "%d rows", rows)
		end, ok := cut.ProcessEnd(exited)
		require.Equal(t, rows > exited, ok, "%d rows", rows)
		require.Equal(t, rows > started, end.NextPID == 4188, "%d rows", rows)
		require.Equal(t, rows > restarted, end.Restart != nil, "%d rows", rows)
	}
	end, _ := x.Exchanges.ProcessEnd(exited)
	require.Equal(t, "main.go changed", end.Restart.Reason)
	require.Equal(t, 2, end.Restart.Failed)
}
