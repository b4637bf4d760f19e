package traffic

import (
	"fmt"
	"slices"
	"time"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

const (
	// mostRunning is how many running calls are repeated below the table, and fewRunning
	// how many where it is low.
	mostRunning = 3
	fewRunning  = 1
	// lowTable is the height of a table, in lines, below which there is little room.
	lowTable = 14
	// leastTable is the height below which no line is repeated: rows would have no room.
	leastTable = 6
	// runningFrom is how long a call must have been running, in microseconds: most are over
	// before their line could be read.
	runningFrom = 300_000
)

// running are the running calls whose own row is out of view: their lines are repeated
// below the table.
type running struct {
	rows   []int // shown, those that wait for the user first, then the oldest
	all    int   // running calls
	above  int   // of these, calls whose row is above the visible ones
	more   int   // calls out of view without a line
	at     int   // index of the selected line; -1 for none
	height int   // of the pane
}

// lines returns the lines below the table, with their rule.
func (r *running) lines() int {
	if len(r.rows) == 0 {
		return 0
	}
	return 1 + len(r.rows)
}

// CountEvery is how often the time of a running call is counted at first.
const CountEvery = tick * time.Microsecond

// countedFor is for how long, in microseconds: after that it is once a second.
const countedFor = 10_000_000

// Counts reports whether the time of a running call is counted that often.
func (t *Pane) Counts() bool {
	running := t.ws.Shown.Index.Exchanges.Running()
	if len(running) == 0 || t.ws.Clock < 0 {
		return false
	}
	latest, ok := t.ws.Shown.Rows.At(running[len(running)-1])
	return ok && t.ws.Clock-latest.T < countedFor
}

// findRunning finds the running calls out of view, and gives the table the lines that they
// leave.
func (t *Pane) findRunning() {
	selected := -1
	if t.running.at >= 0 {
		selected = t.running.rows[t.running.at]
	}
	t.running.rows, t.running.at = t.running.rows[:0], -1
	if t.view == Exchanges && t.ws.Clock >= 0 && !t.ws.Unreachable {
		t.listRunning()
	}
	if t.running.at = slices.Index(t.running.rows, selected); t.running.at < 0 && selected >= 0 {
		t.Select(selected) // it was answered, or is in view
	}
	t.exchanges.SetSize(t.width-aside(t.width), max(t.running.height-t.running.lines(), 0))
}

func (t *Pane) listRunning() {
	r := &t.running
	most := mostRunning
	switch {
	case r.height < leastTable:
		return
	case r.height < lowTable:
		most = fewRunning
	}
	var waiting, others []int
	calls := t.ws.Shown.Index.Exchanges.Running()
	for _, q := range t.ws.Waiting { // between two rounds no request is pending
		if parent, ok := t.ws.RowOf(q.Parent); ok {
			calls = append(calls, t.ws.Shown.Index.Exchanges.Of(parent))
		}
	}
	slices.Sort(calls)
	for _, number := range slices.Compact(calls) {
		row, ok := t.ws.Shown.Rows.At(number)
		switch {
		case !ok || t.ws.Clock-row.T < runningFrom:
		case t.summed.waits(number):
			waiting = append(waiting, number)
		default:
			others = append(others, number)
		}
	}
	all := append(waiting, others...)
	r.all = len(all)
	for lines := 0; ; { // lines below the table hide more rows
		r.rows, r.above, r.more = r.rows[:0], 0, 0
		for _, number := range all {
			switch {
			case t.exchanges.Sees(number, r.height-lines):
				continue
			case len(r.rows) < most:
				r.rows = append(r.rows, number)
			default:
				r.more++
			}
			if first, ok := t.exchanges.RowAt(1); ok && number < first {
				r.above++
			}
		}
		if r.lines() <= lines {
			return
		}
		lines = r.lines()
	}
}

// paintRunning paints the running calls below the table.
func (t *Pane) paintRunning(out *paint.Lines, focused bool) {
	r := &t.running
	if len(r.rows) == 0 {
		return
	}
	_, y := out.Size()
	out.Add(r.lines())
	rule, text := t.rows.glyph("┄", "-"), fmt.Sprintf(" running %d", r.all)
	switch {
	case r.above == 0:
		text += ", below"
	case r.above == len(r.rows)+r.more && r.above == r.all:
		text += ", above"
	default:
		text += fmt.Sprintf(", %d above", r.above)
	}
	if r.more > 0 {
		text += fmt.Sprintf(" · %d more", r.more)
	}
	l := out.Painted(y)
	l.Text(t.rows.theme.Rule, rule+rule)
	l.Text(t.rows.theme.Accent, text+" ")
	l.Rule(t.rows.theme.Rule, rule)
	for i, number := range r.rows {
		t.exchanges.PaintRow(out.Painted(y+1+i), number, i == r.at, focused)
	}
}

// Cursor returns the selected row, also that of a running call below the table.
func (t *Pane) Cursor() (row int, ok bool) {
	if t.running.at >= 0 {
		return t.running.rows[t.running.at], true
	}
	return t.List.Cursor()
}

// moveRunning moves the cursor among the running calls, into them from the last row, and
// back. It reports whether it did.
func (t *Pane) moveRunning(way string) bool {
	r := &t.running
	switch {
	case way == kit.Down && r.at < 0:
		if len(r.rows) == 0 || !t.AtEnd() {
			return false
		}
		r.at = 0
	case way == kit.Down:
		r.at = min(r.at+1, len(r.rows)-1)
	case way == kit.Up && r.at >= 0:
		r.at--
	default:
		r.at = -1
		return false
	}
	t.changed = true
	return true
}

// GoToRunning goes from the line of a running call to its row, and reports whether the
// cursor was on one.
func (t *Pane) GoToRunning() bool {
	if t.running.at < 0 {
		return false
	}
	t.Reveal(t.running.rows[t.running.at])
	return true
}

// Click selects the row on a line.
func (t *Pane) Click(line int) {
	if i := line - (t.running.height - len(t.running.rows)); i >= 0 && i < len(t.running.rows) {
		t.running.at, t.changed = i, true
		return
	}
	t.running.at = -1
	t.List.Click(line)
}
