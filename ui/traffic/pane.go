package traffic

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// Pane is the pane of messages and interleaved rows.
type Pane struct {
	kit.List  // that of the view
	ws        *workspace.Workspace
	rows      *trafficRows
	summed    *exchangeRows
	exchanges *table.Table
	messages  *table.Table // of the views wire and all
	width     int
	bars      bars
	answerKey string // of the action that answers a request of the server
	// changed reports that the list looks different since it was painted.
	changed bool

	Shown    *filter.Filter
	view     View
	kept     int  // row under the cursor before rows were added; -1 for none
	part     int  // of the exchange under the cursor: the row that was gone to; -1 for none
	unfolded bool // floods are shown unfolded
	times    timeForm

	// The state of the scan, unless the listing is plain. A scan is never changed
	// while one of its steps is running.
	passing    *table.Folded
	passes     int         // exchanges of which a row passes, in the view of exchanges
	parts      map[int]int // the rows that pass and are parts of an exchange, by that
	scan       *scan
	scanning   bool // a step is running
	Percent    int  // percentage of the older rows checked
	generation int
}

func newPane(ws *workspace.Workspace, o Options, hits *kit.Highlight, screen *kit.Screen) *Pane {
	t := &Pane{ws: ws, view: o.View, part: -1, kept: -1, answerKey: o.AnswerKey, bars: newBars(ws, false)}
	look := screen.Look()
	t.rows = &trafficRows{rowText: rowText{ws: ws, screen: screen}, pane: t, hits: hits, theme: screen.Theme, ellipsis: look.Ellipsis}
	config := table.Config{Source: t.rows, Columns: t.times.columns(), Theme: screen.Theme, Options: look, Header: true, Empty: "no messages yet"}
	t.messages = table.New(config)
	t.summed = &exchangeRows{trafficRows: t.rows}
	config.Source, config.Columns = t.summed, exchangeColumns(0, &t.times)
	t.exchanges = table.New(config)
	t.exchanges.SetFlags(true)
	t.List = kit.List{Table: t.table()}
	t.restart()
	return t
}

func (t *Pane) listing() listing { return listing{t.view, t.Shown} }

func (t *Pane) table() *table.Table {
	if t.view == Exchanges {
		return t.exchanges
	}
	return t.messages
}

// wide reports whether the arguments of exchanges have a column.
func (t *Pane) wide() bool { return t.width >= wideExchanges }

// SetSize sets the size in cells.
func (t *Pane) SetSize(w, h int) {
	t.width = w
	t.setColumns()
	aside := waterfallWidth(w)
	t.exchanges.SetSize(w-aside, h)
	t.exchanges.SetAside(aside)
	t.messages.SetSize(w, h)
}

func (t *Pane) setColumns() {
	t.messages.SetColumns(t.times.columns())
	t.exchanges.SetColumns(exchangeColumns(t.width, &t.times))
}

// The message that was selected stays so.
func (t *Pane) setView(v View) tea.Cmd {
	number, selected := t.Cursor()
	if viewed := t.Viewed(number); selected && viewed >= 0 {
		number = viewed
	}
	following := t.Following()
	t.view = v
	t.Table = t.table()
	cmd := t.restart()
	if t.SetFollow(following); selected && !following {
		t.Reveal(number)
	}
	return cmd
}

// Viewed returns the row of an exchange that is shown in full: the one that was gone to,
// or else its response. In other views it is the row itself.
func (t *Pane) Viewed(number int) int {
	if t.view != Exchanges {
		return number
	}
	x := t.ws.Shown.Index.Exchanges
	if t.part >= 0 && (t.part == number || x.Of(t.part) == number) {
		return t.part
	}
	decides, _ := x.LastRound(number)
	if h, ok := x.Handshake(number); ok {
		decides = int(h.Last)
	}
	row, ok := t.ws.Shown.Rows.At(decides)
	response, answered := x.ResponseOf(decides, &row)
	if !ok || !answered || row.Msg != framing.Request || x.Parent(response) >= t.ws.Shown.Source.Len() {
		return number
	}
	return response
}

// Listed returns the rows of the pane.
func (t *Pane) Listed() *table.Folded {
	switch {
	case !t.listing().plain():
		return t.passing
	case t.view == Exchanges:
		return t.ws.Shown.Index.Exchanges.List
	}
	return t.ws.Shown.Index.Traffic
}

// Passing returns the rows of the pane, their filter, and whether all rows of the log
// have been checked.
func (t *Pane) Passing() (rows *table.Folded, shown *filter.Filter, all bool) {
	return t.Listed(), t.Shown, t.Percent == 100 && !t.scanning
}

func (t *Pane) setTheme(th *paint.Theme) {
	t.rows.theme = th
	t.exchanges.SetTheme(th)
	t.messages.SetTheme(th)
}

