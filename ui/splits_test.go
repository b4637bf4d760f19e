package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var splitTests = map[string]actionTest{
	actWider:    resizes(actWider, detailID, columnStep, 0),
	actNarrower: resizes(actNarrower, detailID, -2, 0), // that is the least
	actHigher:   resizes(actHigher, stderrID, 0, rowStep),
	actLower:    resizes(actLower, stderrID, 0, -rowStep),
}

// resizes returns a test that an action changes the size of a pane.
func resizes(id string, pane paneID, columns, rows int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		before := d.layout.pane[pane]
		d.do(id)
		after := d.layout.pane[pane]
		require.Equal(t, before.W+columns, after.W)
		require.Equal(t, before.H+rows, after.H)
		requireExact(t, d.screen(), 120, 36)
		d.do(actZoom, id)
		require.Contains(t, d.rows()[35], "x there is nothing of that on the screen to resize")
	}
}

// TestResizeStacked: on a narrow screen the detail pane grows upwards.
func TestResizeStacked(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Equal(t, 6, d.layout.pane[detailID].H)
		d.do(actWider, actWider)
		require.Equal(t, 8, d.layout.pane[detailID].H)
		for range 20 {
			d.do(actHigher)
		}
		require.Equal(t, 13, d.layout.pane[stderrID].H)
		require.Equal(t, 9, d.layout.pane[trafficID].H+d.layout.pane[detailID].H)
		require.Equal(t, 13, d.splits.strip)
		d.do(actLower)
		require.Equal(t, 12, d.layout.pane[stderrID].H, "what did not fit was not kept")
	})
}
