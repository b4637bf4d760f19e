package traffic

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/uitest"
)

// TestTapFrames shows the session of a client whose server was restarted under it.
func TestTapFrames(t *testing.T) {
	var frames uitest.Sheet
	for _, size := range [][2]int{{120, 24}, {80, 24}} {
		for _, view := range []View{Exchanges, Wire} {
			s := newStage(t, uitest.NewHost(t, uitest.NewWorkspace(t, uitest.Tap(t)), size[0], size[1]), view)
			frames.Add(fmt.Sprint(size, view), s.Text())
		}
	}
	frames.Golden(t, "tap")
}

// TestFilterOfTap finds the requests that no client sent.
func TestFilterOfTap(t *testing.T) {
	s := onLog(t, uitest.Tap(t), Exchanges)
	s.Run(s.lists.SetFilter(parsed(t, "is:mine")))
	s.grown()
	require.Contains(t, s.Text(), "sent by the tap")
	require.NotContains(t, s.Text(), "12 entries")
}
