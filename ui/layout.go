package ui

import (
	"cmp"

	"mcpdbg/ui/paint"
)

// A paneID names a pane. The numbers are those of the keys that lead there.
type paneID uint8

// The panes.
const (
	noPane     paneID = 0
	sessionsID paneID = 1
	trafficID  paneID = 2
	detailID   paneID = 3
	stderrID   paneID = 4
	eventsID   paneID = 5
	composerID paneID = 6
	paneCount         = 7
)

// panes are those that tab goes through, in this order.
var panes = []paneID{sessionsID, trafficID, detailID, stderrID, eventsID}

// A mode is one of the ways to divide the screen.
type mode uint8

// The modes, from the largest screen to the smallest.
const (
	wide     mode = iota // sessions, traffic and detail side by side, over stderr and events
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

// The smallest panes, with their borders, and the size of those that have one.
const (
	sessionsWidth = 24
	detailWidth   = 34
	trafficWidth  = 40
	halfWidth     = 24 // of stderr or events, side by side
	upperHeight   = 9  // of all that is over the strip
	stripHeight   = 3
	detailHeight  = 3
	trafficHeight = 5
	composeHeight = 5
)

// arrangement is what the layout depends on.
type arrangement struct {
	width, height int
	focus         paneID // of the panes; the composer does not count
	strip         paneID // stderr or events: which of them the one strip shows
	zoom          bool   // the focused pane alone
	sessions      bool   // the list of sessions has a place where there is room
	composing     bool
	filling       bool // what is composed is a form, which takes more room
	verdict       int  // lines below the header
	calls         int  // lines above the footer
	player        bool // a line above that, of a recording
	splits        splits
}

// splits are the sizes that the person chose, in cells; zero leaves it to the
// layout. What does not fit is cut.
type splits struct {
	detail     int // columns of the detail pane, beside the traffic
	detailRows int // its rows, below the traffic
	strip      int // rows of stderr and events
	events     int // columns of the events, beside stderr
	composer   int // rows
}

// layout is where everything is on the screen. A pane with an empty rectangle
// is not shown.
type layout struct {
	mode    mode
	header  paint.Rect
	verdict paint.Rect // below the header, if there is one
	tabs    paint.Rect // only in mode single
	player  paint.Rect // above the footer, of a recording
	calls   paint.Rect // above the footer, while calls are under way
	footer  paint.Rect
	pane    [paneCount]paint.Rect
}

// arrange divides the screen. It depends on nothing but its argument.
func arrange(a arrangement) layout {
	screen := paint.Rect{W: a.width, H: a.height}
	l := layout{mode: modeOf(a.width, a.height)}
	if l.mode == tooSmall {
		return l
	}
	l.header, screen = screen.CutTop(1)
	l.footer, screen = screen.CutBottom(1)
	l.verdict, screen = screen.CutTop(a.verdict)
	l.calls, screen = screen.CutBottom(a.calls)
	if a.player {
		l.player, screen = screen.CutBottom(1)
	}
	if l.mode == single {
		l.tabs, screen = screen.CutTop(1)
	}
	if a.composing {
		if l.mode != wide {
			l.pane[composerID] = screen
			return l
		}
		usual := between(7, a.height/4, 14)
		if a.filling {
			usual = max(a.height/2, usual)
		}
		height := splitSize(a.splits.composer, usual, composeHeight, max(screen.H-upperHeight, 7))
		l.pane[composerID], screen = screen.CutBottom(height)
	}
	switch {
	case a.zoom || l.mode == single:
		l.pane[a.focus] = screen
	case l.mode == wide:
		l.arrangeWide(screen, a)
	default:
		l.arrangeStacked(screen, a)
	}
	return l
}

func (l *layout) arrangeWide(screen paint.Rect, a arrangement) {
	top, bottom := cutStrip(screen, a.splits.strip, between(4, a.height/6, 12))
	if a.sessions {
		l.pane[sessionsID], top = top.CutLeft(sessionsWidth)
	}
	detail := splitSize(a.splits.detail, between(detailWidth, a.width*3/10, 100), detailWidth, top.W-trafficWidth)
	l.pane[detailID], l.pane[trafficID] = top.CutRight(detail)
	events := splitSize(a.splits.events, a.width-a.width/2, halfWidth, a.width-halfWidth)
	l.pane[eventsID], l.pane[stderrID] = bottom.CutRight(events)
}

// arrangeStacked has no place for the list of sessions, unless it has the keys.
func (l *layout) arrangeStacked(screen paint.Rect, a arrangement) {
	top, bottom := cutStrip(screen, a.splits.strip, between(4, a.height/6, 8))
	if a.sessions && a.focus == sessionsID {
		l.pane[sessionsID], top = top.CutLeft(sessionsWidth)
	}
	detail := splitSize(a.splits.detailRows, top.H/3, detailHeight, top.H-trafficHeight)
	l.pane[detailID], l.pane[trafficID] = top.CutBottom(detail)
	l.pane[a.strip] = bottom
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

// cutStrip takes the strip from the bottom, unless too little is left for the
// panes above.
func cutStrip(screen paint.Rect, wanted, usual int) (top, bottom paint.Rect) {
	most := screen.H - upperHeight
	if most < stripHeight {
		return screen, paint.Rect{}
	}
	bottom, top = screen.CutBottom(splitSize(wanted, usual, stripHeight, most))
	return top, bottom
}

// splitSize is the size that the person wanted, or the usual one, within limits.
func splitSize(wanted, usual, least, most int) int {
	if wanted == 0 {
		wanted = usual
	}
	return between(least, wanted, most)
}

func between[N cmp.Ordered](low, n, high N) N { return min(max(n, low), high) }
