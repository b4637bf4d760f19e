package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
)

// A Find looks for one row, up or down from a row, in steps.
type Find struct {
	source  session.Source
	lists   *Lists
	list    ListID // the list that has the row
	What    string // for the message when nothing was found
	found   string // the message when a row was found; usually none
	only    string // the message when only the row at the cursor matches
	from    int    // where the cursor was
	at      int    // the next row to check
	Shown   int    // the same, as shown on the screen
	by      int    // 1 or -1
	turn    bool   // search in the other direction if this one has no match
	wrap    bool   // continue at the other end if there is no match in this direction
	round   bool   // it is doing that now, up to the cursor
	matcher *rowMatcher
	rows    []session.Row
	many    int // number of rows to check next
}

// nearRows is how many rows the first step checks, as the match is often near.
// Later steps check more and more.
const nearRows = 64

// Row is -1 if there is no match.
type foundRow struct {
	find *Find
	row  int
}

type finding struct{ find *Find }

func (f *Find) step() tea.Cmd {
	return func() tea.Msg {
		budget := budget{rows: stepRows, bytes: stepBytes}
		for budget.left() {
			rows := f.next()
			if len(rows) == 0 || f.round && (f.at-f.from)*f.by > 0 {
				return foundRow{f, -1}
			}
			f.matcher.setRows(min(f.at, f.at+(len(rows)-1)*f.by), rows)
			for i := range rows {
				at := i
				if f.by < 0 {
					at = len(rows) - 1 - i
				}
				if f.matcher.passes(at, &budget) {
					return foundRow{f, f.at + i*f.by}
				}
				budget.rows--
				budget.bytes -= int(rows[at].Len) / searchShare
			}
			f.at += len(rows) * f.by
		}
		return finding{f}
	}
}

func (f *Find) otherEnd() {
	f.wrap, f.round, f.many = false, true, 0
	if f.at = 0; f.by < 0 {
		f.at = f.source.Len() - 1
	}
}

// next reads the next rows, in ascending order.
func (f *Find) next() []session.Row {
	if f.at < 0 {
		return nil
	}
	f.many = min(max(2*f.many, nearRows), blockRows)
	f.rows = slices.Grow(f.rows[:0], f.many)[:f.many]
	if f.by > 0 {
		return block(f.rows[:f.source.Rows(f.at, f.rows)], false)
	}
	from := max(f.at-len(f.rows)+1, 0)
	return block(f.rows[:f.source.Rows(from, f.rows[:f.at-from+1])], true)
}
