package jsontree

// Move moves the cursor by n lines, down if n is positive. Downwards from
// "… more" it shows more.
func (t *Tree) Move(n int) {
	if len(t.lines) == 0 {
		return
	}
	if n > 0 && t.lines[t.cursor].kind == moreLine {
		t.openGap(t.cursor)
		n-- // the first new line has taken the place of "more"
	}
	t.moveTo(t.cursor + n)
}

// Page moves by n screens. One line of the old screen stays in sight.
func (t *Tree) Page(n int) { t.Move(n * max(t.height-1, 1)) }

// HalfPage moves by n half screens.
func (t *Tree) HalfPage(n int) { t.Move(n * max(t.height/2, 1)) }

// Home moves to the first line.
func (t *Tree) Home() { t.moveTo(0) }

// End moves to the last line that is shown.
func (t *Tree) End() { t.moveTo(len(t.lines) - 1) }

// Scroll moves the lines under the cursor by n, as the wheel of a mouse does.
func (t *Tree) Scroll(n int) {
	t.top = min(max(t.top+n, 0), max(len(t.lines)-t.height, 0))
	t.cursor = min(max(t.cursor, t.top), max(t.top+t.height-1, t.top), max(len(t.lines)-1, 0))
}

// maxScrollX bounds how far lines are moved to the left.
const maxScrollX = 1 << 14

// ScrollX moves the lines by n cells, so that more of their right is seen if n
// is positive.
func (t *Tree) ScrollX(n int) { t.scrollX = min(max(t.scrollX+n, 0), maxScrollX) }

// SelectLine moves the cursor to a line of the screen, counted from its top,
// and says whether there is one.
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

// keepInSight makes the cursor a line that there is, and the window one that
// it is in.
func (t *Tree) keepInSight() {
	t.cursor = min(max(t.cursor, 0), max(len(t.lines)-1, 0))
	h := max(t.height, 1)
	t.top = min(max(t.top, t.cursor-h+1), t.cursor)
	t.top = max(min(t.top, len(t.lines)-h), 0)
}
