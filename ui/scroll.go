package ui

// A scroll is the part of a text that is on the screen.
type scroll struct {
	top, height, lines int
}

// The ways to scroll.
const (
	lineUp = iota
	lineDown
	pageUp
	pageDown
)

// scrolls are the actions that scroll what stands over the panes.
var scrolls = map[string]int{
	actDialogUp: lineUp, actDialogDown: lineDown, actDialogPageUp: pageUp, actDialogPageDown: pageDown,
	actAskUp: lineUp, actAskDown: lineDown, actAskPageUp: pageUp, actAskPageDown: pageDown,
}

func (s *scroll) move(way int) {
	page := max(s.height-1, 1)
	switch way {
	case lineUp:
		s.top--
	case lineDown:
		s.top++
	case pageUp:
		s.top -= page
	case pageDown:
		s.top += page
	}
	s.fit(s.height, s.lines)
}

// by scrolls by lines, down if n is positive.
func (s *scroll) by(n int) {
	s.top += n
	s.fit(s.height, s.lines)
}

// fit takes the height of the screen and the length of the text.
func (s *scroll) fit(height, lines int) {
	s.height, s.lines = max(height, 0), lines
	s.top = between(0, s.top, max(lines-s.height, 0))
}

// shown are the lines on the screen: from is the first, to behind the last.
func (s *scroll) shown() (from, to int) { return s.top, min(s.top+s.height, s.lines) }

// all tells whether everything is on the screen.
func (s *scroll) all() bool { return s.lines <= s.height }

// toTheEnd is more lines than any text on the screen has.
const toTheEnd = 1 << 30

// linesOf is how far an action scrolls a view of height lines that has no cursor;
// not ok if it does not.
func linesOf(action string, height int) (n int, ok bool) {
	switch action {
	case actUp:
		return -1, true
	case actDown:
		return 1, true
	case actPageUp:
		return -height, true
	case actPageDown:
		return height, true
	case actHalfUp:
		return -height / 2, true
	case actHalfDown:
		return height / 2, true
	case actTop:
		return -toTheEnd, true
	case actBottom:
		return toTheEnd, true
	}
	return 0, false
}
