package index

import (
	"bytes"
	"cmp"
	"slices"

	"mcpdbg/session"
)

const (
	// maxSteps is how many bytes of steps are kept: some 11 M rows. For later
	// pages only the counts at their beginning are known.
	maxSteps = 32 << 20
	// maxChanges is how many changes of rows are kept, at 12 bytes each. Rows
	// changed later always show their latest state.
	maxChanges = 1 << 20
)

// A history records how the rows and counts of an Index were when it had fewer
// rows. It takes about 3 bytes a row, and 12 for each row that was changed by
// something else than its response, which Row.Related names.
type history struct {
	rows  int
	marks []counts // before the first row of each page
	steps [][]byte // by full page, the steps of its rows; nil: not kept
	open  []byte   // the same for the last page
	size  int      // bytes in steps and open
	full  bool     // steps of the last page and later ones are not kept
	rough uint64   // rows whose steps are not kept
	last  counts   // after the last row

	changes map[int][]change // by page, sorted by row and then by time
	changed int              // number of changes kept
	lost    uint64           // number of changes not kept
}

// A change is the state of a row before the row by changed it.
type change struct {
	row, by uint32
	state   session.ReqState
	flags   session.RowFlags
}

// step records the counts after a row was added.
func (h *history) step(now *counts) {
	if h.rows%pageRows == 0 {
		h.beginPage()
	}
	if h.full {
		h.rough++
	} else {
		before := len(h.open)
		h.open = appendStep(h.open, &h.last, now)
		h.size += len(h.open) - before
	}
	h.last = *now
	h.rows++
}

func (h *history) beginPage() {
	if h.rows > 0 {
		h.steps = append(h.steps, h.closed())
	}
	h.marks = append(h.marks, h.last)
	h.open = h.open[:0]
	h.full = h.size >= maxSteps
}

// closed returns the steps of the last page in the form that is kept.
func (h *history) closed() []byte {
	if h.full {
		return nil
	}
	return bytes.Clone(h.open)
}

// at returns the counts after the first k rows or, if steps are not kept, those
// at the beginning of the page.
func (h *history) at(k int) counts {
	if k >= h.rows {
		return h.last
	}
	page := k / pageRows
	c, steps := h.marks[page], h.open
	if page < len(h.steps) {
		steps = h.steps[page]
	}
	for range k % pageRows {
		steps = addStep(&c, steps)
	}
	return c
}

// change records the state of row number before the row by changed it.
func (h *history) change(number, by int, was session.Row) {
	if number == by {
		return // the row did not exist before
	}
	if h.changed >= maxChanges {
		h.lost++
		return
	}
	if h.changes == nil {
		h.changes = make(map[int][]change)
	}
	h.changed++
	page := h.changes[number/pageRows]
	at, _ := slices.BinarySearchFunc(page, uint32(number)+1, func(c change, row uint32) int { return cmp.Compare(c.row, row) })
	h.changes[number/pageRows] = slices.Insert(page, at, change{uint32(number), uint32(by), was.State, was.Flags})
}

// answered records the state of row number before the row by answered it, if it
// can't be derived from the row itself.
func (h *history) answered(number, by int, was, is session.Row) {
	if unanswer(&is); is != was {
		h.change(number, by, was)
	}
}

// unanswer restores the state of a request before its response.
func unanswer(row *session.Row) {
	row.Related = 0
	row.Flags &^= session.FlagError
	if row.State == session.ReqAnswered || row.State == session.ReqFailed {
		row.State = session.ReqPending
	}
}

// rewind restores rows, the first of which has the number from, to their state
// when there were k rows.
func (h *history) rewind(k, from int, rows []session.Row) {
	for len(rows) > 0 {
		n := min(len(rows), pageRows-from%pageRows)
		h.rewindPage(k, from, rows[:n])
		from, rows = from+n, rows[n:]
	}
}

func (h *history) rewindPage(k, from int, rows []session.Row) {
	if changes := h.changes[from/pageRows]; len(changes) > 0 {
		undo(changes, k, from, rows)
	}
	for i := range rows {
		if int(rows[i].Related) > k {
			unanswer(&rows[i])
		}
	}
}

// undo undoes the changes that rows k and later made. Only the state before the
// first of them counts; a response that came later is undone by the caller.
func undo(changes []change, k, from int, rows []session.Row) {
	at, _ := slices.BinarySearchFunc(changes, uint32(from), func(c change, row uint32) int { return cmp.Compare(c.row, row) })
	last := -1
	for _, c := range changes[at:] {
		i := int(c.row) - from
		if i >= len(rows) {
			return
		}
		if int(c.by) < k || i == last {
			continue
		}
		last = i
		rows[i].State, rows[i].Flags = c.state, c.flags
		if rows[i].Related > c.by {
			rows[i].Related = 0
		}
	}
}
