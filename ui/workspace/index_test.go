package workspace_test

import (
	"testing"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"

	"github.com/stretchr/testify/require"
)

func TestIndex(t *testing.T) {
	log := uitest.NewLog(t)
	uitest.AppendTraffic(t, log, 1000)
	x := workspace.NewIndex()
	require.False(t, x.Pull(log))
	require.Equal(t, 1000, x.Scanned)
	require.Equal(t, 1000, len(x.Traffic.All())+len(x.Stderr)+len(x.Events))
	require.Len(t, x.Stderr, 20)
	require.Len(t, x.Events, 10)
	require.Equal(t, uint32(49), x.Stderr[0])
	require.Equal(t, uint32(48), x.Events[0])

	long := &manyRows{Source: log, n: workspace.PullRows + 5}
	x = workspace.NewIndex()
	require.True(t, x.Pull(long), "a long recording is listed in steps")
	require.Equal(t, workspace.PullRows, x.Scanned)
	require.False(t, x.Pull(long))
	require.Len(t, x.Traffic.All(), workspace.PullRows+5)
}

// manyRows is a log that has only rows.
type manyRows struct {
	session.Source
	n int
}

func (m *manyRows) Len() int { return m.n }
func (m *manyRows) Rows(from int, dst []session.Row) int {
	n := max(min(len(dst), m.n-from), 0)
	for i := range n {
		dst[i] = session.Row{Kind: session.KindStdin}
	}
	return n
}

// TestFloods checks that important rows never fold.
func TestFloods(t *testing.T) {
	for _, tc := range []struct {
		row   session.Row
		folds bool
	}{
		{session.Row{Kind: session.KindStdout, Msg: framing.Notification, Method: 3}, true},
		{session.Row{Kind: session.KindStdin, Msg: framing.Notification, Method: 3}, true},
		{session.Row{Kind: session.KindStdout, Msg: framing.Notification, Flags: session.FlagProblem}, false},
		{session.Row{Kind: session.KindStdin, Msg: framing.Request, State: session.ReqPending}, false},
		{session.Row{Kind: session.KindStdout, Msg: framing.ErrorResponse, Flags: session.FlagError}, false},
		{session.Row{Kind: session.KindStdout, Msg: framing.NotJSON}, false},
		{session.Row{Kind: session.KindGap}, false},
	} {
		require.Equal(t, tc.folds, workspace.FloodKind(&tc.row) != 0, "%+v", tc.row)
	}
}
