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
	heldID     paneID = 6
	composerID paneID = 7
	paneCount         = 8
)

// panes lists the panes that tab cycles through, in order.
var panes = []paneID{sessionsID, trafficID, detailID, stderrID, eventsID, heldID}

type mode uint8

// The modes, from the largest screen to the smallest.
const (
	wide     mode = iota // traffic and detail side by side, over the log
	stacked              // traffic, detail and the log, one below the other
	single               // the traffic over a line for each other pane, or one pane alone
	tooSmall             // one line of text
)

// The sizes at which the arrangement changes.
const (
	wideWidth    = 160
	bothWidth    = 100 // there may be a pane for stderr and one for events
	stackedWidth = 70
	minWidth     = 40
	minHeight    = 10
	openHeight   = 30 // from here on the log is always open
	bothHeight   = 34 // there are two panes for it by default
)

// The minimum sizes of panes, with their rules, and fixed sizes.
const (
	sessionsWidth = 24
	detailWidth   = 34
	trafficWidth  = 40
	halfWidth     = 24 // of stderr or events, side by side
	upperHeight   = 9  // of everything above the log
	logHeight     = 2  // of one of its panes
	detailHeight  = 3
	trafficHeight = 4
	composeHeight = 5
)

type arrangement struct {
	width, height int
	focus         paneID // among the panes; the composer does not count
	log           paneID // stderr or events: the one that had the focus last
	logs          LogPanes
	zoom          bool // the focused pane alone
	alone         bool // stderr or events alone, while it has the focus
	moment        bool // a line of the log is at the moment of the selected row
	sessions      bool // there are several, named in a line
	composing     bool
	filling       int  // rows that the composer needs for a form, 0 for a text
	verdict       int  // lines below the header
	replaying     bool // with a line above the footer
	player        int  // lines of the player
	held          int  // lines of the pane of held messages
	splits        splits
}

// splits are the sizes that the user chose, in cells; zero means the default. Larger
// sizes than fit are reduced; a log of one row shows only titles.
type splits struct {
	detail     int // columns of the detail pane, right of the traffic
	detailRows int // its rows, below the traffic
	log        int // rows of stderr and events
	events     int // columns of the events, right of stderr
	composer   int
}

// layout is the position of everything on the screen. A hidden pane has an empty
// rectangle.
type layout struct {
	mode    mode
	header  paint.Rect
	verdict paint.Rect // below the header, if any
	names   paint.Rect // of several sessions
	detail  paint.Rect // the title of the detail, in mode single
	log     paint.Rect // the title of the log, while it is closed
	player  paint.Rect // above the footer, of a recording
	marks   paint.Rect // below the player: its marks
	replay  paint.Rect // above the footer, while one runs
	footer  paint.Rect
	pane    [paneCount]paint.Rect
	both    bool // one pane has stderr and events
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
	if a.replaying {
		l.replay, screen = screen.CutBottom(1)
	}
	if a.player > 1 {
		l.marks, screen = screen.CutBottom(1)
	}
	if a.player > 0 {
		l.player, screen = screen.CutBottom(1)
	}
	if a.held > 0 && !a.zoom {
		l.pane[heldID], screen = screen.CutBottom(min(a.held, max(screen.H-trafficHeight, 1)))
	}
	if a.focus == heldID && !a.zoom {
		a.focus = trafficID // which is above it
	}
	if a.sessions && a.focus != sessionsID && screen.H >= kit.PanesHeight {
		l.names, screen = screen.CutTop(1)
	}
	if a.composing {
		if l.mode == single || l.mode == stacked && (a.width < bothWidth || screen.H < upperHeight+7) {
			l.pane[composerID] = screen
			return l
		}
		usual := kit.Between(7, a.height/4, 14)
		if a.filling > 0 {
			usual = min(a.filling, max(a.height/2, usual))
		}
		height := splitSize(a.splits.composer, usual, min(composeHeight, usual), max(screen.H-upperHeight, 7))
		l.pane[composerID], screen = screen.CutBottom(height)
	}
	l.both = !a.alone && !a.twoPanes()
	switch {
	case a.zoom, a.logFocused() && (a.alone || screen.H < upperHeight+logHeight):
		l.pane[a.focus] = screen
	case l.mode == single:
		l.arrangeSingle(screen, a)
	case l.mode == wide:
		l.arrangeWide(screen, a)
	default:
		l.arrangeStacked(screen, a)
	}
	return l
}

func (a *arrangement) logFocused() bool { return a.focus == stderrID || a.focus == eventsID }

// twoPanes reports whether stderr and events are two panes, if there is room.
func (a *arrangement) twoPanes() bool {
	if a.width < bothWidth || a.height < kit.PanesHeight || a.logs == LogTogether {
		return false
	}
	return a.height >= bothHeight || a.logs == LogInPanes
}

func (l *layout) arrangeSingle(screen paint.Rect, a arrangement) {
	if a.focus == trafficID && screen.H >= trafficHeight+2 {
		l.log, screen = screen.CutBottom(1)
		l.detail, screen = screen.CutBottom(1)
	}
	l.pane[a.focus] = screen
}

func (l *layout) arrangeWide(screen paint.Rect, a arrangement) {
	top := l.cutSessions(l.cutLog(screen, a), a)
	detail := splitSize(a.splits.detail, max(60, a.width*38/100), detailWidth, top.W-trafficWidth)
	l.pane[detailID], l.pane[trafficID] = top.CutRight(detail)
}

func (l *layout) arrangeStacked(screen paint.Rect, a arrangement) {
	top := l.cutSessions(l.cutLog(screen, a), a)
	usual := 6
	if a.width >= bothWidth {
		usual = max(a.height/5, 7)
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

// cutLog cuts stderr and events off the bottom. Of a small screen, only a line is left of
// them, unless they have the focus, have a line at the moment, or the user chose a size.
func (l *layout) cutLog(screen paint.Rect, a arrangement) (top paint.Rect) {
	most := screen.H - upperHeight
	small := a.width < bothWidth && a.height < openHeight
	closed := !a.logFocused() && (a.splits.log == 1 || a.splits.log == 0 && small && !a.moment)
	if closed || most < logHeight {
		l.log, top = screen.CutBottom(1)
		return top
	}
	usual := 1 + kit.Between(2, a.height/7, 4)
	switch two := a.twoPanes(); {
	case two && l.mode == wide:
		usual = kit.Between(5, a.height/8, 10)
	case two && a.logFocused():
		usual = 8
	case two:
		usual = 6
	}
	log, top := screen.CutBottom(splitSize(a.splits.log, usual, logHeight, most))
	l.divideLog(log, a)
	return top
}

func (l *layout) divideLog(log paint.Rect, a arrangement) {
	switch low := l.mode == stacked && log.H < 2*logHeight; {
	case !a.twoPanes(), low:
		l.both = !a.alone
		l.pane[a.log] = log
	case l.mode == wide:
		events := splitSize(a.splits.events, a.width-a.width/2, halfWidth, a.width-halfWidth)
		l.pane[eventsID], l.pane[stderrID] = log.CutRight(events)
	default:
		more := 0 // for the one with the focus
		if a.logFocused() && log.H >= 2*logHeight+2 {
			more = 2
		}
		events := (log.H - more) / 2
		if a.focus == eventsID {
			events = log.H - events
		}
		l.pane[eventsID], l.pane[stderrID] = log.CutBottom(events)
	}
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
