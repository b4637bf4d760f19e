package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArrange(t *testing.T) {
	type rects map[paneID][4]int // x, y, width, height
	at := func(w, h int) arrangement {
		return arrangement{width: w, height: h, focus: trafficID, log: stderrID}
	}
	with := func(a arrangement, change func(*arrangement)) arrangement {
		change(&a)
		return a
	}
	for _, tc := range []struct {
		name string
		in   arrangement
		mode mode
		want rects
	}{
		{"200x60", at(200, 60), wide, rects{trafficID: {0, 1, 124, 51}, detailID: {124, 1, 76, 51}, stderrID: {0, 52, 100, 7}, eventsID: {100, 52, 100, 7}}},
		{"160x34", at(160, 34), wide, rects{trafficID: {0, 1, 100, 27}, detailID: {100, 1, 60, 27}, stderrID: {0, 28, 80, 5}, eventsID: {80, 28, 80, 5}}},
		{"160x33", at(160, 33), wide, rects{trafficID: {0, 1, 100, 26}, detailID: {100, 1, 60, 26}, stderrID: {0, 27, 160, 5}}},
		{"120x36", at(120, 36), stacked, rects{trafficID: {0, 1, 120, 21}, detailID: {0, 22, 120, 7}, stderrID: {0, 29, 120, 3}, eventsID: {0, 32, 120, 3}}},
		{"120x36 stderr", with(at(120, 36), func(a *arrangement) { a.focus = stderrID }), stacked, rects{trafficID: {0, 1, 120, 19}, detailID: {0, 20, 120, 7}, stderrID: {0, 27, 120, 5}, eventsID: {0, 32, 120, 3}}},
		{"120x36 events", with(at(120, 36), func(a *arrangement) { a.focus, a.log = eventsID, eventsID }), stacked, rects{trafficID: {0, 1, 120, 19}, detailID: {0, 20, 120, 7}, stderrID: {0, 27, 120, 3}, eventsID: {0, 30, 120, 5}}},
		{"120x36 events alone", with(at(120, 36), func(a *arrangement) { a.focus, a.log, a.alone = eventsID, eventsID, true }), stacked, rects{eventsID: {0, 1, 120, 34}}},
		{"120x36 together", with(at(120, 36), func(a *arrangement) { a.logs = LogTogether }), stacked, rects{trafficID: {0, 1, 120, 22}, detailID: {0, 23, 120, 7}, stderrID: {0, 30, 120, 5}}},
		{"120x60", at(120, 60), stacked, rects{trafficID: {0, 1, 120, 40}, detailID: {0, 41, 120, 12}, stderrID: {0, 53, 120, 3}, eventsID: {0, 56, 120, 3}}},
		{"120x30", at(120, 30), stacked, rects{trafficID: {0, 1, 120, 16}, detailID: {0, 17, 120, 7}, stderrID: {0, 24, 120, 5}}},
		{"120x30 in panes", with(at(120, 30), func(a *arrangement) { a.logs = LogInPanes }), stacked, rects{trafficID: {0, 1, 120, 15}, detailID: {0, 16, 120, 7}, stderrID: {0, 23, 120, 3}, eventsID: {0, 26, 120, 3}}},
		{"120x18 in panes, too low", with(at(120, 18), func(a *arrangement) { a.logs, a.verdict, a.player = LogInPanes, 3, 1 }), stacked, rects{trafficID: {0, 4, 120, 4}, detailID: {0, 8, 120, 5}, stderrID: {0, 13, 120, 3}}},
		{"110x16", at(110, 16), stacked, rects{trafficID: {0, 1, 110, 4}, detailID: {0, 5, 110, 7}, stderrID: {0, 12, 110, 3}}},
		{"80x40", at(80, 40), stacked, rects{trafficID: {0, 1, 80, 27}, detailID: {0, 28, 80, 6}, stderrID: {0, 34, 80, 5}}},
		{"80x40 in panes", with(at(80, 40), func(a *arrangement) { a.logs = LogInPanes }), stacked, rects{trafficID: {0, 1, 80, 27}, detailID: {0, 28, 80, 6}, stderrID: {0, 34, 80, 5}}},
		{"80x24", at(80, 24), stacked, rects{trafficID: {0, 1, 80, 15}, detailID: {0, 16, 80, 6}}},
		{"80x24 at the moment", with(at(80, 24), func(a *arrangement) { a.moment = true }), stacked, rects{trafficID: {0, 1, 80, 12}, detailID: {0, 13, 80, 6}, stderrID: {0, 19, 80, 4}}},
		{"80x24 events", with(at(80, 24), func(a *arrangement) { a.focus, a.log = eventsID, eventsID }), stacked, rects{trafficID: {0, 1, 80, 12}, detailID: {0, 13, 80, 6}, eventsID: {0, 19, 80, 4}}},
		{"80x16 stderr", with(at(80, 16), func(a *arrangement) { a.focus = stderrID }), stacked, rects{trafficID: {0, 1, 80, 5}, detailID: {0, 6, 80, 6}, stderrID: {0, 12, 80, 3}}},
		{"80x16 stderr, too low", with(at(80, 16), func(a *arrangement) { a.focus, a.verdict, a.player = stderrID, 3, 1 }), stacked, rects{stderrID: {0, 4, 80, 10}}},
		{"79x24", at(79, 24), stacked, rects{trafficID: {0, 1, 79, 15}, detailID: {0, 16, 79, 6}}},
		{"69x24", at(69, 24), single, rects{trafficID: {0, 1, 69, 20}}},
		{"60x20", at(60, 20), single, rects{trafficID: {0, 1, 60, 16}}},
		{"60x20 detail", with(at(60, 20), func(a *arrangement) { a.focus = detailID }), single, rects{detailID: {0, 1, 60, 18}}},
		{"60x20 stderr", with(at(60, 20), func(a *arrangement) { a.focus = stderrID }), single, rects{stderrID: {0, 1, 60, 18}}},
		{"200x15", at(200, 15), single, rects{trafficID: {0, 1, 200, 11}}},
		{"40x10", at(40, 10), single, rects{trafficID: {0, 1, 40, 6}}},
		{"40x10 verdict", with(at(40, 10), func(a *arrangement) { a.verdict = 2 }), single, rects{trafficID: {0, 3, 40, 4}}},
		{"40x10 verdict, player", with(at(40, 10), func(a *arrangement) { a.verdict, a.player = 3, 1 }), single, rects{trafficID: {0, 4, 40, 4}}},
		{"39x9", at(39, 9), tooSmall, nil},
		{"200x9", at(200, 9), tooSmall, nil},
		{"39x60", at(39, 60), tooSmall, nil},
		{"0x0", at(0, 0), tooSmall, nil},
		{"120x36 sessions", with(at(120, 36), func(a *arrangement) { a.sessions = true }), stacked, rects{trafficID: {0, 2, 120, 20}, detailID: {0, 22, 120, 7}, stderrID: {0, 29, 120, 3}, eventsID: {0, 32, 120, 3}}},
		{"80x24 sessions", with(at(80, 24), func(a *arrangement) { a.sessions = true }), stacked, rects{trafficID: {0, 2, 80, 14}, detailID: {0, 16, 80, 6}}},
		{"80x24 sessions focused", with(at(80, 24), func(a *arrangement) { a.sessions, a.focus = true, sessionsID }), stacked, rects{sessionsID: {0, 1, 24, 21}, trafficID: {24, 1, 56, 15}, detailID: {24, 16, 56, 6}}},
		{"60x20 sessions focused", with(at(60, 20), func(a *arrangement) { a.sessions, a.focus = true, sessionsID }), single, rects{sessionsID: {0, 1, 60, 18}}},
		{"200x60 splits", with(at(200, 60), func(a *arrangement) { a.splits = splits{detail: 50, log: 10, events: 30} }), wide, rects{trafficID: {0, 1, 150, 48}, detailID: {150, 1, 50, 48}, stderrID: {0, 49, 170, 10}, eventsID: {170, 49, 30, 10}}},
		{"120x36 splits", with(at(120, 36), func(a *arrangement) { a.splits = splits{detailRows: 9, log: 11, events: 30} }), stacked, rects{trafficID: {0, 1, 120, 14}, detailID: {0, 15, 120, 9}, stderrID: {0, 24, 120, 6}, eventsID: {0, 30, 120, 5}}},
		{"120x36 splits too large", with(at(120, 36), func(a *arrangement) { a.splits = splits{detailRows: 500, log: 500} }), stacked, rects{trafficID: {0, 1, 120, 4}, detailID: {0, 5, 120, 5}, stderrID: {0, 10, 120, 13}, eventsID: {0, 23, 120, 12}}},
		{"120x36 splits too small", with(at(120, 36), func(a *arrangement) { a.splits = splits{detailRows: 1, log: 1} }), stacked, rects{trafficID: {0, 1, 120, 30}, detailID: {0, 31, 120, 3}}},
		{"80x24 splits", with(at(80, 24), func(a *arrangement) { a.splits = splits{detailRows: 9, log: 6} }), stacked, rects{trafficID: {0, 1, 80, 7}, detailID: {0, 8, 80, 9}, stderrID: {0, 17, 80, 6}}},
		{"120x36 zoom", with(at(120, 36), func(a *arrangement) { a.zoom, a.focus = true, eventsID }), stacked, rects{eventsID: {0, 1, 120, 34}}},
		{"80x24 zoom", with(at(80, 24), func(a *arrangement) { a.zoom = true }), stacked, rects{trafficID: {0, 1, 80, 22}}},
		{"120x36 composing", with(at(120, 36), func(a *arrangement) { a.composing = true }), stacked, rects{trafficID: {0, 1, 120, 12}, detailID: {0, 13, 120, 7}, stderrID: {0, 20, 120, 3}, eventsID: {0, 23, 120, 3}, composerID: {0, 26, 120, 9}}},
		{"120x36 composer", with(at(120, 36), func(a *arrangement) { a.composing, a.splits.composer = true, 20 }), stacked, rects{trafficID: {0, 1, 120, 4}, detailID: {0, 5, 120, 5}, stderrID: {0, 10, 120, 3}, eventsID: {0, 13, 120, 2}, composerID: {0, 15, 120, 20}}},
		{"120x20 composing", with(at(120, 20), func(a *arrangement) { a.composing = true }), stacked, rects{trafficID: {0, 1, 120, 4}, detailID: {0, 5, 120, 5}, stderrID: {0, 10, 120, 2}, composerID: {0, 12, 120, 7}}},
		{"80x24 composing", with(at(80, 24), func(a *arrangement) { a.composing = true }), stacked, rects{composerID: {0, 1, 80, 22}}},
		{"60x20 composing", with(at(60, 20), func(a *arrangement) { a.composing = true }), single, rects{composerID: {0, 1, 60, 18}}},
		{"120x36 verdict", with(at(120, 36), func(a *arrangement) { a.verdict = 2 }), stacked, rects{trafficID: {0, 3, 120, 19}, detailID: {0, 22, 120, 7}, stderrID: {0, 29, 120, 3}, eventsID: {0, 32, 120, 3}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := arrange(tc.in)
			require.Equal(t, tc.mode, l.mode)
			for id, r := range l.pane {
				got := [4]int{r.X, r.Y, r.W, r.H}
				require.Equal(t, tc.want[paneID(id)], got, "pane %d", id)
			}
		})
	}
}

