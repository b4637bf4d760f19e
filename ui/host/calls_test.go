package host_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// cancelWait is how long a cancelled call may stay silent.
const cancelWait = 2 * time.Second

// A callTest is a test of the calls of a session with a server that answers none.
type callTest func(t *testing.T, r *uitest.Room, x *uitest.Server)

func withCalls(t *testing.T, test callTest) {
	t.Helper()
	x := &uitest.Server{}
	uitest.Live(t, x, 100, 30, func(t *testing.T, h *uitest.Host) {
		r := uitest.NewRoom(h, host.CallActions())
		r.Settle = func() { host.WatchCancelled(r.Context()) }
		test(t, r, x)
	})
}

// callFrame paints the lines of the pending calls at the bottom.
func callFrame(r *uitest.Room) string {
	screen := r.Screen()
	screen.Canvas.Reset(screen.Width, screen.Height)
	bottom, _ := paint.Rect{W: screen.Width, H: screen.Height}.CutBottom(host.CallLines(r.Context().Workspace))
	host.PaintCalls(r.Context(), bottom)
	return screen.Canvas.String()
}

// callRows returns the lines of the frame without styles.
func callRows(r *uitest.Room) []string { return strings.Split(ansi.Strip(callFrame(r)), "\n") }

func TestCallActions(t *testing.T) { uitest.TestActions(t, host.CallActions(), callTests, withCalls) }

var callTests = map[string]callTest{
	"cancel-call": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		r.Do("cancel-call")
		require.Contains(t, r.Said(), "no call is pending")
		r.Begin(host.SendRequest(r.Context(), "sleep long", "sleep", nil, 0))
		synctest.Wait()
		r.Do("cancel-call")
		r.Arrive()
		r.Row(`"method":"notifications/cancelled","params":{"requestId":"mcpdbg-3","reason":"cancelled by the user"}`)
		require.Equal(t, []string{"cancel"}, r.Acts())
	},
}

// TestCallWithProgress checks that a long call has a line, which shows its
// progress, and that its response is selected.
func TestCallWithProgress(t *testing.T) {
	withCalls(t, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		r.Begin(host.SendRequest(r.Context(), "tools/call sleep", "tools/call", []byte(`{"name":"sleep"}`), 0))
		r.Arrive()
		require.NotContains(t, callFrame(r), "ctrl+x", "most calls are short")
		time.Sleep(workspace.CallShownAfter)
		r.Arrive()
		require.Regexp(t, `^ > tools/call sleep  0 s  ctrl\+x cancel +$`, callRows(r)[29])
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-3","progress":5,"total":10,"message":"half \u001b[2J"}}`)
		time.Sleep(2 * time.Second)
		r.Arrive()
		require.Contains(t, callRows(r)[29], `> tools/call sleep  2 s  ctrl+x cancel  [##########----------] 5/10  half \u001b[2J`)
		r.Colours()
		uitest.RequireExact(t, callFrame(r), 100, 30)
		uitest.Golden(t, "call", callFrame(r))

		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		r.Arrive()
		require.Contains(t, r.Said(), "the server answered in 2.3 s: tools/call sleep")
		require.NotContains(t, callFrame(r), "ctrl+x cancel")
		require.Equal(t, r.Row(`"content":[]`), r.Selected[len(r.Selected)-1])
	})
}

// TestSeveralCalls checks that each call has its line, as long as there is
// room.
func TestSeveralCalls(t *testing.T) {
	withCalls(t, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		for _, name := range []string{"one", "two", "three", "four", "five"} {
			r.Begin(host.SendRequest(r.Context(), name, "sleep", nil, 0))
			r.Arrive()
		}
		time.Sleep(workspace.CallShownAfter)
		r.Arrive()
		rows := callRows(r)
		require.Contains(t, rows[27], " > three  0 s  and 2 more calls")
		require.Contains(t, rows[28], " > four  0 s ")
		require.Contains(t, rows[29], " > five  0 s  ctrl+x cancel")
		for _, w := range []int{0, 10, 41, 60, 81, 120} {
			for _, h := range []int{1, 9, 10, 11, 16, 20} {
				r.Resize(w, h)
				uitest.RequireExact(t, callFrame(r), w, h)
			}
		}
		x.Latest().Exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
		r.Arrive()
		require.Empty(t, r.Context().Workspace.Calls)
	})
}

// TestCancelledCall checks a server that stops on a cancellation, and one that
// answers anyway.
func TestCancelledCall(t *testing.T) {
	withCalls(t, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		r.KeepTime()
		begin := func() {
			r.Begin(host.SendRequest(r.Context(), "sleep long", "sleep", nil, 0))
			time.Sleep(workspace.CallShownAfter)
			r.Arrive()
			r.Do("cancel-call")
			r.Arrive()
			require.Zero(t, host.CallLines(r.Context().Workspace), "it leaves the pending calls at once")
		}
		begin()
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

		begin()
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-4","result":{"content":[]}}`)
		r.Arrive()
		require.Contains(t, r.Said(), "response arrived 0s after the cancellation: sleep long")
		require.Empty(t, r.Context().Workspace.Calls)

		begin()
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-5","progress":1}}`)
		r.Arrive()
		time.Sleep(cancelWait)
		r.Arrive()
		require.Contains(t, r.Said(), "cancelled, but the server is still working (progress since: 1): sleep long")
	})
}
