package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var splitTests = map[string]actionTest{
	actWider:    resizes(actWider, detailID, columnStep, 0),
	actNarrower: resizes(actNarrower, detailID, -columnStep, 0),
	actHigher:   resizes(actHigher, stderrID, 0, rowStep),
	actLower:    resizes(actLower, stderrID, 0, -rowStep),
}

// resizes returns a test that an action changes the size of a pane.
func resizes(id string, pane paneID, columns, rows int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		before := d.panes.layout.pane[pane]
		d.do(id)
		after := d.panes.layout.pane[pane]
		require.Equal(t, before.W+columns, after.W)
		require.Equal(t, before.H+rows, after.H)
		requireExact(t, d.content(), 160, 36)
		d.do(actZoom, id)
		require.Contains(t, d.rows()[35], "x that pane is not on the screen")
	}
}

// TestResizeStacked checks that on a narrow screen the detail pane grows upwards.
func TestResizeStacked(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Equal(t, 7, d.panes.layout.pane[detailID].H)
		d.do(actWider, actWider)
		require.Equal(t, 9, d.panes.layout.pane[detailID].H)
		for range 20 {
			d.do(actHigher)
		}
		require.Equal(t, 13, d.panes.layout.pane[stderrID].H)
		require.Equal(t, 9, d.panes.layout.pane[trafficID].H+d.panes.layout.pane[detailID].H)
		require.Equal(t, 13, d.panes.splits.strip)
		d.do(actLower)
		require.Equal(t, 12, d.panes.layout.pane[stderrID].H, "a size that did not fit is not kept")
	})
}
