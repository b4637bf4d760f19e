package ui

import (
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/paint"
)

type pane interface {
	SetSize(w, h int)
	// Act moves the cursor or the view; it returns false for an action that the pane does
	// not have.
	Act(action string) bool
	Paint(out *paint.Lines, focused bool)
	Titles() (left, right string)
}

func (sc *sessionScreen) pane(id paneID) pane {
	switch id {
	case sessionsID:
		return sc.app.sessions
	case heldID:
		return sc.held
	case detailID:
		if sc.ws.Overview {
			return sc.overview
		}
		return sc.detail
	}
	return sc.lists(id)
}

// lists returns the given pane, which must list rows.
func (sc *sessionScreen) lists(id paneID) lister {
	switch list, _ := sc.listOf(id); list {
	case traffic.StderrList:
		return sc.rows.Stderr
	case traffic.EventsList:
		return sc.rows.Events
	case traffic.LogList:
		return sc.rows.Log
	}
	return sc.rows.Traffic
}

// listOf returns false for panes without rows.
func (sc *sessionScreen) listOf(id paneID) (list traffic.ListID, ok bool) {
	switch id {
	case trafficID:
		return traffic.TrafficList, true
	case stderrID, eventsID:
		if sc.app.panes.layout.both {
			return traffic.LogList, true
		}
	}
	switch id {
	case stderrID:
		return traffic.StderrList, true
	case eventsID:
		return traffic.EventsList, true
	}
	return 0, false
}

type lister interface {
	pane
	Cursor() (row int, ok bool)
	Select(row int)
	SetFollow(on bool)
	Following() bool
}

func (cv *canvas) mark(id paneID) {
	cv.dirty[id], cv.stale = true, true
}

func (cv *canvas) markAll() {
	for id := range cv.dirty {
		cv.dirty[id] = true
	}
	cv.stale = true
}
