package jsontree

// Move moves the cursor down by n lines. Moving down from "… more" shows more.
func (t *Tree) Move(n int) {
	if len(t.lines) == 0 {
		return
	}
	if n > 0 && t.lines[t.cursor].kind == moreLine {
		t.openGap(t.cursor)
		n-- // the first new line has replaced "more"
	}
	t.moveTo(t.cursor + n)
}

// Page moves by n pages, which share a line.
func (t *Tree) Page(n int) { t.Move(n * max(t.height-1, 1)) }

// HalfPage moves by n half pages.
func (t *Tree) HalfPage(n int) { t.Move(n * max(t.height/2, 1)) }

// Home moves to the first line.
func (t *Tree) Home() { t.moveTo(0) }

// End moves to the last visible line.
func (t *Tree) End() { t.moveTo(len(t.lines) - 1) }

// Scroll scrolls the lines under the cursor by n, like a mouse wheel.
func (t *Tree) Scroll(n int) {
	t.top = min(max(t.top+n, 0), max(len(t.lines)-t.height, 0))
	t.cursor = min(max(t.cursor, t.top), max(t.top+t.height-1, t.top), max(len(t.lines)-1, 0))
}

const maxScrollX = 1 << 14

// ScrollX scrolls the lines to the right by n cells.
func (t *Tree) ScrollX(n int) { t.scrollX = min(max(t.scrollX+n, 0), maxScrollX) }

// SelectLine moves the cursor to a line of the screen, from its top, and reports whether
// there is one.
func (t *Tree) SelectLine(y int) bool {
	if y < 0 || y >= t.height || t.top+y >= len(t.lines) {
		return false
	}
	t.moveTo(t.top + y)
	return true
}

func (t *Tree) moveTo(i int) {
	t.cursor = i
	t.keepInSight()
}

// keepInSight moves the cursor to an existing line, and the window to the cursor.
func (t *Tree) keepInSight() {
	t.cursor = min(max(t.cursor, 0), max(len(t.lines)-1, 0))
	h := max(t.height, 1)
	t.top = min(max(t.top, t.cursor-h+1), t.cursor)
	t.top = max(min(t.top, len(t.lines)-h), 0)
}

// Cursor returns the line of the cursor, from the first line of the tree.
func (t *Tree) Cursor() int { return t.cursor }

// SetCursor moves the cursor to line i, or to the nearest one.
func (t *Tree) SetCursor(i int) { t.moveTo(i) }
