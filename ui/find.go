package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
)

// A find looks for one row, from a row on upwards or downwards, in steps.
type find struct {
	source session.Source
	pane   paneID // that lists the row
	what   string // for the message that nothing was found
	found  string // the message when something was; as a rule none
	only   string // the message when the row at the cursor matches, and no other
	from   int    // where the cursor was
	at     int    // the next row to look at
	shown  int    // the same, as the screen tells it
	by     int    // 1 or -1
	turn   bool   // to look in the other direction if there is nothing in this one
	wrap   bool   // to go on at the other end if there is nothing to this one
	round  bool   // it does that now, as far as the cursor
	sieve  *sieve
	rows   []session.Row
	many   int // how many rows are looked at next
}

// nearRows is how many rows are looked at first: what is looked for is often
// near. Then they become more and more.
const nearRows = 64

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
		budget := budget{rows: stepRows, bytes: stepBytes}
		for budget.left() {
			rows := f.next()
			if len(rows) == 0 || f.round && (f.at-f.from)*f.by > 0 {
				return foundRow{f, -1}
			}
			f.sieve.take(min(f.at, f.at+(len(rows)-1)*f.by), rows)
			for i := range rows {
				at := i
				if f.by < 0 {
					at = len(rows) - 1 - i
				}
				if f.sieve.passes(at, &budget) {
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

// otherEnd goes on at the other end of the log.
func (f *find) otherEnd() {
	f.wrap, f.round, f.many = false, true, 0
	if f.at = 0; f.by < 0 {
		f.at = f.source.Len() - 1
	}
}

// next reads the next rows, in ascending order.
func (f *find) next() []session.Row {
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
