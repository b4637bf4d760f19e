package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/process"
	"mcpdbg/ui/server"
)

var overviewTests = map[string]actionTest{
	server.ActOverview: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(server.ActOverview)
		require.Equal(t, detailID, d.panes.focus)
		require.Contains(t, d.plain(), "3 Server")
		require.Contains(t, d.plain(), "(2026-07-28 tried first, not supported)")
		require.False(t, d.visible.ws.Selected.OK)
		d.do(actTraffic, kit.Up)
		require.NotContains(t, d.plain(), "3 Server", "a row was selected")
	},
}

// TestOverviewFirst checks that the server is shown until a row is selected, that the
// row of the cursor is not marked, and that esc shows the server again.
func TestOverviewFirst(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Contains(t, d.plain(), "3 Server")
		require.NotRegexp(t, "(?m)^>", d.plain())
		d.do(host.ActOpen)
		require.Contains(t, d.plain(), "3 initialize")
		require.True(t, d.panes.zoom)
		d.do(host.ActBack)
		require.Contains(t, d.plain(), "── 3 initialize", "the row stays selected")
		require.Regexp(t, "(?m)^>", d.plain())
		d.do(host.ActBack)
		require.Contains(t, d.plain(), "3 Server")
		d.do(host.ActBack)
		require.Contains(t, d.plain(), "3 Server")
		d.take(tea.MouseClickMsg{X: 20, Y: 4, Button: tea.MouseLeft})
		require.Contains(t, d.plain(), "3 initialize")
	})
}

// TestOverviewOpens checks that enter and a click open what the overview names.
func TestOverviewOpens(t *testing.T) {
	offering(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(server.ActOverview, kit.Down, host.ActOpen)
		require.Contains(t, d.plain(), "[Resources")
		d.do("catalog-close")
		d.take(tea.WindowSizeMsg{Width: 121, Height: 36})
		d.click("K stop")
		require.Equal(t, process.ScopeStop, d.front.top().Scope())
	})
}
