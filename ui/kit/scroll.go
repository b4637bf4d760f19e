package kit

import (
	"cmp"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/viewport"

	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/paint"
)

// A Text is the text of a dialog, of which a viewport shows a part. The zero value is
// empty.
type Text struct{ viewport.Model }

// Paint paints rows into some lines of a block, each with row, and returns which are
// visible; "" means all.
func (t *Text) Paint(out *paint.Lines, from, height, rows int, row func(l *paint.Line, i int)) (shown string) {
	w, _ := out.Size()
	l, lines := paint.Line{}, make([]string, rows)
	for i := range lines {
		l.Reset(w, out.Options)
		row(&l, i)
		lines[i] = l.String()
	}
	t.SetWidth(w)
	t.SetHeight(max(height, 0))
	t.SetContentLines(lines)
	for y, line := range strings.Split(t.View(), "\n")[:t.Height()] {
		out.Line(from + y).Rendered(line)
	}
	if t.All() {
		return ""
	}
	return fmt.Sprintf("lines %d-%d of %d", t.YOffset()+1, t.YOffset()+t.VisibleLineCount(), t.TotalLineCount())
}

// All reports whether the whole text is visible.
func (t *Text) All() bool { return t.TotalLineCount() <= t.Height() }

// Move scrolls by the name of a movement action.
func (t *Text) Move(way string) {
	n, _ := LinesOf(way, max(t.Height()-1, 1))
	t.By(n)
}

// By scrolls down by n lines.
func (t *Text) By(n int) { t.SetYOffset(t.YOffset() + n) }

// toTheEnd is more lines than any text has.
const toTheEnd = 1 << 30

// LinesOf returns how far an action scrolls a view of height lines without a cursor; ok
// is false for other actions.
func LinesOf(action string, height int) (n int, ok bool) {
	switch action {
	case Up:
		return -1, true
	case Down:
		return 1, true
	case PageUp:
		return -height, true
	case PageDown:
		return height, true
	case HalfPageUp:
		return -height / 2, true
	case HalfPageDown:
		return height / 2, true
	case Top:
		return -toTheEnd, true
	case Bottom:
		return toTheEnd, true
	}
	return 0, false
}

// The names of the actions that move a cursor, or what is visible of a text.
const (
	Up           = "up"
	Down         = "down"
	Left         = "left"
	Right        = "right"
	PageUp       = "page-up"
	PageDown     = "page-down"
	HalfPageUp   = "half-page-up"
	HalfPageDown = "half-page-down"
	Top          = "top"
	Bottom       = "bottom"
)

type cursored interface {
	Move(n int)
	Page(n int)
	HalfPage(n int)
	Home()
	End()
}

// MoveCursor moves a cursor by the name of a movement action, and reports whether it is
// one.
func MoveCursor(c cursored, way string) bool {
	switch way {
	case Up:
		c.Move(-1)
	case Down:
		c.Move(1)
	case PageUp:
		c.Page(-1)
	case PageDown:
		c.Page(1)
	case HalfPageUp:
		c.HalfPage(-1)
	case HalfPageDown:
		c.HalfPage(1)
	case Top:
		c.Home()
	case Bottom:
		c.End()
	default:
		return false
	}
	return true
}

// Between returns n, or the nearer of low and high if it is outside.
func Between[N cmp.Ordered](low, n, high N) N { return min(max(n, low), high) }

// MoveTree moves the cursor of a tree by the name of a movement action, and reports
// whether it is one. With folds, left and right fold and unfold; else they scroll.
func MoveTree(t *jsontree.Tree, way string, folds bool) bool {
	switch {
	case way == Left && folds:
		t.Fold()
	case way == Left:
		t.ScrollX(-scrollCells)
	case way == Right && folds:
		t.Unfold()
	case way == Right:
		t.ScrollX(scrollCells)
	default:
		return MoveCursor(t, way)
	}
	return true
}
