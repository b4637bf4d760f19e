package kit

import "mcpdbg/ui/widget/paint"

// A Mark is a sign at the beginning of a row: the state of a call, or what kind of line
// it is. The zero value is NoMark.
type Mark uint8

// The marks.
const (
	NoMark Mark = iota
	Running
	Waits
	Failed
	Cancelled
	Unanswered
	NotMessage
	Warning
	Own
	Held
	Marked
	Noted
	markCount
)

// A MarkInfo describes a mark.
type MarkInfo struct {
	Glyph, ASCII string // of one cell
	Words        string // for the menu
}

// marks is the one table of marks; see style for their looks.
var marks = [markCount]MarkInfo{
	Running:    {"…", ".", "running"},
	Waits:      {"?", "?", "waits for you"},
	Failed:     {"✗", "E", "failed"},
	Cancelled:  {"⊘", "C", "cancelled"},
	Unanswered: {"∅", "N", "no answer"},
	NotMessage: {"#", "#", "not a message"},
	Warning:    {"△", "W", "warning"},
	Own:        {"⇢", ">", "not sent by the client"},
	Held:       {"H", "H", "held"},
	Marked:     {"◆", "m", "your mark"},
	Noted:      {"✎", "n", "your note"},
}

// AllMarks returns the marks in their order.
func AllMarks() []Mark {
	all := make([]Mark, 0, markCount)
	for m := NoMark + 1; m < markCount; m++ {
		all = append(all, m)
	}
	return all
}

// Info returns the description of a mark.
func (m Mark) Info() MarkInfo { return marks[m] }

func (m Mark) style(th *paint.Theme) paint.Style {
	switch m {
	case Running, Own:
		return th.Accent
	case Waits, Held:
		return th.Waits
	case Failed:
		return th.Failed
	case Marked, Noted:
		return th.You
	}
	return th.Odd
}

// drawnMarks are the marks for a theme and a set of glyphs.
type drawnMarks struct {
	theme  *paint.Theme
	ascii  bool
	glyphs [markCount]string
	styles [markCount]paint.Style
}

// Mark returns the style and the glyph of a mark. A letter is reversed, so that it does
// not look like a key.
func (s *Screen) Mark(m Mark) (paint.Style, string) {
	if d := &s.marks; d.theme != s.Theme || d.ascii != s.ASCII {
		d.theme, d.ascii = s.Theme, s.ASCII
		for m := NoMark + 1; m < markCount; m++ {
			d.styles[m], d.glyphs[m] = m.style(s.Theme), marks[m].Glyph
			if s.ASCII {
				d.glyphs[m] = marks[m].ASCII
			}
			if d.glyphs[m][0] >= 'A' && d.glyphs[m][0] <= 'z' {
				d.styles[m] = d.styles[m].With(paint.Reversed())
			}
		}
	}
	return s.marks.styles[m], s.marks.glyphs[m]
}

// A Sign is something on the screen that is not a word, with what it means.
type Sign struct {
	Style        paint.Style
	Glyph, Words string
}

// Sign returns a mark as a sign.
func (s *Screen) Sign(m Mark) Sign {
	style, glyph := s.Mark(m)
	return Sign{style, glyph, marks[m].Words}
}

// MarkOf returns the mark with a glyph, NoMark without one.
func (s *Screen) MarkOf(glyph string) Mark {
	for m := NoMark + 1; m < markCount; m++ {
		if _, drawn := s.Mark(m); drawn == glyph {
			return m
		}
	}
	return NoMark
}
