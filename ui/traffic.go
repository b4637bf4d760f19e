package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/grid"
	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// The columns of the traffic pane.
const (
	colSeq = iota
	colTime
	colDirection
	colMethod
	colID
	colLatency
	colSize
)

// trafficColumns give up time first, then size, sequence and id; what was
// called and what became of it stay.
var trafficColumns = []table.Column{
	colSeq:       {Title: "seq", Min: 6, Priority: 3, Align: termsafe.Right},
	colTime:      {Title: "+time", Min: 8, Priority: 1, Align: termsafe.Right},
	colDirection: {Min: 1, Must: true},
	colMethod:    {Title: "method", Min: 14, Weight: 1, Must: true, Scroll: true},
	colID:        {Title: "id", Min: 11, Priority: 4},
	colLatency:   {Title: "ms", Min: 9, Priority: 5, Align: termsafe.Right},
	colSize:      {Title: "size", Min: 6, Priority: 2, Align: termsafe.Right},
}

// traffic is the pane of messages.
type traffic struct {
	list
	source session.Source
	index  *rowIndex
	rows   *trafficRows
	clock  int64 // of the log at the last look; -1 without a live session

	// With a filter, what it lets through and how far it has come. A scan is
	// never changed while a step of it runs.
	shown      *filter.Filter
	passing    rowList
	scan       *scan
	scanning   bool // a step runs
	percent    int  // of the older rows have been looked at
	generation int
}

func newTraffic(source session.Source, index *rowIndex, hits *highlight, th *theme.Theme, look termsafe.Options) *traffic {
	t := &traffic{source: source, index: index, clock: -1}
	t.rows = &trafficRows{pane: t, rows: rowReader{source: source}, hits: hits, theme: th}
	t.list = list{table.New(table.Config{
		Source: t.rows, Columns: trafficColumns, Theme: th, Options: look, Header: true, Empty: "nothing was said yet",
	})}
	t.SetFilter(nil)
	return t
}

func (t *traffic) filter() *filter.Filter { return t.shown }

func (t *traffic) setTheme(th *theme.Theme) {
	t.rows.theme = th
	t.SetTheme(th)
}

// grown shows rows that were added to the index.
func (t *traffic) grown() tea.Cmd {
	if t.shown == nil {
		t.SetFilter(t.index.traffic)
		return nil
	}
	return t.goOn(t.index.scanned)
}

// setFilter shows only what a filter lets through; nil shows all.
func (t *traffic) setFilter(f *filter.Filter) tea.Cmd {
	t.generation++
	t.shown, t.scan, t.scanning = f, nil, false
	if f == nil {
		t.passing = rowList{}
		t.SetFilter(t.index.traffic)
		return nil
	}
	most := len(t.index.traffic)
	if f.Stderr() {
		most += len(t.index.stderr)
	}
	t.passing = newRowList(most)
	t.scan = newScan(t.generation, t.source, f, t.index.scanned)
	t.percent = t.scan.percent()
	t.SetFilter(t.passing.all())
	return t.goOn(t.index.scanned)
}

// goOn starts the next step of the filter, unless one runs or nothing is left.
func (t *traffic) goOn(rows int) tea.Cmd {
	if t.scan == nil || t.scanning || t.scan.done(rows) {
		return nil
	}
	t.scanning = true
	return t.scan.step(rows)
}

// found takes what a step of the filter found.
func (t *traffic) found(s scanned, rows int) tea.Cmd {
	if s.scan.generation != t.generation {
		return nil
	}
	t.scanning, t.percent = false, s.scan.percent()
	t.passing.add(s)
	t.SetFilter(t.passing.all())
	return t.goOn(rows)
}

func (t *traffic) paint(out *grid.Lines, focused bool) {
	t.list.paint(out, focused)
	if _, h := out.Size(); h > 1 && t.shown != nil && t.Len() == 0 {
		l := out.Line(1)
		l.PadTo(2)
		l.Text(t.rows.theme.Dim, "nothing passes the filter")
	}
}

func (t *traffic) titles() (left, right string) {
	left = "2 Traffic " + thousands(len(t.index.traffic))
	if t.shown != nil {
		left += fmt.Sprintf("  filter %s (%s)", t.shown, thousands(t.Len()))
		if t.percent < 100 {
			left += fmt.Sprintf(" %d%%", t.percent)
		}
	}
	return left, t.Status()
}
