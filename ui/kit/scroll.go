package kit

import (
	"cmp"

	"mcpdbg/ui/widget/jsontree"
)

// A Scroll is the visible part of a text.
type Scroll struct {
	Top, Height, Lines int
}

// Move scrolls by the name of a movement action.
func (s *Scroll) Move(way string) {
	n, _ := LinesOf(way, max(s.Height-1, 1))
	s.By(n)
}

// By scrolls down by n lines.
func (s *Scroll) By(n int) {
	s.Top += n
	s.Fit(s.Height, s.Lines)
}

// Fit sets the height of the view and the length of the text.
func (s *Scroll) Fit(height, lines int) {
	s.Height, s.Lines = max(height, 0), lines
	s.Top = Between(0, s.Top, max(lines-s.Height, 0))
}

// Shown returns the visible lines; to is exclusive.
func (s *Scroll) Shown() (from, to int) { return s.Top, min(s.Top+s.Height, s.Lines) }

// All reports whether the whole text is visible.
func (s *Scroll) All() bool { return s.Lines <= s.Height }

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