// maxCauseLines is the maximum height of the likely causes.
const maxCauseLines = 3

// TestArrangeCoversTheScreen checks for every size and state that each cell
// belongs to exactly one area, and that every pane has room below its rule.
func TestArrangeCoversTheScreen(t *testing.T) {
	chosen := []splits{{}, {1, 1, 1, 1, 1}, {999, 999, 999, 999, 999}}
	for _, composing := range []bool{false, true} {
		for _, zoom := range []bool{false, true} {
			for w := minWidth; w <= 220; w += 3 {
				for h := minHeight; h <= 70; h++ {
					l := arrange(arrangement{
						width: w, height: h, focus: []paneID{trafficID, detailID, sessionsID, stderrID, eventsID}[w%5], log: eventsID, zoom: zoom, sessions: h%2 == 0,
						composing: composing, verdict: h % (maxCauseLines + 1), splits: chosen[(w+h)%3], logs: []LogPanes{logAuto, LogTogether, LogInPanes}[h%3], player: w % 3,
					})
					cells := 0
					for _, r := range append(l.pane[:], l.header, l.verdict, l.names, l.detail, l.log, l.player, l.footer) {
						require.False(t, r.W > 0 && r.H > 0 && (r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h), "%dx%d: %v", w, h, r)
						if !r.Empty() {
							cells += r.W * r.H
						}
					}
					require.Equal(t, w*h, cells, "%dx%d zoom=%v composing=%v: %+v", w, h, zoom, composing, l)
					for id, r := range l.pane {
						require.False(t, !r.Empty() && r.Body().Empty(), "%dx%d: pane %d has no inner room: %v", w, h, id, r)
					}
				}
			}
		}
	}
}

