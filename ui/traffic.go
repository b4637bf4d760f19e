package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// traffic is the pane of messages, and of what stands among them.
type traffic struct {
	list
	source     session.Source
	index      *rowIndex
	rows       *trafficRows
	clock      int64 // of the log at the last look; -1 without a live session
	outOfReach bool  // requests can get no response any more

	shown    *filter.Filter
	among    interleaved
	unfolded bool // floods stand unfolded
	times    timeForm
	marks    marks
	texts    map[int]string // notes of the person, by row, all of which are marked

	// Unless the lens is plain, what it lets through and how far it has come.
	// A scan is never changed while a step of it runs.
	passing    *table.Folded
	scan       *scan
	scanning   bool // a step runs
	percent    int  // of the older rows have been looked at
	generation int
}

func newTraffic(p *projection, hits *highlight, th *theme.Theme, look termsafe.Options) *traffic {
	t := &traffic{source: p.source, index: p.index, clock: -1, texts: map[int]string{}}
	t.rows = &trafficRows{pane: t, rows: p.rows, hits: hits, found: p.findings, theme: th, ellipsis: look.Ellipsis}
	t.list = list{table.New(table.Config{
		Source: t.rows, Columns: t.times.columns(), Theme: th, Options: look, Header: true, Empty: "nothing was said yet",
	})}
	t.restart()
	return t
}

func (t *traffic) lens() lens { return lens{t.among, t.shown} }

// listed is what the pane lists.
func (t *traffic) listed() *table.Folded {
	if t.lens().plain() {
		return t.index.traffic
	}
	return t.passing
}

func (t *traffic) setTheme(th *theme.Theme) {
	t.rows.theme = th
	t.SetTheme(th)
}

// grown shows rows that were added to the index.
func (t *traffic) grown() tea.Cmd {
	if t.times.widen(t.index.latest) {
		t.SetColumns(t.times.columns())
	}
	return t.goOn(t.index.scanned)
}

// relist shows the list as it is now.
func (t *traffic) relist() { t.SetList(t.listed()) }

// keep has rows that come not fold those under the cursor.
func (t *traffic) keep() {
	if row, ok := t.Cursor(); ok && !t.Following() {
		t.listed().Keep(row)
	}
}

// setFilter shows only what a filter lets through; nil shows all.
func (t *traffic) setFilter(f *filter.Filter) tea.Cmd {
	t.shown = f
	return t.restart()
}

// restart lists anew what the lens lets through.
func (t *traffic) restart() tea.Cmd {
	t.generation++
	t.scan, t.scanning, t.percent = nil, false, 100
	t.passing = &table.Folded{}
	t.passing.SetAll(!t.unfolded)
	t.SetList(t.listed())
	if t.lens().plain() {
		return nil
	}
	t.scan = newScan(t.generation, t.source, t.lens(), t.index.scanned)
	t.percent = t.scan.percent()
	return t.goOn(t.index.scanned)
}

// goOn starts the next step of the scan, unless one runs or nothing is left.
func (t *traffic) goOn(rows int) tea.Cmd {
	if t.scan == nil || t.scanning || t.scan.done(rows) {
		return nil
	}
	t.scanning = true
	return t.scan.step(rows)
}

// found takes what a step of the scan found.
func (t *traffic) found(s scanned, rows int) tea.Cmd {
	if s.scan.generation != t.generation {
		return nil
	}
	t.scanning, t.percent = false, s.scan.percent()
	t.keep()
	s.addTo(t.passing)
	return t.goOn(rows)
}

// reveal moves the cursor to a row, out of the fold that it may be in.
func (t *traffic) reveal(row int) {
	t.setFold(row, false)
	t.Select(row)
}

// setFold folds or unfolds the flood that a row is in, and tells whether that
// changed anything.
func (t *traffic) setFold(row int, fold bool) bool {
	if t.lens().plain() {
		return t.index.setFold(row, fold)
	}
	return t.passing.SetFold(row, fold)
}

// setFolds folds or unfolds all floods.
func (t *traffic) setFolds(fold bool) {
	t.unfolded = !fold
	t.index.setFolds(fold)
	t.passing.SetAll(fold)
}

// foldUnderCursor tells of the flood under the cursor: how many rows it has,
// none if there is none, and whether it is folded.
func (t *traffic) foldUnderCursor() (row, rows int, folded bool) {
	row, ok := t.Cursor()
	if !ok {
		return 0, 0, false
	}
	rows, folded = t.listed().Fold(row)
	return row, rows, folded
}

func (t *traffic) paint(out *paint.Lines, focused bool) {
	t.list.paint(out, focused)
	if _, h := out.Size(); h > 1 && t.shown != nil && t.Len() == 0 {
		l := out.Line(1)
		l.PadTo(2)
		l.Text(t.rows.theme.Dim, "nothing passes the filter")
	}
}

// titles leaves out what is searched for, and what the filter is: see
// App.listTitle.
func (t *traffic) titles() (left, right string) {
	last := ""
	if t.index.partial {
		last = "the last "
	}
	switch t.among {
	case onlyMessages:
		left = "2 Traffic " + last + paint.Thousands(len(t.index.traffic.All()))
	case andStderr:
		left = "2 Traffic + stderr " + last + paint.Thousands(len(t.index.traffic.All())+len(t.index.stderr))
	default:
		left = "2 Timeline " + last + paint.Thousands(t.index.scanned)
	}
	return left, t.Status()
}

// passed is how many rows pass the filter, so far.
func (t *traffic) passed() string {
	text := ""
	if t.shown != nil {
		text = " (" + paint.Thousands(len(t.passing.All())) + ")"
	}
	if t.percent < 100 {
		text += fmt.Sprintf(" %d%%", t.percent)
	}
	return text
}
