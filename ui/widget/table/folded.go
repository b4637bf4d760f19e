package table

import (
	"slices"
	"sort"
)

const foldFrom = 6

// Folded is a List that shows a long run of rows of the same kind as one fold,
// until it is unfolded. Adding rows at either end takes constant time, finding
// a row logarithmic time. The zero value is an empty list. A Folded must be
// used by one goroutine only.
//
// The caller chooses the kinds. Rows of kind 0 are never folded.
type Folded struct {
	// From is the minimum length of a fold; 0 means 6. It must not be changed after the
	// first row.
	From int
	// Place, if set, returns where a row is among the others, in ascending order; else
	// its number is. It must not be changed after the first row.
	Place func(row int) int64

	rows deque[uint32]
	runs deque[run] // runs of at least From rows, in order

	// The runs at both ends, of any length, perhaps the same, which new rows may join.
	front, back edge
	unfolded    bool
}

type run struct {
	start  int // of its first row in rows
	n      int
	hidden int // rows hidden by the runs before it; only differences count
	open   bool
}

func (r *run) hides() int {
	if r.open {
		return 0
	}
	return r.n - 1
}

type edge struct {
	kind uint32
	n    int
}

func (e *edge) joins(kind uint32) bool { return kind != 0 && kind == e.kind }

func (f *Folded) from() int {
	if f.From == 0 {
		return foldFrom
	}
	return f.From
}

// Append adds a row of a kind at the end.
func (f *Folded) Append(row, kind uint32) {
	n := f.rows.len()
	f.rows.push(row)
	if n == 0 {
		f.front = edge{kind, 1}
	}
	if n == 0 || !f.back.joins(kind) {
		f.back = edge{kind, 1}
		return
	}
	if f.back.n == n {
		f.front.n++
	}
	f.back.n++
	switch {
	case f.back.n == f.from():
		f.runs.push(run{start: f.rows.end() - f.from(), n: f.from(), hidden: f.hiddenBefore(f.runs.end()), open: f.unfolded})
	case f.back.n > f.from():
		f.runs.at(f.runs.end()-1).n++
	}
}

// Prepend adds a row of a kind at the beginning.
func (f *Folded) Prepend(row, kind uint32) {
	n := f.rows.len()
	f.rows.pushFront(row)
	if n == 0 {
		f.back = edge{kind, 1}
	}
	if n == 0 || !f.front.joins(kind) {
		f.front = edge{kind, 1}
		return
	}
	if f.front.n == n {
		f.back.n++
	}
	f.front.n++
	switch {
	case f.front.n == f.from():
		first := run{start: f.rows.first(), n: f.from(), open: f.unfolded}
		first.hidden = f.hiddenBefore(f.runs.first()) - first.hides()
		f.runs.pushFront(first)
	case f.front.n > f.from():
		first := f.runs.at(f.runs.first())
		before := first.hides()
		first.n++
		first.start--
		first.hidden -= first.hides() - before
	}
}

// UpTo returns the list as before row was appended, with the current folds. It shares the
// rows with f, to which more may be appended; it copies the runs.
func (f *Folded) UpTo(row int) *Folded {
	end, _ := f.index(row)
	cut := &Folded{From: f.From, Place: f.Place, unfolded: f.unfolded, back: edge{n: 1}, front: edge{n: 1}}
	rows := f.rows.all()[:end-f.rows.first()]
	cut.rows = deque[uint32]{items: rows[:len(rows):len(rows)], zero: -f.rows.first()}
	runs := f.runs.all()[:f.runBy(func(r *run) bool { return r.start+f.from() > end })-f.runs.first()]
	cut.runs.items = slices.Clone(runs)
	if n := len(runs); n > 0 {
		last := &cut.runs.items[n-1]
		last.n = min(last.n, end-last.start)
	}
	return cut
}

