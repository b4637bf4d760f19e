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
func (h *history) step(now counts) {
	if h.rows%pageRows == 0 {
		h.turn()
	}
	if !h.full {
		before := len(h.open)
		h.open = appendStep(h.open, now.minus(&h.last))
		h.size += len(h.open) - before
	}
	h.last = now
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
	} else if h.full {
		return c
	}
	for range k % pageRows {
		steps = addStep(&c, steps)
	}
	return c
}

// change remembers what the row number was before by changed it.
func (h *history) change(number, by int, was Row) {
	if number == by {
		return // nobody has seen it yet
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
	if unanswered(is) != was {
		h.change(number, by, was)
	}
}

// unanswered is what a request was before its answer came.
func unanswered(row Row) Row {
	row.Pair = 0
	row.Flags &^= FlagError
	if row.State == ReqAnswered || row.State == ReqFailed {
		row.State = ReqPending
	}
	return row
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
	changes := h.changes[from/pageRows]
	at, _ := slices.BinarySearchFunc(changes, uint32(from), func(c change, row uint32) int { return cmp.Compare(c.row, row) })
	changes = changes[at:]
	for i := range rows {
		var undone *change // the first one that was still to come
		for len(changes) > 0 && int(changes[0].row) == from+i {
			if undone == nil && int(changes[0].by) >= k {
				undone = &changes[0]
			}
			changes = changes[1:]
		}
		rows[i] = rewound(rows[i], k, undone)
	}
}

// rewound undoes what changed a row from row k on: its answer, and other
// changes, of which undone is the first.
func rewound(row Row, k int, undone *change) Row {
	answer := int(row.Pair) - 1
	if undone != nil {
		row.State, row.Flags = undone.state, undone.flags
	}
	switch {
	case answer < k:
	case undone != nil && answer >= int(undone.by):
		row.Pair = 0 // what undone remembers is from before the answer
	default:
		row = unanswered(row)
	}
	return row
}
