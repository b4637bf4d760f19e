package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// TestBars checks how long exchanges took, and which parts of that were not the
// server's work.
func TestBars(t *testing.T) {
	log := &fakeLog{}
	log.add("start >initialize =1 >tools/call <elicitation/create ~ =4 =3 >tools/call ~ exit")
	ws := &Workspace{Shown: NewProjection(log), Clock: -1}
	for ws.Shown.Index.Pull(log) {
	}
	bars := NewBars(ws)
	shake, ok := bars.Of(1)
	require.True(t, ok)
	require.EqualValues(t, 1, shake.To-shake.From)
	call, _ := bars.Of(3)
	require.EqualValues(t, 2_000_004, call.To-call.From)
	asked, ok := bars.Of(4)
	require.True(t, ok)
	require.EqualValues(t, 2_000_002, asked.To-asked.From)
	open, _ := bars.Of(7)
	require.True(t, open.Open)
	_, ok = bars.Of(5)
	require.False(t, ok, "a response")
	_, ok = bars.Of(99)
	require.False(t, ok)
	log.rows[7].State = session.ReqLost
	lost, _ := bars.Of(7)
	require.True(t, lost.Failed)
	require.EqualValues(t, 2_000_002, lost.To-lost.From, "until the process ended")
}
