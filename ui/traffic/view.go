package traffic

import (
	"fmt"
	"slices"

	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/workspace"
)

// A listing chooses the rows that the traffic pane shows.
type listing struct {
	view   View
	filter *filter.Filter
}

// A View is a way in which the traffic pane shows a log.
type View uint8

// The views.
const (
	Exchanges View = iota // a row for each exchange
	Wire                  // a row for each message
	All                   // a row for each entry: messages, stderr lines and events
	viewCount
)

var viewNames = [viewCount]string{"exchanges", "wire", "all"}

// String returns the name of the view, as settings spell it.
func (v View) String() string { return viewNames[v] }

// ParseView returns the view with a name; "" is the first.
func ParseView(name string) (View, error) {
	if name == "" {
		return Exchanges, nil
	}
	if i := slices.Index(viewNames[:], name); i >= 0 {
		return View(i), nil
	}
	return 0, fmt.Errorf("unknown view %q: exchanges, wire or all", name)
}

// plain reports whether the listing shows a list of the index, without a scan.
func (l listing) plain() bool { return l.view != All && l.filter == nil }

// lists reports whether the listing considers entries of a kind: messages and stray
// lines always, others if they are interleaved or the filter names them.
func (l listing) lists(kind session.Kind) bool {
	switch {
	case kind == session.KindStdin, kind == session.KindStdout, l.view == All, l.filter.NamesKind(kind):
		return true
	}
	return false
}

// hides reports whether a row of a listed kind has nothing to show: the end of a
// stderr line whose text was shown before. The view of all shows all rows.
func (l listing) hides(row *session.Row) bool {
	return row.Flags&session.FlagLineEnd != 0 && row.Kind == session.KindStderr && l.view != All
}

// joins reports whether a row has no row of its own: a response in the row of its
// exchange.
func (l listing) joins(number int, row *session.Row) bool {
	return l.view == Exchanges && workspace.Answers(number, row)
}
