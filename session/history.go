package session

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	// maxSteps is how many bytes of steps are kept: some 11 M rows. Of the pages
	// after them only the counts at their beginning are known.
	maxSteps = 32 << 20
	// maxChanges is how many changes of rows are kept, of 12 bytes each. Rows
	// changed after them look from their beginning on as they do now.
	maxChanges = 1 << 20
)

// A history is what an Index remembers to tell how its rows and counts were
// when it had fewer rows. It takes about 3 bytes a row, and 12 for each row that
// was changed by something else than its answer, which Row.Pair tells of.
type history struct {
	rows  int
	marks []counts // before the first row of each page
	steps [][]byte // by page that is full, what each of its rows added; nil: not kept
	open  []byte   // the same of the last page
	size  int      // bytes in steps and open
	full  bool     // steps of the last page, and of all to come, are not kept
	rough uint64   // rows whose steps are not kept
	last  counts   // after the last row

	changes map[int][]change // by page, sorted by row; those of one row in their order
	changed int              // changes that are kept
	lost    uint64           // those that are not
}

// A change is a row as it was before the row by changed it.
type change struct {
	row, by uint32
	state   ReqState
	flags   RowFlags
}

// step remembers the counts after a row that was added.
func (h *history) step(now *counts) {
	if h.rows%pageRows == 0 {
		h.turn()
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

// turn begins a page.
func (h *history) turn() {
	if h.rows > 0 {
		h.steps = append(h.steps, h.closed())
	}
	h.marks = append(h.marks, h.last)
	h.open = h.open[:0]
	h.full = h.size >= maxSteps
}

// closed are the steps of the last page, as they are kept.
func (h *history) closed() []byte {
	if h.full {
		return nil
	}
	return bytes.Clone(h.open)
}

// at returns the counts after the first k rows, or, where steps are not kept,
// those at the beginning of the page.
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

// change remembers what the row number was before by changed it.
func (h *history) change(number, by int, was Row) {
	if number == by {
		return // it was not there before
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

// answered remembers what the row number was before by answered it, if that
// can't be told from the row itself.
func (h *history) answered(number, by int, was, is Row) {
	if unanswer(&is); is != was {
		h.change(number, by, was)
	}
}

// unanswer makes of a request what it was before its answer came.
func unanswer(row *Row) {
	row.Pair = 0
	row.Flags &^= FlagError
	if row.State == ReqAnswered || row.State == ReqFailed {
		row.State = ReqPending
	}
}

// rewind makes of rows, which begin with number from, what they were when there
// were k.
func (h *history) rewind(k, from int, rows []Row) {
	for len(rows) > 0 {
		n := min(len(rows), pageRows-from%pageRows)
		h.rewindPage(k, from, rows[:n])
		from, rows = from+n, rows[n:]
	}
}

func (h *history) rewindPage(k, from int, rows []Row) {
	if changes := h.changes[from/pageRows]; len(changes) > 0 {
		undo(changes, k, from, rows)
	}
	for i := range rows {
		if int(rows[i].Pair) > k {
			unanswer(&rows[i])
		}
	}
}

// undo undoes the changes that rows k and later made. What came before the
// first one of a row is all that counts; if its answer is not part of that, it
// is still to be undone.
func undo(changes []change, k, from int, rows []Row) {
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
		if rows[i].Pair > c.by {
			rows[i].Pair = 0
		}
	}
}
