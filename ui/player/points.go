package player

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

var pointNames = [workspace.PointKinds]string{workspace.ErrorPoint: "error", workspace.LagPoint: "lag", workspace.GapPoint: "gap", workspace.ExitPoint: "exit", workspace.MarkPoint: "mark"}

// jump goes to the next (1) or previous (-1) point of any kind.
func (s *State) jump(c host.Context, by int) tea.Cmd {
	found, ok := 0, false
	for kind := range workspace.PointKinds {
		row, there := s.pointFrom(c, kind, by)
		if there && (!ok || (row-found)*by < 0) {
			found, ok = row, true
		}
	}
	if !ok {
		c.Host.Notify("nothing to jump to " + whichWay(by))
		return nil
	}
	return s.GoTo(c, found)
}

// jumpTo goes to the next (1) or previous (-1) point of a kind.
func (s *State) jumpTo(c host.Context, kind workspace.PointKind, by int) tea.Cmd {
	row, ok := s.pointFrom(c, kind, by)
	if !ok {
		c.Host.Notify("no " + pointNames[kind] + " " + whichWay(by))
		return nil
	}
	return s.GoTo(c, row)
}

func (s *State) jumpToFirst(c host.Context, kind workspace.PointKind) tea.Cmd {
	list := points(c, kind)
	if len(list) == 0 {
		c.Host.Notify("there is no " + pointNames[kind])
		return nil
	}
	return s.GoTo(c, int(list[0]))
}

func whichWay(by int) string {
	if by > 0 {
		return "after this"
	}
	return "before this"
}

// pointFrom returns the next or previous point of a kind, seen from the last row
// shown. If the whole recording is shown, it searches from the selected row, or
// from the beginning.
func (s *State) pointFrom(c host.Context, kind workspace.PointKind, by int) (row int, ok bool) {
	list, p := points(c, kind), c.Workspace.Playback
	shown := p.Player.Rows()
	switch {
	case p.Past != nil:
	case by > 0:
		shown = s.fromHere(c, 0)
	default:
		shown = s.fromHere(c, c.Workspace.Whole.Index.Scanned+1)
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
