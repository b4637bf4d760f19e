package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArrange(t *testing.T) {
	type rects map[paneID][4]int // x, y, width, height
	at := func(w, h int) arrangement {
		return arrangement{width: w, height: h, focus: trafficID, strip: stderrID}
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
		{"120x36", at(120, 36), stacked, rects{trafficID: {0, 1, 120, 16}, detailID: {0, 17, 120, 13}, stderrID: {0, 30, 60, 5}, eventsID: {60, 30, 60, 5}}},
		{"110x16", at(110, 16), stacked, rects{trafficID: {0, 1, 110, 7}, detailID: {0, 8, 110, 6}}},
		{"160x36", at(160, 36), wide, rects{trafficID: {0, 1, 100, 29}, detailID: {100, 1, 60, 29}, stderrID: {0, 30, 80, 5}, eventsID: {80, 30, 80, 5}}},
		{"69x24", at(69, 24), single, rects{trafficID: {0, 2, 69, 21}}},
		{"109x36", at(109, 36), stacked, rects{trafficID: {0, 1, 109, 16}, detailID: {0, 17, 109, 13}, stderrID: {0, 30, 54, 5}, eventsID: {54, 30, 55, 5}}},
		{"80x24", at(80, 24), stacked, rects{trafficID: {0, 1, 80, 14}, detailID: {0, 15, 80, 7}}},
		{"80x24 events", with(at(80, 24), func(a *arrangement) { a.strip = eventsID }), stacked, rects{trafficID: {0, 1, 80, 14}, detailID: {0, 15, 80, 7}}},
		{"80x24 stderr focused", with(at(80, 24), func(a *arrangement) { a.focus = stderrID }), stacked, rects{trafficID: {0, 1, 80, 10}, detailID: {0, 11, 80, 7}, stderrID: {0, 18, 80, 5}}},
		{"120x36 quiet", with(at(120, 36), func(a *arrangement) { a.quiet = true }), stacked, rects{trafficID: {0, 1, 120, 19}, detailID: {0, 20, 120, 14}}},
		{"79x24", at(79, 24), stacked, rects{trafficID: {0, 1, 79, 14}, detailID: {0, 15, 79, 7}}},
		{"120x36 sessions", with(at(120, 36), func(a *arrangement) { a.sessions = true }), stacked, rects{trafficID: {0, 2, 120, 16}, detailID: {0, 18, 120, 12}, stderrID: {0, 30, 60, 5}, eventsID: {60, 30, 60, 5}}},
		{"110x16 sessions", with(at(110, 16), func(a *arrangement) { a.sessions = true }), stacked, rects{trafficID: {0, 1, 110, 7}, detailID: {0, 8, 110, 6}}},
		{"80x24 sessions", with(at(80, 24), func(a *arrangement) { a.sessions = true }), stacked, rects{trafficID: {0, 2, 80, 13}, detailID: {0, 15, 80, 7}}},
		{"80x24 sessions focused", with(at(80, 24), func(a *arrangement) { a.sessions, a.focus = true, sessionsID }), stacked, rects{sessionsID: {0, 1, 24, 21}, trafficID: {24, 1, 56, 14}, detailID: {24, 15, 56, 7}}},
		{"60x20 sessions focused", with(at(60, 20), func(a *arrangement) { a.sessions, a.focus = true, sessionsID }), single, rects{sessionsID: {0, 2, 60, 17}}},
		{"120x36 splits", with(at(120, 36), func(a *arrangement) { a.splits = splits{detail: 50, strip: 10, events: 30} }), stacked, rects{trafficID: {0, 1, 120, 14}, detailID: {0, 15, 120, 10}, stderrID: {0, 25, 90, 10}, eventsID: {90, 25, 30, 10}}},
		{"120x36 splits too large", with(at(120, 36), func(a *arrangement) { a.splits = splits{detail: 500, strip: 500, events: 500} }), stacked, rects{trafficID: {0, 1, 120, 5}, detailID: {0, 6, 120, 4}, stderrID: {0, 10, 24, 25}, eventsID: {24, 10, 96, 25}}},
		{"120x36 splits too small", with(at(120, 36), func(a *arrangement) { a.splits = splits{detail: 1, strip: 1, events: 1} }), stacked, rects{trafficID: {0, 1, 120, 19}, detailID: {0, 20, 120, 14}}},
		{"80x24 splits", with(at(80, 24), func(a *arrangement) { a.splits = splits{detailRows: 9, strip: 6} }), stacked, rects{trafficID: {0, 1, 80, 7}, detailID: {0, 8, 80, 9}, stderrID: {0, 17, 80, 6}}},
		{"120x36 composer", with(at(120, 36), func(a *arrangement) { a.composing, a.splits.composer = true, 20 }), stacked, rects{trafficID: {0, 1, 120, 5}, detailID: {0, 6, 120, 4}, stderrID: {0, 10, 60, 5}, eventsID: {60, 10, 60, 5}, composerID: {0, 15, 120, 20}}},
		{"200x15", at(200, 15), single, rects{trafficID: {0, 2, 200, 12}}},
		{"60x20 detail", with(at(60, 20), func(a *arrangement) { a.focus = detailID }), single, rects{detailID: {0, 2, 60, 17}}},
		{"40x10", at(40, 10), single, rects{trafficID: {0, 2, 40, 7}}},
		{"39x9", at(39, 9), tooSmall, nil},
		{"200x9", at(200, 9), tooSmall, nil},
		{"39x60", at(39, 60), tooSmall, nil},
		{"0x0", at(0, 0), tooSmall, nil},
		{"120x36 zoom", with(at(120, 36), func(a *arrangement) { a.zoom, a.focus = true, eventsID }), stacked, rects{eventsID: {0, 1, 120, 34}}},
		{"80x24 zoom", with(at(80, 24), func(a *arrangement) { a.zoom = true }), stacked, rects{trafficID: {0, 1, 80, 22}}},
		{"120x36 composing", with(at(120, 36), func(a *arrangement) { a.composing = true }), stacked, rects{trafficID: {0, 1, 120, 11}, detailID: {0, 12, 120, 9}, stderrID: {0, 21, 60, 5}, eventsID: {60, 21, 60, 5}, composerID: {0, 26, 120, 9}}},
		{"120x20 composing", with(at(120, 20), func(a *arrangement) { a.composing = true }), stacked, rects{trafficID: {0, 1, 120, 5}, detailID: {0, 6, 120, 5}, composerID: {0, 12, 120, 7}}},
		{"80x24 composing", with(at(80, 24), func(a *arrangement) { a.composing = true }), stacked, rects{composerID: {0, 1, 80, 22}}},
		{"120x36 verdict", with(at(120, 36), func(a *arrangement) { a.verdict = 2 }), stacked, rects{trafficID: {0, 3, 120, 15}, detailID: {0, 18, 120, 12}, stderrID: {0, 30, 60, 5}, eventsID: {60, 30, 60, 5}}},
		{"40x10 verdict", with(at(40, 10), func(a *arrangement) { a.verdict = 2 }), single, rects{trafficID: {0, 4, 40, 5}}},
		{"60x20 composing", with(at(60, 20), func(a *arrangement) { a.composing = true }), single, rects{composerID: {0, 2, 60, 17}}},
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
						width: w, height: h, focus: []paneID{detailID, sessionsID}[w%2], strip: eventsID, zoom: zoom, sessions: h%2 == 0,
						composing: composing, verdict: h % (maxCauseLines + 1), splits: chosen[(w+h)%3],
					})
					cells := 0
					for _, r := range append(l.pane[:], l.header, l.verdict, l.names, l.tabs, l.strip, l.footer) {
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