var splitTests = map[string]actionTest{
	actLarger:  resizes(actLarger, 1),
	actSmaller: resizes(actSmaller, -1),
}

// resizes returns a test that an action changes the size of the focused pane.
func resizes(id string, by int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		for pane, step := range map[paneID][2]int{trafficID: {columnStep, 0}, detailID: {columnStep, 0}, stderrID: {0, rowStep}} {
			d.focusOn(pane)
			before := d.panes.layout.pane[pane]
			d.do(id)
			after := d.panes.layout.pane[pane]
			require.Equal(t, before.W+by*step[0], after.W, pane)
			require.Equal(t, before.H+by*step[1], after.H, pane)
			requireExact(t, d.content(), 160, 36)
		}
		d.do(actZoom, id)
		require.Contains(t, d.rows()[35], "x that pane is not on the screen")
	}
}

// TestResizeStacked checks that on a narrow screen the detail pane grows upwards.
func TestResizeStacked(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Equal(t, 6, d.panes.layout.pane[detailID].H)
		d.do(actDetail, actLarger, actLarger)
		require.Equal(t, 8, d.panes.layout.pane[detailID].H)
		d.do(actStderr)
		for range 20 {
			d.do(actLarger)
		}
		require.Equal(t, 13, d.panes.layout.pane[stderrID].H)
		require.Equal(t, 9, d.panes.layout.pane[trafficID].H+d.panes.layout.pane[detailID].H)
		require.Equal(t, 13, d.panes.splits.log)
		d.do(actSmaller)
		require.Equal(t, 12, d.panes.layout.pane[stderrID].H, "a size that did not fit is not kept")
	})
}
