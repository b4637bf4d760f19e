package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/steer"
)

// moves returns a test that an action moves the cursor of the traffic pane from
// the middle row to another position of the list.
func moves(id string, want func(at, n int) int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		for range 30 {
			d.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
			d.send(`{"jsonrpc":"2.0","method":"notifications/y"}`) // otherwise they would fold
		}
		n := d.visible.rows.Traffic.Len()
		d.visible.Select(d.listed(n / 2))
		d.do(id)
		require.Equal(t, d.listed(want(n/2, n)), d.cursor())
	}
}

func focuses(id string, pane paneID) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		if pane == trafficID {
			d.focusOn(eventsID)
		}
		d.do(id)
		require.Equal(t, pane, d.panes.focus)
		require.Contains(t, d.plain(), "━ "+string('0'+rune(pane))+" ", "the border of the pane is heavy")
	}
}

// tall is the height of the traffic pane in rows at 120x36.
const tall = 27

// movementTests are of movement, focus, search and filter.
var movementTests = map[string]actionTest{
	steer.ActFocus: func(t *testing.T, d *driver, _ *fakeExecutor) { // see TestHeldKeys
		d.do(steer.ActFocus)
		require.Contains(t, d.plain(), host.NoTap)
	},
	kit.Up:           moves(kit.Up, func(at, _ int) int { return at - 1 }),
	kit.Down:         moves(kit.Down, func(at, _ int) int { return at + 1 }),
	kit.PageUp:       moves(kit.PageUp, func(at, _ int) int { return at - tall + 1 }),
	kit.PageDown:     moves(kit.PageDown, func(at, _ int) int { return at + tall - 1 }),
	kit.HalfPageUp:   moves(kit.HalfPageUp, func(at, _ int) int { return at - tall/2 }),
	kit.HalfPageDown: moves(kit.HalfPageDown, func(at, _ int) int { return at + tall/2 }),
	kit.Top:          moves(kit.Top, func(int, int) int { return 0 }),
	kit.Bottom:       moves(kit.Bottom, func(_, n int) int { return n - 1 }),
	kit.Left: func(t *testing.T, d *driver, _ *fakeExecutor) {
		for _, again := range []bool{false, true} { // folds an exchange, scrolls messages
			d.do(kit.Top)
			before := d.plain()
			d.do(kit.Right, kit.Right)
			require.NotEqual(t, before, d.plain())
			d.do(kit.Left, kit.Left)
			require.Equal(t, before, d.plain())
			if !again {
				d.wire()
			}
		}
	},
	kit.Right: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(kit.Top, kit.Right)
		require.Contains(t, d.plain(), "→ initialize ", "the parts of the exchange")
		d.wire()
		require.Contains(t, d.plain(), "→ initialized")
		d.do(kit.Right)
		require.Contains(t, d.plain(), "→ tions/initialized")
	},
	actNextPane: func(t *testing.T, d *driver, _ *fakeExecutor) {
		var seen []paneID
		for range 4 {
			d.do(actNextPane)
			seen = append(seen, d.panes.focus)
		}
		require.Equal(t, []paneID{detailID, stderrID, eventsID, trafficID}, seen)
	},
	actPrevPane: focuses(actPrevPane, eventsID),
	actTraffic:  focuses(actTraffic, trafficID),
	actDetail:   focuses(actDetail, detailID),
	actStderr:   focuses(actStderr, stderrID),
	actEvents:   focuses(actEvents, eventsID),
	actZoom: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actZoom)
		require.NotContains(t, d.plain(), "3 Server")
		d.do(actZoom)
		require.Contains(t, d.plain(), "3 Server")
	},
	host.ActOpen: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(host.ActOpen)
		require.Equal(t, detailID, d.panes.focus)
		require.NotContains(t, d.plain(), "2 Calls")
		require.Contains(t, d.plain(), `protocolVersion: "2025-11-25"`)
		d.do(host.ActOpen)
		require.Contains(t, d.plain(), `>> {jsonrpc: "2.0", id: `, "in the tree, open folds and unfolds")
	},
	host.ActBack: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("kind:request")
		d.do(actAccept, host.ActOpen, host.ActBack)
		require.Equal(t, trafficID, d.panes.focus)
		require.False(t, d.panes.zoom)
		require.NotNil(t, d.visible.rows.Traffic.Shown)
		d.do(host.ActBack)
		require.Nil(t, d.visible.rows.Traffic.Shown)
		d.do(host.ActBack)
		require.False(t, d.quit)
	},
	actSearch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		d.do(actSearch)
		d.write("protocolVersion")
		require.Contains(t, d.rows()[35], "search protocolVersion")
		d.do(actAccept)
		require.Equal(t, d.row(`"protocolVersion":"2025-11-25","capabilities":`), d.viewed(), "the nearest match above")
	},
	actNextMatch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.pings()
		d.search1("ping", kit.Top)
		first := d.cursor()
		d.do(actNextMatch)
		require.Greater(t, d.cursor(), first)
		d.do(kit.Bottom, actNextMatch)
		require.Contains(t, d.rows()[35], "no more matches")
	},
	actPrevMatch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.pings()
		d.search1("ping", kit.Bottom)
		last := d.cursor()
		d.do(actPrevMatch)
		require.Less(t, d.cursor(), last)
		d.do(kit.Top, actPrevMatch)
		require.Contains(t, d.rows()[35], "no more matches")
	},
	actFilter: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.pings()
		d.do(actFilter)
		d.write("method:ping")
		d.do(actAccept)
		require.Contains(t, d.plain(), "2 of 3 rows  filter method:ping")
		require.NotContains(t, d.plain(), "handshake")
		d.do(actFilter)
		require.Contains(t, d.rows()[35], "filter method:ping", "the filter can be edited")
	},
	actFollow: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Contains(t, d.rows()[1], "following")
		d.do(actFollow)
		require.NotContains(t, d.rows()[1], "follow")
		for i := range tall + 4 { // more than fit
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i))
		}
		require.Contains(t, d.rows()[1], "5 new below · G shows them")
		d.do(actFollow)
		require.Contains(t, d.rows()[1], "following")
	},
	actPartner: func(t *testing.T, d *driver, _ *fakeExecutor) {
		request, response := d.row(`"method":"initialize"`), d.row(`"serverInfo"`)
		d.selects(`"method":"initialize"`)
		d.do(actPartner)
		require.Equal(t, response, d.viewed())
		d.do(actPartner)
		require.Equal(t, request, d.viewed())
		d.wire()
		d.run(d.visible.rows.Traffic.SetFilter(parse(t, "kind:request")))
		d.visible.Select(request)
		d.do(actPartner)
		require.Contains(t, d.rows()[35], "the row is hidden")
	},
	actNextError: func(t *testing.T, d *driver, x *fakeExecutor) {
		failure := d.fails(x)
		d.do(kit.Top, actNextError)
		require.Equal(t, failure, d.viewed(), "past the probe, whose error is none")
	},
	actPrevError: func(t *testing.T, d *driver, x *fakeExecutor) {
		failure := d.fails(x)
		d.do(kit.Bottom, actPrevError)
		require.Equal(t, failure, d.viewed(), "the response, not the request that it belongs to")
		d.do(actPrevError)
		require.Equal(t, failure, d.viewed(), "the probe's error is expected")
	},
	actJumpBack: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actJumpBack)
		require.Contains(t, d.rows()[35], "no jump yet")
		request, response := d.row(`"method":"initialize"`), d.row(`"serverInfo"`)
		d.wire()
		d.visible.Select(request)
		d.pull()
		d.do(actPartner)
		require.Equal(t, response, d.cursor())
		d.take(tea.KeyPressMsg{Code: '`', Text: "`"})
		require.Equal(t, request, d.cursor())
		d.take(tea.KeyPressMsg{Code: tea.KeyBackspace})
		require.Equal(t, response, d.cursor(), "and forth")
	},
}

// search1 moves with an action and searches from there.
func (d *driver) search1(text string, from string) {
	d.do(from, actSearch)
	d.write(text)
	d.do(actAccept)
}
