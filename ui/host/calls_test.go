package host_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// cancelWait is how long a cancelled call may stay silent.
const cancelWait = 2 * time.Second

// A callTest is a test of the calls of a session with a server that answers none.
type callTest func(t *testing.T, r *uitest.Room, x *uitest.Server)

func withCalls(t *testing.T, test callTest) {
	t.Helper()
	x := &uitest.Server{}
	uitest.Live(t, x, 100, 30, func(t *testing.T, h *uitest.Host) {
		r := uitest.NewRoom(h)
		r.Settle = func() { host.WatchCancelled(r.Context()) }
		test(t, r, x)
	})
}

// begin sends a call that the server does not answer yet.
func begin(r *uitest.Room, title string) {
	r.Begin(host.SendComposed(r.Context(), title, "sleep", nil, 0))
	r.Arrive()
}

// TestCancelRequest checks that the server gets the cancellation of the call at a row,
// and the log has the person's act.
func TestCancelRequest(t *testing.T) {
	withCalls(t, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		begin(r, "sleep one")
		begin(r, "sleep two")
		r.Run(host.CancelRequest(r.Context(), r.Row(`"id":"mcpdbg-3"`)))
		r.Arrive()
		r.Row(`"method":"notifications/cancelled","params":{"requestId":"mcpdbg-3","reason":"cancelled by the user"}`)
		require.Equal(t, []string{"compose", "compose", "cancel"}, r.Acts())
		require.Equal(t, 1, host.PendingRequests(r.Context().Workspace), "the other call")
	})
}

// TestAnswerMovesNothing checks that the answer of a call is reported, with the time of
// the server, and selects no row.
func TestAnswerMovesNothing(t *testing.T) {
	withCalls(t, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		begin(r, "tools/call sleep")
		time.Sleep(2300 * time.Millisecond)
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		r.Arrive()
		require.Contains(t, r.Said(), "sleep answered in 2.3 s")
		require.Empty(t, r.Selected)
		require.Empty(t, r.GoneTo)
	})
}

// TestExitEndsCalls checks that no call is pending after the server has exited.
func TestExitEndsCalls(t *testing.T) {
	withCalls(t, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		for _, name := range []string{"one", "two", "three"} {
			begin(r, name)
		}
		require.Len(t, r.Context().Workspace.Calls, 3)
		require.Equal(t, 3, host.PendingRequests(r.Context().Workspace))
		x.Latest().Exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
		r.Arrive()
		require.Empty(t, r.Context().Workspace.Calls)
		require.Zero(t, host.PendingRequests(r.Context().Workspace))
	})
}

// TestCancelledCall checks a server that stops on a cancellation, and one that
// answers anyway.
func TestCancelledCall(t *testing.T) {
	withCalls(t, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		r.KeepTime()
		begin := func(id string) {
			begin(r, "sleep long")
			r.Run(host.CancelRequest(r.Context(), r.Row(`"id":"`+id+`"`)))
			r.Arrive()
			require.Zero(t, host.PendingRequests(r.Context().Workspace), "it leaves the pending calls at once")
		}
		begin("mcpdbg-3")
		time.Sleep(cancelWait)
		r.Arrive()
		require.Contains(t, r.Said(), "cancelled, no response from the server: sleep long")

		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-3","progress":1}}`)
		r.Arrive()
		require.Contains(t, r.Said(), "the server is still working after the cancellation: sleep long")

		time.Sleep(time.Second)
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		r.Arrive()
		require.Contains(t, r.Said(), "response arrived 3s after the cancellation: sleep long")
		require.Empty(t, r.Context().Workspace.Calls)

		begin("mcpdbg-4")
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-4","result":{"content":[]}}`)
		r.Arrive()
		require.Contains(t, r.Said(), "response arrived 0s after the cancellation: sleep long")
		require.Empty(t, r.Context().Workspace.Calls)

		begin("mcpdbg-5")
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-5","progress":1}}`)
		r.Arrive()
		time.Sleep(cancelWait)
		r.Arrive()
		require.Contains(t, r.Said(), "cancelled, but the server is still working (progress since: 1): sleep long")
	})
}
