package table

import (
	"slices"
	"sort"
)

// foldFrom is how many alike rows after one another make a fold.
const foldFrom = 6

// Folded is a List in which a long run of alike rows stands as one fold, until
// it is unfolded. Rows are added at either end, each in constant time, whether
// it falls into a fold or not; to find one takes the logarithm of what there
// is. The zero value is an empty list. It belongs to one goroutine.
//
// What is alike is for the caller to say: rows of the same kind are, except
// those of kind 0, which never fold.
type Folded struct {
	rows deque[uint32]
	runs deque[run] // of at least foldFrom rows, in order

	// The runs at both ends, however short, which more rows may join. They may
	// be the same one.
	front, back edge
	unfolded    bool // runs that come stand unfolded
}

// A run is a number of alike rows, one after the other.
type run struct {
	start  int // index of the first one in rows
	n      int
	hidden int // rows that runs before it hide; only differences mean something
	open   bool
}

// hides is how many rows the run takes out of the list.
func (r *run) hides() int {
	if r.open {
		return 0
	}
	return r.n - 1
}

// An edge is the run that the first or the last row belongs to.
type edge struct {
	kind uint32
	n    int
}

func (e *edge) joins(kind uint32) bool { return kind != 0 && kind == e.kind }

// Append adds a row of a kind behind all others.
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
	case f.back.n == foldFrom:
		f.runs.push(run{start: f.rows.end() - foldFrom, n: foldFrom, hidden: f.hiddenBefore(f.runs.end()), open: f.unfolded})
	case f.back.n > foldFrom:
		f.runs.at(f.runs.end()-1).n++
	}
}

// Prepend adds a row of a kind in front of all others.
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
	case f.front.n == foldFrom:
		first := run{start: f.rows.first(), n: foldFrom, open: f.unfolded}
		first.hidden = f.hiddenBefore(f.runs.first()) - first.hides()
		f.runs.pushFront(first)
	case f.front.n > foldFrom:
		first := f.runs.at(f.runs.first())
		before := first.hides()
		first.n++
		first.start--
		first.hidden -= first.hides() - before
	}
}

// UpTo returns the list as it was before the first row from row on was appended,
// but for what was folded and unfolded since. It shares the rows with f, to
// which more may be appended; it costs a copy of the runs.
func (f *Folded) UpTo(row int) *Folded {
	end, _ := f.index(row)
	cut := &Folded{unfolded: f.unfolded, back: edge{n: 1}, front: edge{n: 1}}
	rows := f.rows.all()[:end-f.rows.first()]
	cut.rows = deque[uint32]{items: rows[:len(rows):len(rows)], zero: -f.rows.first()}
	runs := f.runs.all()[:f.runBy(func(r *run) bool { return r.start+foldFrom > end })-f.runs.first()]
	cut.runs.items = slices.Clone(runs)
	if n := len(runs); n > 0 {
		last := &cut.runs.items[n-1]
		last.n = min(last.n, end-last.start)
	}
	return cut
}

// hiddenBefore is how many rows the runs before that with index i hide, on the
// scale of run.hidden.
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

// Keep keeps the run that rows are being added to from folding while it is
// short and a row is in it. Those that are added later make another one.
func (f *Folded) Keep(row int) {
	if f.back.n < foldFrom && f.rows.len() > 0 && row >= int(*f.rows.at(f.rows.end() - f.back.n)) {
		f.back = edge{n: 1}
	}
}

// Insert adds a row of kind 0 in its place, unless it is listed.
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

// split divides a run where a row was inserted, and returns the index of the
// first run behind that place. What is too short for a fold is none any more.
func (f *Folded) split(i, at int) int {
	whole := *f.runs.at(i)
	left, right := whole, whole
	left.n = at - whole.start
	right.start, right.n = at, whole.n-left.n
	f.runs.remove(i, 1)
	if left.n >= foldFrom {
		f.runs.insert(i, left)
		i++
	}
	if right.n >= foldFrom {
		f.runs.insert(i, right)
	}
	return i
}

// Remove takes out a row of kind 0, if it is listed.
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

// shift moves the runs from i on, and counts anew what is hidden before them.
func (f *Folded) shift(i, by int) {
	for ; i < f.runs.end(); i++ {
		f.runs.at(i).start += by
	}
	f.recount()
}

// recount counts anew what each run has hidden before it.
func (f *Folded) recount() {
	hidden := 0
	runs := f.runs.all()
	for i := range runs {
		runs[i].hidden = hidden
		hidden += runs[i].hides()
	}
}

// Fold tells of the fold or unfolded run that a row is in: how many rows it
// has, none if the row is in no run, and whether it is folded.
func (f *Folded) Fold(row int) (rows int, folded bool) {
	if r := f.runOf(row); r != nil {
		return r.n, !r.open
	}
	return 0, false
}

// SetFold folds or unfolds the run that a row is in. It returns false if that
// changes nothing.
func (f *Folded) SetFold(row int, fold bool) bool {
	r := f.runOf(row)
	if r == nil || r.open != fold {
		return false
	}
	r.open = !fold
	f.recount()
	return true
}

// SetAll folds or unfolds all runs, and those that come.
func (f *Folded) SetAll(fold bool) {
	f.unfolded = !fold
	runs := f.runs.all()
	for i := range runs {
		runs[i].open = !fold
	}
	f.recount()
}

// Has tells whether a row is listed, be it in a fold.
func (f *Folded) Has(row int) bool {
	_, listed := f.index(row)
	return listed
}

// All returns all rows, those in folds too. The caller must not change them.
func (f *Folded) All() []uint32 { return f.rows.all() }

// Len implements List.
func (f *Folded) Len() int {
	return f.rows.len() - f.hiddenBefore(f.runs.end()) + f.hiddenBefore(f.runs.first())
}

// Span implements List.
func (f *Folded) Span(position int) (first, last int) {
	at, n := f.rows.first()+position, 1
	if i := f.runBy(func(r *run) bool { return f.stands(r) > position }) - 1; i >= f.runs.first() {
		r := f.runs.at(i)
		switch {
		case f.stands(r) < position:
			at += r.hidden + r.hides() - f.hiddenBefore(f.runs.first())
		case r.open:
			at = r.start
		default:
			at, n = r.start, r.n
		}
	}
	return int(*f.rows.at(at)), int(*f.rows.at(at + n - 1))
}

// stands is the position of a run.
func (f *Folded) stands(r *run) int {
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
		return f.stands(r)
	}
	return at - f.rows.first() - r.hidden - r.hides() + f.hiddenBefore(f.runs.first())
}

// Before implements List.
func (f *Folded) Before(row int) int {
	at, _ := f.index(row)
	return at - f.rows.first()
}

// index returns the index of a row in rows, or where it would stand.
func (f *Folded) index(row int) (at int, listed bool) {
	rows := f.rows.all()
	i := sort.Search(len(rows), func(i int) bool { return int(rows[i]) >= row })
	return i + f.rows.first(), i < len(rows) && int(rows[i]) == row
}

// runOf is the run that a row is in, nil if it is in none.
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

// runAfter is the index of the first run that ends behind an index of rows.
func (f *Folded) runAfter(at int) int {
	return f.runBy(func(r *run) bool { return r.start+r.n > at })
}

// runBy is the index of the first run for which after is true; it is for all
// behind that one.
func (f *Folded) runBy(after func(*run) bool) int {
	return sort.Search(f.runs.len(), func(i int) bool { return after(f.runs.at(f.runs.first() + i)) }) + f.runs.first()
}
