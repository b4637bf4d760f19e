package ui

import (
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
)

// The names of the actions on the screen itself.
const (
	actWider    = "wider"
	actNarrower = "narrower"
	actHigher   = "higher"
	actLower    = "lower"
)

// How far one key moves a border, in cells.
const (
	columnStep = 4
	rowStep    = 1
)

func splitActions() []action {
	return []action{
		{entry{ID: actWider, Keys: []string{"["}, Scope: keymap.Global, Title: "more detail", Help: "Make the detail pane larger, and the traffic smaller."}, nothing(func(a *App) { a.growDetail(1) })},
		{entry{ID: actNarrower, Keys: []string{"]"}, Scope: keymap.Global, Title: "less detail", Help: "Make the detail pane smaller."}, nothing(func(a *App) { a.growDetail(-1) })},
		{entry{ID: actHigher, Keys: []string{"{"}, Scope: keymap.Global, Title: "higher strip", Help: "Make stderr and events higher."}, nothing(func(a *App) { a.grow(stripEdge, rowStep) })},
		{entry{ID: actLower, Keys: []string{"}"}, Scope: keymap.Global, Title: "lower strip", Help: "Make stderr and events lower."}, nothing(func(a *App) { a.grow(stripEdge, -rowStep) })},
	}
}

// growDetail makes the detail pane larger (1) or smaller (-1).
func (a *App) growDetail(by int) {
	if a.layout.mode == stacked {
		a.grow(detailTopEdge, by*rowStep)
		return
	}
	a.grow(detailEdge, by*columnStep)
}

// An edge is a border between panes that can be moved.
type edge uint8

// The edges, by the pane that grows when they move up or to the left.
const (
	noEdge        edge = iota
	detailEdge         // to the left of the detail pane
	detailTopEdge      // above it
	stripEdge          // above stderr and events
	eventsEdge         // between them
	composerEdge       // above the composer
)

// edgeAt is the edge on a cell. Two panes that touch have two borders: both
// count.
func (l *layout) edgeAt(x, y int) edge {
	for _, e := range []edge{composerEdge, stripEdge, eventsEdge, detailEdge, detailTopEdge} {
		r, beside := l.bounded(e)
		switch {
		case r.Empty():
		case beside && (x == r.X || x == r.X-1) && y >= r.Y && y < r.Y+r.H:
			return e
		case !beside && (y == r.Y || y == r.Y-1) && x >= r.X && x < r.X+r.W:
			return e
		}
	}
	return noEdge
}

// bounded is what an edge is the border of: the left one, or the upper one. It
// is empty if the edge is not on the screen.
func (l *layout) bounded(e edge) (r paint.Rect, beside bool) {
	traffic, detail := l.pane[trafficID], l.pane[detailID]
	stderr, events := l.pane[stderrID], l.pane[eventsID]
	switch {
	case e == composerEdge && l.mode == wide:
		return l.pane[composerID], false
	case traffic.Empty() || detail.Empty(): // zoom, or one pane at a time
		return paint.Rect{}, false
	case e == stripEdge && (stderr.Empty() || events.Empty()):
		if stderr.Empty() {
			return events, false
		}
		return stderr, false
	case e == stripEdge:
		return paint.Rect{X: stderr.X, Y: stderr.Y, W: stderr.W + events.W, H: stderr.H}, false
	case e == eventsEdge && !stderr.Empty():
		return events, true
	case e == detailEdge && l.mode == wide:
		return detail, true
	case e == detailTopEdge && l.mode == stacked:
		return detail, false
	}
	return paint.Rect{}, false
}

// size is the chosen size that belongs to an edge.
func (s *splits) size(e edge) *int {
	switch e {
	case detailEdge:
		return &s.detail
	case detailTopEdge:
		return &s.detailRows
	case stripEdge:
		return &s.strip
	case eventsEdge:
		return &s.events
	}
	return &s.composer
}

// dragEdge moves an edge to a cell.
func (a *App) dragEdge(e edge, x, y int) {
	switch r, beside := a.layout.bounded(e); {
	case r.Empty(): // the screen has changed meanwhile
	case beside:
		a.setSplit(e, r.X+r.W-x)
	default:
		a.setSplit(e, r.Y+r.H-y)
	}
}

// grow makes what an edge bounds larger by some cells, or smaller.
func (a *App) grow(e edge, by int) {
	r, beside := a.layout.bounded(e)
	switch {
	case r.Empty():
		a.complain("there is nothing of that on the screen to resize")
	case beside:
		a.setSplit(e, r.W+by)
	default:
		a.setSplit(e, r.H+by)
	}
}

// setSplit chooses a size, as far as the screen allows it.
func (a *App) setSplit(e edge, cells int) {
	size := a.splits.size(e)
	*size = max(cells, 1) // 0 would be the usual one
	a.arrange()
	if r, beside := a.layout.bounded(e); beside {
		*size = r.W
	} else {
		*size = r.H
	}
}
