package kit

// A Scroll is the visible part of a text.
type Scroll struct {
	Top, Height, Lines int
}

// Move scrolls; action is the name of a moving action.
func (s *Scroll) Move(way string) {
	n, _ := LinesOf(way, max(s.Height-1, 1))
	s.By(n)
}

// By scrolls by n lines, down if n is positive.
func (s *Scroll) By(n int) {
	s.Top += n
	s.Fit(s.Height, s.Lines)
}

// Fit sets the height of the view and the length of the text.
func (s *Scroll) Fit(height, lines int) {
	s.Height, s.Lines = max(height, 0), lines
	s.Top = Between(0, s.Top, max(lines-s.Height, 0))
}

// Shown returns the range of visible lines; to is exclusive.
func (s *Scroll) Shown() (from, to int) { return s.Top, min(s.Top+s.Height, s.Lines) }

// All reports whether the whole text is visible.
func (s *Scroll) All() bool { return s.Lines <= s.Height }

// toTheEnd is more lines than any text has.
const toTheEnd = 1 << 30

// LinesOf returns how far an action scrolls a view of height lines without a
// cursor; ok is false for other actions.
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
