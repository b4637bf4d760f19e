package traffic

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
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
	running   running
	answerKey string // of the action that answers a request of the server
	// changed reports that the list looks different since it was painted.
	changed bool

	Shown    *filter.Filter
	view     View
	kept     int  // row under the cursor before rows were added; -1 for none
	part     int  // of the exchange under the cursor: the row that was gone to; -1 for none
	unfolded bool // floods are shown unfolded
	times    timeForm
	title    titleSummary

	// The state of the scan, unless the listing is plain. A scan is never changed
	// while one of its steps is running.
	passing    *table.Folded
	passes     int          // exchanges of which a row passes, in the view of exchanges
	sent       map[int]bool // rows listed only because the user sent them
	parts      map[int]int  // the rows that pass and are parts of an exchange, by that
	scan       *scan
	basis      basis
	basisNow   func() basis
	scanning   bool // a step is running
	Percent    int  // percentage of the older rows checked
	generation int
}

func newPane(ws *workspace.Workspace, o Options, hits *kit.Highlight, screen *kit.Screen) *Pane {
	t := &Pane{ws: ws, view: o.View, part: -1, kept: -1, running: running{at: -1}, answerKey: o.AnswerKey, bars: newBars(ws, false)}
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

func (t *Pane) listing() listing { return listing{t.view, t.Shown.SlowFrom(t.basis.slow)} }

func (t *Pane) table() *table.Table {
	if t.view == Exchanges {
		return t.exchanges
	}
	return t.messages
}

// SetSize sets the size in cells.
func (t *Pane) SetSize(w, h int) {
	t.width = w
	t.setColumns()
	t.running.height = h
	t.exchanges.SetSize(w-aside(w), max(h-t.running.lines(), 0))
	t.exchanges.SetAside(aside(w))
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
	following := t.Following() && t.running.at < 0
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

// The cursor goes from a part that is folded now to its exchange.
func (t *Pane) grown() tea.Cmd {
	if t.kept >= 0 && !t.Listed().Has(t.kept) {
		t.Select(t.ws.Shown.Index.Exchanges.Of(t.kept))
	}
	if t.Shown != nil && t.basisNow() != t.basis {
		return t.restart()
	}
	return t.goOn(t.ws.Shown.Index.Scanned)
}

// Relist shows the current list.
func (t *Pane) Relist() { t.SetList(t.Listed()) }

// Keep prevents new rows from folding with the rows under the cursor, and
// remembers the row until grown.
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
	t.passing, t.passes, t.sent, t.parts = &table.Folded{}, 0, map[int]bool{}, map[int]int{}
	t.passing.SetAll(!t.unfolded)
	t.SetList(t.Listed())
	if t.listing().plain() {
		return nil
	}
	if t.Shown != nil {
		t.basis = t.basisNow()
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
		t.append(item)
	}
	for _, v := range found.changed {
		row := int(v.row)
		switch listed := t.passing.Has(row); {
		case v.passes && t.sent[row]:
			t.count(row, 1)
			delete(t.sent, row)
		case v.passes && !listed:
			t.count(row, 1)
			t.passing.Insert(row)
		case !v.passes && listed && !t.sent[row]:
			t.count(row, -1)
			t.passing.Remove(row)
		}
	}
}

// append lists a row that passes after the rows found before it. Rows that the user sent
// may be listed already.
func (t *Pane) append(item foundItem) {
	row, all := int(item.row), t.passing.All()
	switch {
	case t.sent[row]:
		delete(t.sent, row)
	case len(t.sent) > 0 && len(all) > 0 && all[len(all)-1] > item.row:
		t.passing.Insert(row)
	default:
		t.passing.Append(item.row, item.kind)
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
		if max(before, before+by) == 1 && (!t.passing.Has(of) || t.sent[of]) {
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
	t.running.at = -1
	t.part = row
	if t.view == Exchanges && !t.Listed().Has(row) {
		row = t.ws.Shown.Index.Exchanges.Of(row)
	}
	t.setFold(row, false)
	t.Select(row)
}

// ShowNews selects the message that the user has sent since it was called last, or, while
// the rows are followed, the call that lost its answer. It reports whether it did.
func (t *Pane) ShowNews() bool {
	lost, ended := t.ws.TakeLost()
	sent, ok := t.ws.TakeSent()
	switch {
	case ok:
	case ended && t.Following():
		sent = lost
	default:
		return false
	}
	t.ShowSent(sent)
	return true
}

// ShowSent selects a message that was sent, or its exchange, also if the filter hides it,
// until that changes. The newest rows stay in view while there is room.
func (t *Pane) ShowSent(row int) {
	if of := t.ws.Shown.Index.Exchanges.Of(row); t.view == Exchanges {
		row = of
	}
	if !t.listing().plain() && !t.passing.Has(row) {
		t.passing.Insert(row)
		t.sent[row] = true
		t.SetList(t.Listed())
	}
	t.Reveal(row)
	t.part = -1 // the response is shown when it comes
	t.Trail()
}

// at returns the row under the cursor, or the part of it that was gone to.
func (t *Pane) at() int {
	row, _ := t.Cursor()
	if t.view == Exchanges && t.part >= 0 && t.ws.Shown.Index.Exchanges.Of(t.part) == row {
		return t.part
	}
	return row
}

// Shows reports whether the row under the cursor is a row, or has it.
func (t *Pane) Shows(row int) bool {
	at, ok := t.Cursor()
	return ok && (at == row || t.view == Exchanges && t.ws.Shown.Index.Exchanges.Of(row) == at)
}

// Paint paints the rows on the screen.
func (t *Pane) Paint(out *paint.Lines, focused bool) {
	t.findRunning()
	t.SetMarked(!t.ws.Overview && t.running.at < 0)
	t.List.Paint(out, focused)
	t.paintBars(out, focused)
	if _, h := out.Size(); h > 1 && t.Shown != nil && t.Len() == 0 {
		l := out.Line(1)
		l.PadTo(2)
		l.Text(t.rows.theme.Dim, "no row matches "+t.Shown.String()+": searched "+wording.Counted(t.ws.Shown.Index.Scanned, "entry"))
		if try := t.Shown.Suggest(); try != "" {
			l.Text(t.rows.theme.Dim, "; try "+try)
		}
	}
	if t.view == Exchanges {
		t.paintRunning(out, focused)
	}
}

// Titles omits the search and the filter: see listTitle.
func (t *Pane) Titles() (left, right string) {
	last, passing := "", len(t.passing.All())-len(t.sent)
	rows := t.ws.Shown.Index.Scanned
	switch t.view {
	case Exchanges:
		passing = t.passes
		if rows = t.ws.Shown.Index.Calls; t.Shown != nil {
			rows = t.ws.Shown.Index.Exchanges.Len()
		}
	case Wire:
		rows = len(t.ws.Shown.Index.Traffic.All())
	}
	unit := ""
	switch {
	case t.Shown != nil:
		last, unit = wording.Thousands(passing)+" of ", " rows"
	case t.view == Wire && !t.ws.Shown.Index.Partial:
		stats := t.ws.Shown.Source.Stats()
		rows = int(stats.Out + stats.In) // as in the header: no noise
	}
	sent := ""
	if n := len(t.sent); n > 0 {
		sent = " + " + wording.Thousands(n) + " sent"
	}
	if t.ws.Shown.Index.Partial {
		last += "the last "
	}
	if last == "" && rows == 0 {
		return t.Name() + sent, t.Status()
	}
	return t.Name() + " " + last + wording.Thousands(rows) + unit + sent, t.Status()
}

// Name returns the name of the view, with the key that focuses the pane.
func (t *Pane) Name() string {
	return [viewCount]string{"2 Calls", "2 Messages", "2 All"}[t.view]
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
	t.part, t.running.at, t.title = -1, -1, titleSummary{}
	cmd := t.restart()
	if cmd == nil {
		return nil
	}
	return t.found(cmd().(scanned), t.ws.Shown.Index.Scanned)
}

type titleKeys struct{ end, clear string }

// titleSummary describes the calls for the title: how many failed or got no answer, and
// which was the slowest. It holds until these numbers change.
type titleSummary struct {
	errors          uint64
	lost, row       int
	max             int64
	several         bool
	failed, slowest string
}

// summary returns the description of the calls for the title.
func (t *Pane) summary() (failed, slowest string) {
	latencies := t.ws.Shown.Index.Latencies
	if t.view != Exchanges || t.Shown != nil || latencies == nil {
		return "", ""
	}
	all, lost, s := latencies.All(), t.ws.Shown.Index.Exchanges.Unanswered, &t.title
	if s.errors == all.Errors && s.lost == lost && s.row == all.Slowest && s.max == all.Max && s.several == (all.N > 1) {
		return s.failed, s.slowest
	}
	*s = titleSummary{errors: all.Errors, lost: lost, row: all.Slowest, max: all.Max, several: all.N > 1}
	if all.Errors > 0 {
		s.failed = t.rows.dot() + wording.Thousands(int(all.Errors)) + " failed"
	}
	if lost > 0 {
		s.failed += t.rows.dot() + wording.Thousands(lost) + " unanswered"
	}
	if row, ok := t.ws.Shown.Rows.At(all.Slowest); ok && s.several && exchange.Noticed(all.Max) {
		name := t.rows.says(all.Slowest, row).Call
		if name == "" {
			name = t.ws.Shown.Source.Method(row.Method)
		}
		s.slowest = t.rows.dot() + "slowest " + wording.Clip(name, slowestName, t.rows.ellipsis) + " " + wording.Took(all.Max)
	}
	return s.failed, s.slowest
}

// slowestName is how many bytes of a name the title shows.
const slowestName = 24

// over reports whether no rows can come any more: the log is that of an ended recording.
func (r *Lists) over() bool {
	return r.ws.Session == nil && r.ws.File.Recording != session.RecordingOn
}

// Title returns the title of a list for a border of width cells: its name, the filter
// with the number of rows that pass, the search with its matches, and at the right
// whether it follows. If there is little room, the numbers stay, the keys that end a
// state give way, and the texts are cut.
func (r *Lists) Title(id ListID, width int, look termsafe.Options) (left, right string) {
	var shown, passed, times, clears, goes, failed, slowest string
	list := r.list(id)
	left, right = list.Titles()
	if id == TrafficList {
		if f := r.Traffic.Shown; f != nil {
			shown, clears = f.String(), " ("+r.keys.clear+" clears)"
		}
		failed, slowest = r.Traffic.summary()
		passed, times = r.Traffic.passed(), r.Traffic.times.title()
	}
	switch {
	case id == TrafficList && r.ws.Playback != nil && r.ws.Playback.Past != nil:
		right = "as of " + string(wording.AppendClock(nil, r.ws.Clock))
	case id == TrafficList && r.over():
		right = ""
	case !list.Following() && strings.HasSuffix(right, " below"):
		goes = r.Traffic.rows.dot() + r.keys.end + " shows them"
	}
	matches, text := r.matches(id), ""
	if matches != "" {
		text = r.Search.Text
	}
	const borders = 2 + 3 + 3 // corners, and the padding of both titles
	room := width - borders - len(left) - len(right) - len(passed) - len(matches) - len("  filter ") - len("  /")
	shown, text = shareRoom(shown, text, room, look.Ellipsis)
	room -= termsafe.Width(shown) + termsafe.Width(text)
	for _, part := range []*string{&failed, &times, &clears, &goes, &slowest} { // the column title shows the times too
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
	return left + failed + slowest + times, right + goes
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
