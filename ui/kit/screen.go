package kit

import (
	"fmt"
	"slices"
	"time"

	"charm.land/bubbles/v2/progress"

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
	Drops         bool // keys do not reach the dialog that is drawn
	marks         drawnMarks
	borders       []border // rendered before
	top           *placed  // the topmost dialog of the frame
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

// PaintRule paints a line across the remaining width.
func (s *Screen) PaintRule(l *paint.Line) {
	rule := "─"
	if s.ASCII {
		rule = "-"
	}
	l.Rule(s.Theme.Rule, rule)
}

// PaintProgress paints a bar of what is done, from 0 to 1.
func (s *Screen) PaintProgress(l *paint.Line, done float64) {
	full, empty := '█', '░'
	if s.ASCII {
		full, empty = '=', '.'
	}
	const cells = 20
	bar := progress.New(progress.WithWidth(cells), progress.WithFillCharacters(full, empty), progress.WithoutPercentage())
	bar.FullColor, bar.EmptyColor = s.Theme.Lipgloss(s.Theme.Good).GetForeground(), s.Theme.Lipgloss(s.Theme.Dim).GetForeground()
	l.Rendered(bar.ViewAs(done))
}

// PaintSheet paints rows into some lines of a block, as PaintSheetRow does. If they do not
// fit, the last line shows how many more there are.
func (s *Screen) PaintSheet(out *paint.Lines, from, height int, rows []Row, labels int) {
	for i, row := range rows[:Between(0, height, len(rows))] {
		if i == height-1 && len(rows) > height {
			out.Line(from+i).Text(s.Theme.Dim, fmt.Sprintf("  ... %d more lines", len(rows)-i))
			return
		}
		s.PaintSheetRow(out.Line(from+i), row, labels)
	}
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

// FrameInterval is the shortest time between two frames, 30 a second however fast the log
// grows.
const FrameInterval = time.Second / 30

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
