package kit

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"

	"slices"
)

// A Screen is the target of all drawing: the canvas of one frame with its size,
// the theme, and the set of glyphs.
type Screen struct {
	Canvas        paint.Canvas
	Width, Height int
	Top           int        // the first line below the header and the lines of likely causes
	Panes         paint.Rect // between the likely causes and the lines above the footer
	Theme         *theme.Theme
	ASCII         bool // use only ASCII glyphs
	Graphics      Graphics
}

// PanesHeight is the least height of a screen that shows several panes, in lines.
const PanesHeight = 16

// Look returns the options for cutting and escaping text.
func (s *Screen) Look() termsafe.Options {
	o := termsafe.Options{Ellipsis: termsafe.Ellipsis, EscapeStart: s.Theme.Escape.On, EscapeEnd: s.Theme.Escape.Off}
	if s.ASCII {
		o.Ellipsis = "~"
	}
	return o
}

// Body returns the area between the lines above the panes and the footer, in
// which overlays are centred.
func (s *Screen) Body() paint.Rect {
	return paint.Rect{Y: s.Top, W: s.Width, H: s.Height - s.Top - 1}
}

// Border returns the frame of a pane.
func (s *Screen) Border(left, right string, focused bool) paint.Frame {
	f := paint.Frame{
		Style: s.Theme.Border, Title: left, TitleStyle: s.Theme.Title, Right: right, RightStyle: s.Theme.Dim,
	}
	if s.ASCII {
		f.Border = paint.ASCII
	}
	if focused {
		f.Border++ // in both glyph sets, heavy follows light
		f.Style, f.TitleStyle = s.Theme.FocusBorder, s.Theme.FocusTitle
	}
	return f
}

// PaintHits paints a text with the matching bytes in their own style.
func (s *Screen) PaintHits(l *paint.Line, text string, hits []int, selected bool) {
	style := s.Theme.Match
	if selected {
		style = s.Theme.SelectedMatch
	}
	for i, r := range text {
		if slices.Contains(hits, i) {
			l.Text(style, string(r))
		} else {
			l.Text(theme.Style{}, string(r))
		}
	}
}

// PaintQuery paints the input line of a list that typing narrows.
func (s *Screen) PaintQuery(l *paint.Line, text, hint string) {
	l.Text(s.Theme.Key, "/ ")
	if text == "" {
		l.Text(s.Theme.Selected, " ")
		l.Text(s.Theme.Dim, hint)
		return
	}
	query := []rune(text)
	for len(query) > 0 && termsafe.Width(string(query)) > l.Room()-1 {
		query = query[1:]
	}
	l.Text(s.Theme.Text, string(query))
	l.Text(s.Theme.Selected, " ")
}

// PaintRule paints a line across the remaining width.
func (s *Screen) PaintRule(l *paint.Line) {
	rule := "─"
	if s.ASCII {
		rule = "-"
	}
	l.Rule(s.Theme.Border, rule)
}

// PaintSheetRow paints one row of a sheet, with labels cells for the labels.
func (s *Screen) PaintSheetRow(l *paint.Line, row Row, labels int) {
	if row.Heading != "" {
		l.Text(s.Theme.Strong, " "+row.Heading)
		return
	}
	l.PadTo(2)
	l.Text(s.Theme.Key, row.Label)
	if l.Cells() >= labels {
		l.Text(row.Style, " ")
	}
	l.PadTo(labels)
	l.Text(row.Style, row.Text)
}