// First returns the first request of the selected exchange if that has several rounds,
// and its row shows another message in full; else nil.
func (t *Pane) First(viewed int) *session.Row {
	number, selected := t.Cursor()
	if !selected || t.view != Exchanges || number == viewed {
		return nil
	}
	if _, rounds := t.ws.Shown.Index.Exchanges.LastRound(number); rounds == 1 {
		return nil
	}
	row, _ := t.ws.Shown.Rows.At(number)
	return &row
}

// Grown shows rows that were added to the index. The cursor goes from a part that
// is folded now to its exchange.
func (t *Pane) Grown() tea.Cmd {
	if t.kept >= 0 && !t.Listed().Has(t.kept) {
		t.Select(t.ws.Shown.Index.Exchanges.Of(t.kept))
	}
	if t.times.widen(t.ws.Shown.Index.Latest) {
		t.setColumns()
	}
	return t.goOn(t.ws.Shown.Index.Scanned)
}

// Relist shows the current list.
func (t *Pane) Relist() { t.SetList(t.Listed()) }

// Keep prevents new rows from folding with the rows under the cursor, and
// remembers the row until Grown.
func (t *Pane) Keep() {
	t.kept = -1
	if row, ok := t.Cursor(); ok && !t.Following() {
		t.Listed().Keep(row)
		t.kept = row
	}
}

// SetFilter shows only rows that pass a filter; nil shows all.
func (t *Pane) SetFilter(f *filter.Filter) tea.Cmd {
	t.Shown = f
	return t.restart()
}

func (t *Pane) restart() tea.Cmd {
	t.generation++
	t.scan, t.scanning, t.Percent = nil, false, 100
	t.passing, t.passes, t.parts = &table.Folded{}, 0, map[int]int{}
	t.passing.SetAll(!t.unfolded)
	t.SetList(t.Listed())
	if t.listing().plain() {
		return nil
	}
	t.scan = newScan(t.generation, t.ws.Shown.Source, t.listing(), t.ws.Shown.Index.Scanned)
	t.scan.traffic = t
	t.Percent = t.scan.percent()
	return t.goOn(t.ws.Shown.Index.Scanned)
}

// goOn starts the next step of the scan, unless one is running or all rows are
// checked.
func (t *Pane) goOn(rows int) tea.Cmd {
	if t.scan == nil || t.scanning || t.scan.done(rows) {
		return nil
	}
	t.scanning = true
	t.scan.rounds = t.ws.Shown.Index.Exchanges.Links
	return t.scan.step(rows)
}

func (t *Pane) found(s scanned, rows int) tea.Cmd {
	if s.scan.generation != t.generation {
		return nil
	}
	t.scanning, t.Percent = false, s.scan.percent()
	t.Keep()
	t.add(s)
	return t.goOn(rows)
}

// add adds the rows that pass to the list, and removes those that do no longer.
func (t *Pane) add(found scanned) {
	for _, item := range found.front {
		t.count(int(item.row), 1)
		t.passing.Prepend(item.row, item.kind)
	}
	for _, item := range found.back {
		t.count(int(item.row), 1)
		t.passing.Append(item.row, item.kind)
	}
	for _, v := range found.changed {
		row := int(v.row)
		switch listed := t.passing.Has(row); {
		case v.passes && !listed:
			t.count(row, 1)
			t.passing.Insert(row)
		case !v.passes && listed:
			t.count(row, -1)
			t.passing.Remove(row)
		}
	}
}

// count counts the exchange of a row that is added, or with -1 removed. Lines of stderr,
// and most events, have none.
func (t *Pane) count(row, by int) {
	if t.view != Exchanges {
		return
	}
	x := t.ws.Shown.Index.Exchanges
	of := x.Of(row)
	switch before := t.parts[of]; {
	case !x.List.Has(of):
	case of != row:
		t.parts[of] += by
		if max(before, before+by) == 1 && !t.passing.Has(of) {
			t.passes += by
		}
	case before == 0:
		t.passes += by
	}
}

// Reveal moves the cursor to a row, or among the exchanges to its exchange, and unfolds
// its flood.
func (t *Pane) Reveal(row int) {
	t.ws.Overview = false
	t.part = row
	if t.view == Exchanges && !t.Listed().Has(row) {
		row = t.ws.Shown.Index.Exchanges.Of(row)
	}
	t.setFold(row, false)
	t.Select(row)
}

// at returns the row under the cursor, or the part of it that was gone to.
func (t *Pane) at() int {
	row, _ := t.Cursor()
	if t.view == Exchanges && t.part >= 0 && t.ws.Shown.Index.Exchanges.Of(t.part) == row {
		return t.part
	}
	return row
}

