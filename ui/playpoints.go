package ui

import (
	"sort"

	tea "charm.land/bubbletea/v2"
)

// pointNames are the words for the kinds of point.
var pointNames = [pointKinds]string{errorPoint: "error", lagPoint: "lag", gapPoint: "gap", exitPoint: "exit", markPoint: "mark"}

// jump goes to the next point of any kind (1), or to the one before (-1).
func (a *App) jump(by int) tea.Cmd {
	found, ok := 0, false
	for kind := range pointKinds {
		row, there := a.pointFrom(kind, by)
		if there && (!ok || (row-found)*by < 0) {
			found, ok = row, true
		}
	}
	if !ok {
		a.say("nothing to jump to " + whichWay(by))
		return nil
	}
	return a.goToPoint(found)
}

// jumpTo goes to the next point of a kind, or to the one before.
func (a *App) jumpTo(kind pointKind, by int) tea.Cmd {
	row, ok := a.pointFrom(kind, by)
	if !ok {
		a.say("no " + pointNames[kind] + " " + whichWay(by))
		return nil
	}
	return a.goToPoint(row)
}

// jumpToFirst goes to the first point of a kind.
func (a *App) jumpToFirst(kind pointKind) tea.Cmd {
	list := a.points(kind)
	if len(list) == 0 {
		a.say("there is no " + pointNames[kind])
		return nil
	}
	return a.goToPoint(int(list[0]))
}

func whichWay(by int) string {
	if by > 0 {
		return "from here on"
	}
	return "before"
}

// pointFrom is the next point of a kind behind the last row that is shown, or
// the one before that. Where the whole is shown, from the selected row, or its
// beginning.
func (a *App) pointFrom(kind pointKind, by int) (row int, ok bool) {
	list, p := a.points(kind), a.playback
	shown := p.player.Rows()
	switch {
	case p.past != nil:
	case by > 0:
		shown = a.fromHere(0)
	default:
		shown = a.fromHere(a.whole.index.scanned + 1)
	}
	i := sort.Search(len(list), func(i int) bool { return int(list[i]) >= shown })
	if by < 0 {
		i = sort.Search(len(list), func(i int) bool { return int(list[i]) >= shown-1 }) - 1
	}
	if i < 0 || i >= len(list) {
		return 0, false
	}
	return int(list[i]), true
}
