package ui

import "mcpdbg/ui/paint"

// A pane is one of the rectangles that can have the keys.
type pane interface {
	setSize(w, h int)
	// move carries out an action that changes what is looked at; it returns
	// false for one that means nothing to the pane.
	move(action string) bool
	paint(out *paint.Lines, focused bool)
	// titles are what stands in the upper border, left and right.
	titles() (left, right string)
}

func (a *App) pane(id paneID) pane {
	switch id {
	case sessionsID:
		return a.sessions
	case detailID:
		return a.detail
	}
	return a.lists(id)
}

// lists returns a pane that lists rows.
func (a *App) lists(id paneID) lister {
	switch id {
	case stderrID:
		return a.stderr
	case eventsID:
		return a.events
	}
	return a.traffic
}

// A lister is a pane that lists rows of the log.
type lister interface {
	pane
	Cursor() (row int, ok bool)
	Select(row int)
	SetFollow(on bool)
	Following() bool
}

// mark has a pane painted again.
func (a *App) mark(id paneID) {
	a.dirty[id], a.stale = true, true
}

func (a *App) markAll() {
	for id := range a.dirty {
		a.dirty[id] = true
	}
	a.stale = true
}
