package host

import (
	"cmp"

	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
)

// Ranks are the priorities of an action among the hints by what is shown and selected.
// Zero keeps its own priority, and a negative one hides the action.
type Ranks struct {
	Moment    int // an earlier moment of a recording
	Recording int
	None      int // nothing is selected
	Running   int // the selected call
	Failed    int // the selected row
}

// HideIf is the Now of an action whose hint is hidden while a view has no use for it.
func HideIf[V any](idle func(V) bool) func(Context) (string, int) {
	return func(c Context) (string, int) {
		if v, ok := c.View.(V); ok && idle(v) {
			return "", -1
		}
		return "", 0
	}
}

// Now is the Now of an action.
func (r Ranks) Now(c Context) (title string, priority int) {
	ws := c.Workspace
	switch {
	case ws.Playback != nil && ws.Playback.Past != nil:
		return "", cmp.Or(r.Moment, r.Recording)
	case ws.Session == nil:
		return "", r.Recording
	case !ws.Selected.OK:
		return "", r.None
	case ws.Selected.Row.State == session.ReqPending:
		return "", r.Running
	case filter.IsProblem(ws.Viewed.Row):
		return "", r.Failed
	}
	return "", 0
}