func (t *Pane) joined(a, b int) bool {
	x := t.ws.Shown.Index.Exchanges
	return t.view == Exchanges && x.Of(a) == x.Of(b)
}

// Shows reports whether the row under the cursor is a row, or has it.
func (t *Pane) Shows(row int) bool {
	at, ok := t.Cursor()
	return ok && (at == row || t.view == Exchanges && t.ws.Shown.Index.Exchanges.Of(row) == at)
}

// Paint paints the rows on the screen.
func (t *Pane) Paint(out *paint.Lines, focused bool) {
	t.SetMarked(!t.ws.Overview)
	t.List.Paint(out, focused)
	t.paintWaterfall(out, focused)
	if _, h := out.Size(); h > 1 && t.Shown != nil && t.Len() == 0 {
		l := out.Line(1)
		l.PadTo(2)
		l.Text(t.rows.theme.Dim, "no rows match the filter")
	}
}

// Titles omits the search and the filter: see listTitle.
func (t *Pane) Titles() (left, right string) {
	last, passing := "", len(t.passing.All())
	rows := t.ws.Shown.Index.Scanned
	switch t.view {
	case Exchanges:
		rows, passing = t.ws.Shown.Index.Exchanges.Len(), t.passes
	case Wire:
		rows = len(t.ws.Shown.Index.Traffic.All())
	}
	if t.Shown != nil {
		last = wording.Thousands(passing) + " of "
	}
	if t.ws.Shown.Index.Partial {
		last += "the last "
	}
	return t.Name() + " " + last + wording.Thousands(rows), t.Status()
}

// Name returns the name of the view, with the key that focuses the pane.
func (t *Pane) Name() string {
	return [viewCount]string{"2 Exchanges", "2 Wire", "2 All"}[t.view]
}

// passed returns how much of the log the filter has read, "" for all of it.
func (t *Pane) passed() string {
	if t.Percent < 100 {
		return fmt.Sprintf(" %d%%", t.Percent)
	}
	return ""
}

// turnTo lists the rows of the projection that is shown now. It runs the first
// step of a filter at once, so that the screen is full.
func (t *Pane) turnTo(moved workspace.Renumber) tea.Cmd {
	t.exchanges.Renumbered(moved)
	t.messages.Renumbered(moved)
	t.rows.said.Clear()
	t.part = -1
	cmd := t.restart()
	if cmd == nil {
		return nil
	}
	return t.found(cmd().(scanned), t.ws.Shown.Index.Scanned)
}

type titleKeys struct{ follow, clear string }

// over reports whether no rows can come any more: the log is that of an ended
// recording, which does not play.
func (r *Lists) over() bool {
	return r.ws.Session == nil && r.ws.File.Recording != session.RecordingOn && r.ws.Playback == nil
}

// Title returns the title of a list for a border of width cells: its name, the filter
// with the number of rows that pass, the search with its matches, and at the right
// whether it follows. If there is little room, the numbers stay, the keys that end a
// state give way, and the texts are cut.
func (r *Lists) Title(id ListID, width int, look termsafe.Options) (left, right string) {
	var shown, passed, times, clears, follows string
	list := r.list(id)
	left, right = list.Titles()
	if id == TrafficList {
		if f := r.Traffic.Shown; f != nil {
			shown, clears = f.String(), " ("+r.keys.clear+" clears)"
		}
		passed, times = r.Traffic.passed(), r.Traffic.times.title()
	}
	switch {
	case list.Following():
	case r.over():
		right = ""
	default:
		follows = ", " + r.keys.follow + " follows"
	}
	matches, text := r.matches(id), ""
	if matches != "" {
		text = r.Search.Text
	}
	const borders = 2 + 3 + 3 // corners, and the padding of both titles
	room := width - borders - len(left) - len(right) - len(passed) - len(matches) - len("  filter ") - len("  /")
	shown, text = shareRoom(shown, text, room, look.Ellipsis)
	room -= termsafe.Width(shown) + termsafe.Width(text)
	for _, part := range []*string{&times, &clears, &follows} { // the column title shows the times too
		if room -= len(*part); room < 0 {
			room += len(*part)
			*part = ""
		}
	}
	if shown != "" {
		left += "  filter " + shown
	}
	left += passed + clears
	if matches != "" {
		left += "  /" + text + matches
	}
	return left + times, right + follows
}

// shareRoom cuts two texts to room cells together: the longer one first, and
// neither to fewer cells than it needs to be recognised.
func shareRoom(a, b string, room int, ellipsis string) (string, string) {
	const least = 6
	forA, forB := termsafe.Width(a), termsafe.Width(b)
	for forA+forB > room && max(forA, forB) > least {
		if forA >= forB {
			forA--
		} else {
			forB--
		}
	}
	return termsafe.Truncate(a, forA, ellipsis), termsafe.Truncate(b, forB, ellipsis)
}
