package ui

import (
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

const (
	actLarger  = "higher"
	actSmaller = "lower"
)

// How far one key moves a border, in cells.
const (
	columnStep = 4
	rowStep    = 1
)

func splitActions(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actSmaller, Keys: []string{"{"}, Scope: keymap.Global, Title: "smaller pane", Synonyms: []string{"narrower", "shorter"}, Help: "Make the focused pane smaller."}, Do: of.run(func(s *sessionScreen) { s.app.growPane(-1) })},
		{Entry: host.Entry{ID: actLarger, Keys: []string{"}"}, Scope: keymap.Global, Title: "larger pane", Synonyms: []string{"wider", "taller"}, Help: "Make the focused pane larger."}, Do: of.run(func(s *sessionScreen) { s.app.growPane(1) })},
	}
}

// growPane enlarges (1) or shrinks (-1) the focused pane. The traffic has what the detail
// pane leaves.
func (a *App) growPane(by int) {
	if isLog(a.panes.focus) {
		a.grow(logEdge, by*rowStep)
		return
	}
	if a.panes.focus != detailID {
		by = -by
	}
	if a.panes.layout.mode == stacked {
		a.grow(detailTopEdge, by*rowStep)
		return
	}
	a.grow(detailEdge, by*columnStep)
}

type edge uint8

// The edges, named after the pane that grows when they move up or left.
const (
	noEdge        edge = iota
	detailEdge         // left of the detail pane
	detailTopEdge      // above it
	logEdge            // above stderr and events
	eventsEdge         // between stderr and events
	composerEdge       // above the composer
)

func (l *layout) edgeAt(x, y int) edge {
	for _, e := range []edge{composerEdge, logEdge, eventsEdge, detailEdge, detailTopEdge} {
		r, beside := l.bounded(e)
		switch {
		case r.Empty():
		case beside && x == r.X && y >= r.Y && y < r.Y+r.H:
			return e
		case !beside && y == r.Y && x >= r.X && x < r.X+r.W:
			return e
		}
	}
	return noEdge
}

// bounded returns the pane whose divider or rule is the edge; empty if it is not on the
// screen.
func (l *layout) bounded(e edge) (r paint.Rect, beside bool) {
	traffic, detail := l.pane[trafficID], l.pane[detailID]
	switch {
	case e == composerEdge && l.pane[composerID].Y > l.header.H+l.verdict.H+l.names.H:
		return l.pane[composerID], false
	case traffic.Empty() || detail.Empty(): // zoom, or one pane at a time
		return paint.Rect{}, false
	case e == logEdge:
		return l.logRect(), false
	case e == eventsEdge && l.mode == wide && !l.pane[stderrID].Empty() && !l.pane[eventsID].Empty():
		return l.pane[eventsID], true
	case e == detailEdge && l.mode == wide:
		return detail, true
	case e == detailTopEdge && l.mode == stacked:
		return detail, false
	}
	return paint.Rect{}, false
}

// logRect returns where stderr and events are, or their title.
func (l *layout) logRect() paint.Rect {
	stderr, events := l.pane[stderrID], l.pane[eventsID]
	switch {
	case !l.log.Empty():
		return l.log
	case stderr.Empty():
		return events
	case events.Empty():
		return stderr
	case l.mode == wide:
		return paint.Rect{X: stderr.X, Y: stderr.Y, W: stderr.W + events.W, H: stderr.H}
	}
	return paint.Rect{X: stderr.X, Y: stderr.Y, W: stderr.W, H: stderr.H + events.H}
}

func (s *splits) size(e edge) *int {
	switch e {
	case detailEdge:
		return &s.detail
	case detailTopEdge:
		return &s.detailRows
	case logEdge:
		return &s.log
	case eventsEdge:
		return &s.events
	}
	return &s.composer
}

func (a *App) dragEdge(e edge, x, y int) {
	switch r, beside := a.panes.layout.bounded(e); {
	case r.Empty(): // the screen has changed in the meantime
	case beside:
		a.setSplit(e, r.X+r.W-x)
	default:
		a.setSplit(e, r.Y+r.H-y)
	}
}

func (a *App) grow(e edge, by int) {
	r, beside := a.panes.layout.bounded(e)
	switch {
	case r.Empty():
		a.Warn("that pane is not on the screen")
	case beside:
		a.setSplit(e, r.W+by)
	default:
		a.setSplit(e, r.H+by)
	}
}

func (a *App) setSplit(e edge, cells int) {
	size := a.panes.splits.size(e)
	*size = max(cells, 1) // 0 would mean the default
	a.arrange()
	if e == logEdge && *size == 1 {
		return
	}
	if r, beside := a.panes.layout.bounded(e); beside {
		*size = r.W
	} else {
		*size = r.H
	}
}
