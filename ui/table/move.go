package table

// maxScrollX bounds how far a column is moved. What is further right is read
// in the detail pane.
const maxScrollX = 1 << 14

// Move moves the cursor by n rows, down if n is positive, as far as there are
// rows. Upwards it ends following.
func (t *Table) Move(n int) {
	w := t.window()
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

// Page moves by n screens. One row of the old screen stays in sight.
func (t *Table) Page(n int) { t.Move(n * max(t.body()-1, 1)) }

// HalfPage moves by n half screens.
func (t *Table) HalfPage(n int) { t.Move(n * max(t.body()/2, 1)) }

// Home moves to the first row and ends following.
func (t *Table) Home() { t.Move(-max(t.Len(), 1)) }

// End moves to the newest row and begins to follow.
func (t *Table) End() { t.SetFollow(true) }

// SetFollow begins or ends following. When it ends, the cursor stays on the
// newest row.
func (t *Table) SetFollow(on bool) {
	w := t.window()
	t.follow = on
	if !on && w.len > 0 {
		t.place(w.top, w.cursor)
	}
}

// Select moves the cursor to a row and ends following. If the filter hides the
// row, its next visible neighbour is shown, and the row as soon as the filter
// is gone. A row that was not on the screen comes to its middle.
func (t *Table) Select(row int) {
	w := t.window()
	t.follow = false
	t.anchor = min(max(row, 0), max(t.source.Len()-1, 0))
	cursor := min(t.position(t.anchor), max(w.len-1, 0))
	t.offset = cursor - w.top
	if body := t.body(); t.offset < 0 || t.offset >= body {
		t.offset = body / 2
	}
}

// Scroll moves the rows under the cursor by n lines, as the wheel of a mouse
// does. The cursor keeps its row while that is in sight. Upwards it ends
// following.
func (t *Table) Scroll(n int) {
	w := t.window()
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

// ScrollX moves the columns that may scroll by n cells, to the right if n is
// positive.
func (t *Table) ScrollX(n int) {
	t.scrollX = min(max(t.scrollX+n, 0), maxScrollX)
	t.layout()
}

// place makes the row at a position the cursor, and the one at top the first
// on the screen.
func (t *Table) place(top, cursor int) {
	t.anchor, t.offset = t.row(cursor), cursor-top
}
