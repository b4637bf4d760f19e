package ui

import (
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

// A paneID identifies a pane, by the number of the key that focuses it.
type paneID uint8

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

// panes lists the panes that tab cycles through, in order.
var panes = []paneID{sessionsID, trafficID, detailID, stderrID, eventsID}

type mode uint8

// The modes, from the largest screen to the smallest.
const (
	wide     mode = iota // traffic and detail side by side, over a strip for stderr and events
	stacked              // traffic, detail and the strip, with one of the two where it is narrow
	single               // one pane, with tabs
	tooSmall             // one line of text
)

// The sizes at which the modes begin.
const (
	wideWidth    = 160
	bothWidth    = 100 // stderr and events side by side in the strip
	stackedWidth = 70
	minWidth     = 40
	minHeight    = 10
	openHeight   = 30 // from this height the strip is open without the focus
)

// The minimum sizes of panes, with their rules, and fixed sizes.
const (
	sessionsWidth = 24
	detailWidth   = 34
	trafficWidth  = 40
	halfWidth     = 24 // of stderr or events, side by side
	upperHeight   = 9  // of everything above the strip
	stripHeight   = 2
	detailHeight  = 3
	trafficHeight = 4
	composeHeight = 5
)

type arrangement struct {
	width, height int
	focus         paneID // among the panes; the composer does not count
	strip         paneID // stderr or events: the pane in the strip if there is only one
	zoom          bool   // the focused pane alone
	sessions      bool   // there are several, named in a line
	quiet         bool   // stderr and events say nothing
	composing     bool
	filling       bool // the composer shows a form, which needs more room
	verdict       int  // lines below the header
	calls         int  // lines above the footer
	player        bool
	splits        splits
}

// splits are the sizes that the user chose, in cells; zero means the default. Larger
// sizes than fit are reduced; a strip of one row shows only titles.
type splits struct {
	detail     int // columns of the detail pane, right of the traffic
	detailRows int // its rows, below the traffic
	strip      int // rows of stderr and events
	events     int // columns of the events, right of stderr
	composer   int
}

// layout is the position of everything on the screen. A hidden pane has an empty
// rectangle.
type layout struct {
	mode    mode
	header  paint.Rect
	verdict paint.Rect // below the header, if any
	tabs    paint.Rect // only in mode single
	names   paint.Rect // of several sessions
	strip   paint.Rect // the titles of stderr and events, while both are closed
	player  paint.Rect // above the footer, of a recording
	calls   paint.Rect // above the footer, while calls are pending
	footer  paint.Rect
	pane    [paneCount]paint.Rect
}

// arrange divides the screen. The result depends only on its argument.
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
	if a.sessions && a.focus != sessionsID && screen.H >= kit.PanesHeight {
		l.names, screen = screen.CutTop(1)
	}
	if l.mode == single {
		l.tabs, screen = screen.CutTop(1)
	}
	if a.composing {
		if l.mode == single || l.mode == stacked && (a.width < bothWidth || screen.H < upperHeight+7) {
			l.pane[composerID] = screen
			return l
		}
		usual := kit.Between(7, a.height/4, 14)
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
	top, bottom := l.cutStrip(screen, a)
	l.divideStrip(bottom, a)
	top = l.cutSessions(top, a)
	detail := splitSize(a.splits.detail, max(60, a.width*38/100), detailWidth, top.W-trafficWidth)
	l.pane[detailID], l.pane[trafficID] = top.CutRight(detail)
}

func (l *layout) arrangeStacked(screen paint.Rect, a arrangement) {
	top, bottom := l.cutStrip(screen, a)
	top = l.cutSessions(top, a)
	usual := min(7, top.H/2)
	if a.width >= bothWidth {
		usual = max(top.H*45/100, min(9, top.H/2))
		l.divideStrip(bottom, a)
	} else {
		l.pane[a.strip] = bottom
	}
	detail := splitSize(a.splits.detailRows, usual, detailHeight, top.H-trafficHeight)
	l.pane[detailID], l.pane[trafficID] = top.CutBottom(detail)
}

// cutSessions cuts the list of sessions off the left, while it has the focus.
func (l *layout) cutSessions(screen paint.Rect, a arrangement) (rest paint.Rect) {
	if a.focus == sessionsID {
		l.pane[sessionsID], screen = screen.CutLeft(sessionsWidth)
	}
	return screen
}

// cutStrip cuts the strip off the bottom, unless too little remains above. While it is
// quiet or the screen is low, only its titles are left, unless it has the focus or the
// user chose a size.
func (l *layout) cutStrip(screen paint.Rect, a arrangement) (top, bottom paint.Rect) {
	most := screen.H - upperHeight
	if most < stripHeight {
		return screen, paint.Rect{}
	}
	focused := a.focus == stderrID || a.focus == eventsID
	if !focused && (a.splits.strip == 1 || a.splits.strip == 0 && (a.quiet || a.height < openHeight)) {
		l.strip, top = screen.CutBottom(1)
		return top, bottom
	}
	bottom, top = screen.CutBottom(splitSize(a.splits.strip, kit.Between(5, a.height/8, 10), stripHeight, most))
	return top, bottom
}

func (l *layout) divideStrip(strip paint.Rect, a arrangement) {
	events := splitSize(a.splits.events, a.width-a.width/2, halfWidth, a.width-halfWidth)
	l.pane[eventsID], l.pane[stderrID] = strip.CutRight(events)
}

func modeOf(width, height int) mode {
	switch {
	case width < minWidth || height < minHeight:
		return tooSmall
	case width < stackedWidth || height < kit.PanesHeight:
		return single
	case width < wideWidth:
		return stacked
	}
	return wide
}

// splitSize returns the chosen size, or the default, within limits.
func splitSize(wanted, usual, least, most int) int {
	if wanted == 0 {
		wanted = usual
	}
	return kit.Between(least, wanted, most)
}
