package catalog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/calls"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// TestListen checks that in the modern era a subscription is a long-running
// request.
func TestListen(t *testing.T) {
	x := &uitest.Server{Serve: func(p *uitest.Process, m uitest.Message) { uitest.Offers(p, m) }, Capabilities: uitest.AllCapabilities, Modern: true}
	uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) {
		r := newRoom(h)
		r.Actions = append(r.Actions, calls.Actions()...)
		r.Do("catalog")
		require.Contains(t, r.Text(), "[Tools 3]")
		listen := func() {
			r.Begin(r.catalog.subscribe(r.Context()))
			time.Sleep(workspace.CallShownAfter)
			r.Arrive()
		}
		listen()
		r.Row(`"toolsListChanged":true`)
		require.Contains(t, r.Text(), "subscribed to changes of the lists")
		require.Zero(t, calls.Lines(r.Context().Workspace), "a subscription has no line")
		r.Do("cancel-call")
		require.Contains(t, r.Said(), "no call is pending")

		listen()
		require.NotContains(t, r.Text(), "subscribed to changes of the lists")
		r.Row(`"method":"notifications/cancelled"`)

		r.Do("catalog-next-list")
		listen()
		require.Contains(t, r.Text(), "subscribed to changes")
		r.Row(`"resourceSubscriptions":["res://logs/1"]`)
		x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-6","result":{"resultType":"complete"}}`)
		r.Arrive()
		require.Contains(t, r.Said(), "subscription ended by the server")
		require.NotContains(t, r.Text(), "subscribed to changes")
	})
}
