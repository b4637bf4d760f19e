package ui

import "mcpdbg/ui/grid"

// A paneID names a pane. The numbers are those of the keys that lead there; 1
// is kept for the list of sessions.
type paneID uint8

// The panes.
const (
	noPane     paneID = 0
	trafficID  paneID = 2
	detailID   paneID = 3
	stderrID   paneID = 4
	eventsID   paneID = 5
	composerID paneID = 6
	paneCount         = 7
)

// panes are those that tab goes through, in this order.
var panes = []paneID{trafficID, detailID, stderrID, eventsID}

// A mode is one of the ways to divide the screen.
type mode uint8

// The modes, from the largest screen to the smallest.
const (
	wide     mode = iota // traffic and detail side by side, over stderr and events
	stacked              // traffic, detail, and one strip for stderr or events
	single               // one pane, with tabs
	tooSmall             // one line of text
)

// The sizes at which the modes begin.
const (
	wideWidth    = 110
	stackedWidth = 80
	panesHeight  = 16 // below there is one pane, however wide the screen
	minWidth     = 40
	minHeight    = 10
)

// arrangement is what the layout depends on.
type arrangement struct {
	width, height int
	focus         paneID // of the panes; the composer does not count
	strip         paneID // stderr or events: which of them the one strip shows
	zoom          bool   // the focused pane alone
	composing     bool
	verdict       int // lines below the header
}

// layout is where everything is on the screen. A pane with an empty rectangle
// is not shown.
type layout struct {
	mode    mode
	header  grid.Rect
	verdict grid.Rect // below the header, if there is one
	tabs    grid.Rect // only in mode single
	footer  grid.Rect
	pane    [paneCount]grid.Rect
}

// arrange divides the screen. It depends on nothing but its argument.
func arrange(a arrangement) layout {
	screen := grid.Rect{W: a.width, H: a.height}
	l := layout{mode: modeOf(a.width, a.height)}
	if l.mode == tooSmall {
		return l
	}
	l.header, screen = screen.CutTop(1)
	l.footer, screen = screen.CutBottom(1)
	l.verdict, screen = screen.CutTop(a.verdict)
	if l.mode == single {
		l.tabs, screen = screen.CutTop(1)
	}
	if a.composing {
		if l.mode != wide {
			l.pane[composerID] = screen
			return l
		}
		l.pane[composerID], screen = screen.CutBottom(between(7, a.height/4, 14))
	}
	switch {
	case a.zoom || l.mode == single:
		l.pane[a.focus] = screen
	case l.mode == wide:
		top, bottom := cutStrip(screen, between(4, a.height/6, 12))
		l.pane[trafficID], l.pane[detailID] = top.CutLeft(a.width - between(34, a.width*3/10, 100))
		l.pane[stderrID], l.pane[eventsID] = bottom.CutLeft(a.width / 2)
	default:
		top, bottom := cutStrip(screen, between(4, a.height/6, 8))
		l.pane[detailID], l.pane[trafficID] = top.CutBottom(top.H / 3)
		l.pane[a.strip] = bottom
	}
	return l
}

func modeOf(width, height int) mode {
	switch {
	case width < minWidth || height < minHeight:
		return tooSmall
	case width < stackedWidth || height < panesHeight:
		return single
	case width < wideWidth:
		return stacked
	}
	return wide
}

// cutStrip takes height lines from the bottom, unless too little is left for
// the panes above.
func cutStrip(screen grid.Rect, height int) (top, bottom grid.Rect) {
	const enough = 9
	if screen.H-height < enough {
		return screen, grid.Rect{}
	}
	bottom, top = screen.CutBottom(height)
	return top, bottom
}

func between(low, n, high int) int { return min(max(n, low), high) }
