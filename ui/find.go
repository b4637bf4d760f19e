package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/filter"
)

// A find looks for one row, from a row on upwards or downwards, in steps.
type find struct {
	source session.Source
	pane   paneID // that lists the row
	what   string // for the message that nothing was found
	found  string // the message when something was; as a rule none
	from   int    // where the cursor was
	at     int    // the next row to look at
	shown  int    // the same, as the screen tells it
	by     int    // 1 or -1
	turn   bool   // to look in the other direction if there is nothing in this one
	match  func(number int, row session.Row) bool
	block  [64]session.Row // small: what is looked for is often near
}

// foundRow is the end of a find; row is -1 if there is none.
type foundRow struct {
	find *find
	row  int
}

// finding is a step of a find that found nothing yet.
type finding struct{ find *find }

// step returns the command for the next step.
func (f *find) step() tea.Cmd {
	return func() tea.Msg {
		bytes := 0
		for n := 0; n < stepRows && bytes < stepBytes; {
			rows := f.next()
			if len(rows) == 0 {
				return foundRow{f, -1}
			}
			for i := range rows {
				row := rows[i]
				if f.by < 0 {
					row = rows[len(rows)-1-i]
				}
				bytes += int(row.Len)
				if f.match(f.at+i*f.by, row) {
					return foundRow{f, f.at + i*f.by}
				}
			}
			f.at += len(rows) * f.by
			n += len(rows)
		}
		return finding{f}
	}
}

// next reads the next rows, in ascending order.
func (f *find) next() []session.Row {
	if f.at < 0 {
		return nil
	}
	block := f.block[:]
	if f.by > 0 {
		return block[:f.source.Rows(f.at, block)]
	}
	from := max(f.at-len(block)+1, 0)
	return block[:f.source.Rows(from, block[:f.at-from+1])]
}

// matchAll returns the rows of a pane that a lens lets through and that match a
// search.
func matchAll(source session.Source, pane paneID, l lens, search *filter.Filter) func(int, session.Row) bool {
	shown, hit := l.filter.Over(source), search.Over(source)
	return func(number int, row session.Row) bool {
		return belongs(row, pane, l) && shown.Match(number, row) && hit.Match(number, row)
	}
}

// belongs tells whether a pane lists rows of a kind.
func belongs(row session.Row, pane paneID, l lens) bool {
	switch pane {
	case stderrID:
		return row.Kind == session.KindStderr
	case eventsID:
		return !row.Kind.IsStream()
	}
	return l.lists(row.Kind)
}
