package table

// maxScrollX limits horizontal scrolling. The detail pane has the rest of a long text.
const maxScrollX = 1 << 14

// Move moves the cursor down by n rows. Moving up ends following.
func (t *Table) Move(n int) {
	w := t.window()
	t.trail = false
	if n < 0 {
		t.follow = false
	}
	if t.follow || w.len == 0 {
		return
	}
	cursor := min(max(w.cursor+n, 0), w.len-1)
	if body := t.body(); cursor >= w.top+body {
		w.top = cursor - body + 1
	}
	t.place(min(w.top, cursor), cursor)
}

// Page moves by n pages, which share a row.
func (t *Table) Page(n int) { t.Move(n * max(t.body()-1, 1)) }

// HalfPage moves by n half pages.
func (t *Table) HalfPage(n int) { t.Move(n * max(t.body()/2, 1)) }

// Home moves to the first row and ends following.
func (t *Table) Home() { t.Move(-max(t.Len(), 1)) }

// End moves to the newest row and starts following.
func (t *Table) End() { t.SetFollow(true) }

// SetFollow starts or ends following; then the cursor stays on the newest row.
func (t *Table) SetFollow(on bool) {
	w := t.window()
	t.follow, t.trail = on, false
	if !on && w.len > 0 {
		t.place(w.top, w.cursor)
	}
}

// Select moves the cursor to a row and ends following. If the filter hides the row, the
// cursor is on its next visible neighbour until the filter is removed. A row that was not
// visible is shown in the middle.
func (t *Table) Select(row int) {
	w := t.window()
	t.follow, t.trail = false, false
	t.anchor = t.within(row)
	cursor := min(t.position(t.anchor), max(w.len-1, 0))
	t.offset = cursor - w.top
	if body := t.body(); t.offset < 0 || t.offset >= body {
		t.offset = body / 2
	}
}

// Trail keeps showing the newest rows after Select, until the selected row is the first
// visible one, or the user moves.
func (t *Table) Trail() { t.trail = !t.follow }

// Scroll scrolls the rows under the cursor by n lines, like a mouse wheel. The cursor
// keeps its row while that is visible. Scrolling up ends following.
func (t *Table) Scroll(n int) {
	w := t.window()
	t.trail = false
	if n < 0 {
		t.follow = false
	}
	if t.follow || w.len == 0 {
		return
	}
	body := t.body()
	top := min(max(w.top+n, 0), max(w.len-body, 0))
	t.place(top, min(max(w.cursor, top), top+body-1))
}

// ScrollX scrolls the scrollable columns to the right by n cells.
func (t *Table) ScrollX(n int) {
	t.scrollX = min(max(t.scrollX+n, 0), maxScrollX)
	t.layout()
}

func (t *Table) place(top, cursor int) {
	t.anchor, t.offset = t.row(cursor), cursor-top
}