// hiddenBefore returns the rows hidden by the runs before index i, on the scale of
// run.hidden.
func (f *Folded) hiddenBefore(i int) int {
	switch {
	case f.runs.len() == 0:
		return 0
	case i < f.runs.end():
		return f.runs.at(i).hidden
	}
	last := f.runs.at(f.runs.end() - 1)
	return last.hidden + last.hides()
}

// Keep prevents the last run from folding if it is still short and contains a row. Rows
// added later start a new run.
func (f *Folded) Keep(row int) {
	if f.back.n < f.from() && f.rows.len() > 0 && f.place(row) >= f.place(int(*f.rows.at(f.rows.end() - f.back.n))) {
		f.back = edge{n: 1}
	}
}

// Insert inserts a row of kind 0 at its position, unless it is listed.
func (f *Folded) Insert(row int) {
	at, listed := f.index(row)
	switch {
	case listed:
		return
	case at == f.rows.end():
		f.Append(uint32(row), 0)
		return
	case at == f.rows.first():
		f.Prepend(uint32(row), 0)
		return
	}
	front, back := at-f.rows.first(), f.rows.end()-at
	f.front.n, f.back.n = min(f.front.n, front), min(f.back.n, back)
	f.rows.insert(at, uint32(row))
	i := f.runAfter(at)
	if i < f.runs.end() && f.runs.at(i).start < at {
		i = f.split(i, at)
	}
	f.shift(i, 1)
}

// split divides a run at an inserted row and returns the index of the first run after it.
// Parts too short for a fold are no longer runs.
func (f *Folded) split(i, at int) int {
	whole := *f.runs.at(i)
	left, right := whole, whole
	left.n = at - whole.start
	right.start, right.n = at, whole.n-left.n
	f.runs.remove(i, 1)
	if left.n >= f.from() {
		f.runs.insert(i, left)
		i++
	}
	if right.n >= f.from() {
		f.runs.insert(i, right)
	}
	return i
}

// Remove removes a row of kind 0, if it is listed.
func (f *Folded) Remove(row int) {
	at, listed := f.index(row)
	if !listed {
		return
	}
	if at == f.rows.first() {
		f.front = edge{n: 1}
	}
	if at == f.rows.end()-1 {
		f.back = edge{n: 1}
	}
	f.rows.remove(at, 1)
	f.shift(f.runAfter(at), -1)
}

// shift moves the runs from i on and updates what is hidden before them.
func (f *Folded) shift(i, by int) {
	for ; i < f.runs.end(); i++ {
		f.runs.at(i).start += by
	}
	f.recount()
}

func (f *Folded) recount() {
	hidden := 0
	runs := f.runs.all()
	for i := range runs {
		runs[i].hidden = hidden
		hidden += runs[i].hides()
	}
}

// Fold returns the length of the run of a row, or zero, and whether it is folded.
func (f *Folded) Fold(row int) (rows int, folded bool) {
	if r := f.runOf(row); r != nil {
		return r.n, !r.open
	}
	return 0, false
}

// Begins reports whether a row is the first of a run.
func (f *Folded) Begins(row int) bool {
	at, _ := f.index(row)
	r := f.runOf(row)
	return r != nil && r.start == at
}

// SetFold folds or unfolds the run of a row. It returns false if nothing changes.
func (f *Folded) SetFold(row int, fold bool) bool {
	r := f.runOf(row)
	if r == nil || r.open != fold {
		return false
	}
	r.open = !fold
	f.recount()
	return true
}

// SetAll folds or unfolds all runs, including future ones.
func (f *Folded) SetAll(fold bool) {
	f.unfolded = !fold
	runs := f.runs.all()
	for i := range runs {
		runs[i].open = !fold
	}
	f.recount()
}

// Has reports whether a row is listed, even inside a fold.
func (f *Folded) Has(row int) bool {
	_, listed := f.index(row)
	return listed
}

// All returns all rows, including folded ones. The caller must not change them.
func (f *Folded) All() []uint32 { return f.rows.all() }

// Len implements List.
func (f *Folded) Len() int {
	return f.rows.len() - f.hiddenBefore(f.runs.end()) + f.hiddenBefore(f.runs.first())
}

