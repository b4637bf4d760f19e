package kit

import (
	"cmp"
)

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

// A cursored is a list, a table or a tree with a cursor.
type cursored interface {
	Move(n int)
	Page(n int)
	HalfPage(n int)
	Home()
	End()
}

// MoveCursor moves a cursor, by the name of an action that moves, and reports
// whether the action does.
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
