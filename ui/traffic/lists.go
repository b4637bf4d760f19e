package traffic

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A ListID identifies one of the lists of rows.
type ListID uint8

// The lists.
const (
	TrafficList ListID = iota
	StderrList
	EventsList
	LogList // both of these
)

// Lists are the lists of rows of a session, with the search in them.
type Lists struct {
	Traffic *Pane
	Stderr  *LineList
	Events  *LineList
	Log     *LineList // both, in time order
	own     ListID    // the list that the user moves in
	changed bool      // a list looks different: see look

	ws      *workspace.Workspace
	keys    titleKeys
	hits    *kit.Highlight
	Search  *search
	Finding *Find          // the running find; messages of other finds are dropped
	these   *filter.Filter // set by Only
	Slow    time.Duration  // the time from which responses are slow; 0 derives it
	ranked  *int           // row of the call that was found last by its time; nil before
}

// Options configure the lists of a workspace.
type Options struct {
	Slow      time.Duration // the time from which responses are slow; 0 derives it from the log
	View      View          // of the traffic, at first
	AnswerKey string        // of the action that answers a request of the server
	EndKey    string        // of the action that shows the last row, and follows
	ClearKey  string        // of the action that clears the filter
}

// New returns the lists of a workspace.
func New(ws *workspace.Workspace, o Options, screen *kit.Screen) *Lists {
	r := &Lists{ws: ws, hits: &kit.Highlight{}, Slow: o.Slow, keys: titleKeys{o.EndKey, o.ClearKey}}
	r.Traffic = newPane(ws, o, r.hits, screen)
	r.Traffic.basisNow = r.basis
	r.Stderr = newLines(StderrList, ws, &r.Traffic.times, r.hits, screen)
	r.Events = newLines(EventsList, ws, &r.Traffic.times, r.hits, screen)
	r.Log = newLines(LogList, ws, &r.Traffic.times, r.hits, screen)
	return r
}

// SetTheme changes the colours of all lists.
func (r *Lists) SetTheme(th *paint.Theme) {
	r.Traffic.setTheme(th)
	for _, l := range r.lines() {
		l.SetTheme(th)
	}
}

func (r *Lists) lines() [3]*LineList { return [3]*LineList{r.Stderr, r.Events, r.Log} }

// RelistLines shows the lines of stderr and the events that were added.
func (r *Lists) RelistLines() {
	for _, l := range r.lines() {
		l.Relist()
	}
}

// MoveLines moves the lists of lines to the moment of the selected row of the traffic,
// except for the one that the user moves in: to its response, or while it runs or nothing
// is selected, to the end.
func (r *Lists) MoveLines(own ListID) {
	moment := atTheEnd
	if _, to, ok := r.moment(); ok && !r.Traffic.Following() {
		moment = to
	}
	for _, l := range r.lines() {
		switch l.ID {
		case own:
			l.SetMarked(true)
			continue
		case r.own:
			l.moment = wasMoved
		}
		r.changed = l.goTo(moment) || r.changed
	}
	r.own = own
}

// lateLine is for how long after a response, in microseconds, lines may be older: its
// stream and that of stderr are read apart. No more than lateRows are.
const (
	lateLine = 10_000
	lateRows = 64
)

// Grown shows rows that were added to the index.
func (r *Lists) Grown() tea.Cmd {
	if r.Traffic.times.widen(r.ws.Shown.Index.Latest) {
		r.timeChanged()
	}
	return r.Traffic.grown()
}

// moment returns the rows from the selected message to the end of its exchange.
func (r *Lists) moment() (from, to int, ok bool) {
	from, ok = r.Traffic.Cursor()
	if !ok || r.ws.Overview {
		return 0, 0, false
	}
	to = r.Traffic.Viewed(from)
	last := to
	end, known := r.ws.Shown.Rows.At(to)
	if !known || end.State == session.ReqPending {
		return from, r.ws.Shown.Index.Scanned, true
	}
	for late := to + 1; late <= to+lateRows; late++ {
		next, ok := r.ws.Shown.Rows.At(late)
		if !ok || next.T > end.T+lateLine {
			break
		}
		switch next.Kind {
		case session.KindStderr, session.KindExited, session.KindFailed: // why there is no answer
			last = late
		}
	}
	return from, last, true
}

// AtMoment reports whether the log has a line at the moment of the selected row.
func (r *Lists) AtMoment() bool {
	from, to, ok := r.moment()
	return !ok || r.Log.rowAt(to) > from
}

// Look reports whether a list looks different since look was called last.
func (r *Lists) Look() (changed bool) {
	changed = r.changed || r.Traffic.changed
	r.changed, r.Traffic.changed = false, false
	return changed
}

type rowList interface {
	Cursor() (row int, ok bool)
	Select(row int)
	Titles() (left, right string)
	Following() bool
}

func (r *Lists) list(id ListID) rowList {
	switch id {
	case StderrList:
		return r.Stderr
	case EventsList:
		return r.Events
	case LogList:
		return r.Log
	}
	return r.Traffic
}

// TurnTo lists the rows of the projection shown now. Cursors stay on their entries;
// search, filter and folds stay too.
func (r *Lists) TurnTo(moved workspace.Renumber) tea.Cmd {
	r.Finding, r.changed = nil, true
	for _, l := range r.lines() {
		l.turnTo(moved)
	}
	return r.Traffic.turnTo(moved)
}

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

var (
	viewNames = [viewCount]string{"calls", "messages", "all"}
	formerly  = [viewCount]string{"exchanges", "wire", "all"} // still valid in settings
)

// String returns the name of the view, as settings spell it.
func (v View) String() string { return viewNames[v] }

// ParseView returns the view with a name; "" is the first.
func ParseView(name string) (View, error) {
	if name == "" {
		return Exchanges, nil
	}
	if i := max(slices.Index(viewNames[:], name), slices.Index(formerly[:], name)); i >= 0 {
		return View(i), nil
	}
	return 0, fmt.Errorf("unknown view %q: use calls, messages or all", name)
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