// Span implements List.
func (f *Folded) Span(position int) (first, last int) {
	at, n := f.rows.first()+position, 1
	if i := f.runBy(func(r *run) bool { return f.positionOf(r) > position }) - 1; i >= f.runs.first() {
		r := f.runs.at(i)
		switch {
		case f.positionOf(r) < position:
			at += r.hidden + r.hides() - f.hiddenBefore(f.runs.first())
		case r.open:
			at = r.start
		default:
			at, n = r.start, r.n
		}
	}
	return int(*f.rows.at(at)), int(*f.rows.at(at + n - 1))
}

func (f *Folded) positionOf(r *run) int {
	return r.start - f.rows.first() - r.hidden + f.hiddenBefore(f.runs.first())
}

// Position implements List.
func (f *Folded) Position(row int) int {
	at, _ := f.index(row)
	i := f.runBy(func(r *run) bool { return r.start > at }) - 1
	if i < f.runs.first() {
		return at - f.rows.first()
	}
	r := f.runs.at(i)
	if at < r.start+r.n && !r.open {
		return f.positionOf(r)
	}
	return at - f.rows.first() - r.hidden - r.hides() + f.hiddenBefore(f.runs.first())
}

// Before implements List.
func (f *Folded) Before(row int) int {
	at, _ := f.index(row)
	return at - f.rows.first()
}

// index returns the index of a row in rows, or where it would be inserted.
func (f *Folded) index(row int) (at int, listed bool) {
	rows, place := f.rows.all(), f.place(row)
	i := sort.Search(len(rows), func(i int) bool { return f.place(int(rows[i])) >= place })
	return i + f.rows.first(), i < len(rows) && int(rows[i]) == row
}

func (f *Folded) place(row int) int64 {
	if f.Place == nil {
		return int64(row)
	}
	return f.Place(row)
}

// runOf returns the run of a row, or nil.
func (f *Folded) runOf(row int) *run {
	at, listed := f.index(row)
	if !listed {
		return nil
	}
	if i := f.runAfter(at); i < f.runs.end() && f.runs.at(i).start <= at {
		return f.runs.at(i)
	}
	return nil
}

// runAfter returns the first run that ends after an index of rows.
func (f *Folded) runAfter(at int) int {
	return f.runBy(func(r *run) bool { return r.start+r.n > at })
}

// runBy returns the first run for which after is true; it must be true for all later
// runs.
func (f *Folded) runBy(after func(*run) bool) int {
	return sort.Search(f.runs.len(), func(i int) bool { return after(f.runs.at(f.runs.first() + i)) }) + f.runs.first()
}

// A deque is a list that grows at both ends. An item keeps its index, so the first index
// may be negative.
type deque[T any] struct {
	items []T // from head on
	head  int
	zero  int // position of the item with index 0, even if there is none
}

func (d *deque[T]) len() int   { return len(d.items) - d.head }
func (d *deque[T]) first() int { return d.head - d.zero }
func (d *deque[T]) end() int   { return len(d.items) - d.zero }

func (d *deque[T]) at(i int) *T { return &d.items[d.zero+i] }

func (d *deque[T]) all() []T { return d.items[d.head:] }

func (d *deque[T]) push(item T) { d.items = append(d.items, item) }

func (d *deque[T]) pushFront(item T) {
	if d.head == 0 {
		d.makeRoom()
	}
	d.head--
	d.items[d.head] = item
}

func (d *deque[T]) makeRoom() {
	room := len(d.items) + 64
	items := make([]T, room+len(d.items))
	copy(items[room:], d.items)
	d.items, d.head, d.zero = items, room, d.zero+room
}

func (d *deque[T]) insert(i int, item T) {
	d.items = append(d.items, item)
	at := d.zero + i
	copy(d.items[at+1:], d.items[at:])
	d.items[at] = item
}

func (d *deque[T]) remove(i, n int) {
	at := d.zero + i
	d.items = append(d.items[:at], d.items[at+n:]...)
}
