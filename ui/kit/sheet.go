package kit

import (
	"fmt"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
)

// A Sheet is a text that covers the panes, such as the details of the process. It
// is rebuilt for each frame.
type Sheet struct {
	Title  string
	Rows   func(width int) []Row
	Labels int // width of the labels
	Scroll Scroll
}

// A Row is one line: a heading, or a label and its text.
type Row struct {
	Heading string
	Label   string
	Text    string // may be untrusted text
	Style   theme.Style
}

// SheetWidth is the width of a sheet with its border, where there is room.
const SheetWidth = 110

// AddRows adds a label with its text, wrapped to width cells.
func AddRows(rows []Row, label, text string, style theme.Style, width int) []Row {
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
