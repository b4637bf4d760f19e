package detail

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/uitest"
)

// TestClientSide shows the client's side of the messages of a tap, and both sides next to
// each other.
func TestClientSide(t *testing.T) {
	log := uitest.Tap(t)
	var frames uitest.Sheet
	for _, tc := range []struct {
		name string
		row  int // from 0
		view view
	}{
		{"edited by the tap", 5, viewTree},
		{"edited by the tap, both sides", 5, viewClient},
		{"held", 3, viewTree},
		{"edited request", 14, viewTree},
		{"response to an edited request", 15, viewContent},
		{"response to an edited request, both sides", 15, viewClient},
		{"answered by the tap", 16, viewTree},
		{"answered by the tap, both sides", 16, viewClient},
		{"handshake of a restart", 28, viewTree},
		{"own request", 34, viewText},
		{"own response", 35, viewText},
	} {
		r := ofLog(t, log, 100, 12)
		r.show(tc.row)
		r.Run(r.pane.setView(tc.view))
		frames.Add(tc.name, r.Text())
	}
	frames.Golden(t, "client-side")
}

// TestNoClientSide checks that a message that passed as it came has no line and no view.
func TestNoClientSide(t *testing.T) {
	r := ofLog(t, uitest.Tap(t), 100, 12)
	r.show(12)
	require.Contains(t, r.Text(), "12 entries")
	require.Empty(t, r.pane.clients)
	require.NotContains(t, r.Text(), "client")
	require.NotContains(t, r.pane.views(), viewClient)
}
