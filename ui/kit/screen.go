package kit

import (
	"fmt"
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// A Screen is the target of drawing: the canvas of one frame, its size, the theme, and
// the set of glyphs.
type Screen struct {
	Canvas        paint.Canvas
	Width, Height int
	Top           int        // first line below the header and the likely causes
	Panes         paint.Rect // between the likely causes and the lines above the footer
	Theme         *paint.Theme
	ASCII         bool // use only ASCII glyphs
	Graphics      Graphics
	marks         drawnMarks
}

// PanesHeight is the least height in lines of a screen with several panes.
const PanesHeight = 16

// Look returns the options for cutting and escaping text.
func (s *Screen) Look() termsafe.Options {
	o := termsafe.Options{Ellipsis: termsafe.Ellipsis, EscapeStart: s.Theme.Escape.On, EscapeEnd: s.Theme.Escape.Off}
	if s.ASCII {
		o.Ellipsis = "~"
	}
	return o
}

// Body returns the area between the lines above the panes and the footer, in which
// overlays are centred.
func (s *Screen) Body() paint.Rect {
	return paint.Rect{Y: s.Top, W: s.Width, H: s.Height - s.Top - 1}
}

// Border returns the frame of a pane.
func (s *Screen) Border(left, right string, focused bool) paint.Frame {
	f := paint.Frame{
		Style: s.Theme.Rule, Title: left, TitleStyle: s.Theme.Title, Right: right, RightStyle: s.Theme.Dim,
	}
	if s.ASCII {
		f.Border = paint.ASCII
	}
	if focused {
		f.Border++ // in both glyph sets, heavy follows light
		f.Style, f.TitleStyle = s.Theme.FocusRule, s.Theme.FocusTitle
	}
	return f
}

// PaintHits paints a text with the matching bytes in their own style.
func (s *Screen) PaintHits(l *paint.Line, text string, hits []int) {
	for i, r := range text {
		if slices.Contains(hits, i) {
			l.Text(s.Theme.Match, string(r))
		} else {
			l.Text(paint.Style{}, string(r))
		}
	}
}

// PaintQuery paints the input line of a list that typing narrows.
func (s *Screen) PaintQuery(l *paint.Line, text, hint string) {
	l.Text(s.Theme.Accent, "/ ")
	if text == "" {
		l.Text(s.Theme.Caret, " ")
		l.Text(s.Theme.Dim, hint)
		return
	}
	query := []rune(text)
	for len(query) > 0 && termsafe.Width(string(query)) > l.Room()-1 {
		query = query[1:]
	}
	l.Text(s.Theme.Text, string(query))
	l.Text(s.Theme.Caret, " ")
}

// PaintRule paints a line across the remaining width.
func (s *Screen) PaintRule(l *paint.Line) {
	rule := "─"
	if s.ASCII {
		rule = "-"
	}
	l.Rule(s.Theme.Rule, rule)
}

// PaintSheetRow paints a row of a sheet, with labels cells for labels.
func (s *Screen) PaintSheetRow(l *paint.Line, row Row, labels int) {
	if row.Heading != "" {
		l.Text(s.Theme.Strong, " "+row.Heading)
		return
	}
	l.PadTo(2)
	l.Text(s.Theme.Accent, row.Label)
	if l.Cells() >= labels {
		l.Text(row.Style, " ")
	}
	l.PadTo(labels)
	l.Text(row.Style, row.Text)
}

// MaxServerText is how many bytes of the server's text a question shows.
const MaxServerText = 16 << 10

// DialogWidth is the width of a dialog with its border, if there is room.
const DialogWidth = 76

// InputStyles are the styles of a text field of one line.
func InputStyles() textinput.Styles {
	state := textinput.StyleState{Placeholder: hintStyle()}
	return textinput.Styles{Focused: state, Blurred: state}
}

// FrameInterval is the shortest time between two frames, 30 a second however fast the log
// grows.
const FrameInterval = time.Second / 30

// A Sheet is a text over the panes, such as the details of the process, rebuilt for each
// frame.
type Sheet struct {
	Title  string
	Rows   func(width int) []Row
	Labels int // width of the labels
	Scroll Scroll
}

// A Row is a heading, or a label and its text.
type Row struct {
	Heading string
	Label   string
	Text    string // may be untrusted
	Style   paint.Style
}

// SheetWidth is the width of a sheet with its border, if there is room.
const SheetWidth = 110

// AddRows adds a label with its text, wrapped to width cells.
func AddRows(rows []Row, label, text string, style paint.Style, width int) []Row {
	for _, line := range termsafe.Wrap(text, width) {
		rows = append(rows, Row{Label: label, Text: line, Style: style})
		label = ""
	}
	return rows
}

// Paint draws the sheet over the screen.
func (s *Sheet) Paint(on *Screen) {
	r := on.Body().Center(SheetWidth, on.Height-2)
	in := r.Inner()
	rows := s.Rows(in.W - s.Labels)
	s.Scroll.Fit(in.H, len(rows))
	block := &paint.Lines{Options: on.Look()}
	block.Resize(in.W, in.H)
	from, to := s.Scroll.Shown()
	for y, row := range rows[from:to] {
		on.PaintSheetRow(block.Line(y), row, s.Labels)
	}
	right := "esc closes"
	if !s.Scroll.All() {
		right = fmt.Sprintf("%d-%d of %d  esc closes", from+1, to, len(rows))
	}
	on.Canvas.Box(r, on.Border(s.Title, right, true), block)
}
