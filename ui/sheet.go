package ui

import (
	"fmt"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// A sheet is text that stands over the panes to be read: what there is to
// know of the process. It is made anew for each frame.
type sheet struct {
	title  string
	rows   func(a *App, width int) []sheetRow
	labels int // how much of the width is for the labels
	scroll scroll
}

// sheetRow is one line: a heading, or a label and what belongs to it.
type sheetRow struct {
	heading string
	label   string
	text    string // may be untrusted text
	style   theme.Style
}

const sheetWidth = 110

// add adds a label with its text, wrapped to width cells.
func addRows(rows []sheetRow, label, text string, style theme.Style, width int) []sheetRow {
	for _, line := range wrap(text, width) {
		rows = append(rows, sheetRow{label: label, text: line, style: style})
		label = ""
	}
	return rows
}

// paintRule paints a line over the whole width.
func (a *App) paintRule(l *paint.Line) {
	rule := "─"
	if a.opts.ASCII {
		rule = "-"
	}
	for l.Room() > 0 {
		l.Text(a.theme.Border, rule)
	}
}

// paintSheet draws a sheet over the screen.
func (a *App) paintSheet(s *sheet) {
	r := a.below().Center(sheetWidth, a.height-2)
	in := r.Inner()
	rows := s.rows(a, in.W-s.labels)
	s.scroll.fit(in.H, len(rows))
	block := &paint.Lines{Options: a.look()}
	block.Resize(in.W, in.H)
	from, to := s.scroll.shown()
	for y, row := range rows[from:to] {
		a.paintSheetRow(block.Line(y), row, s.labels)
	}
	right := "esc closes"
	if !s.scroll.all() {
		right = fmt.Sprintf("%d-%d of %d  esc closes", from+1, to, len(rows))
	}
	a.canvas.Box(r, a.border(s.title, right, true), block)
}

func (a *App) paintSheetRow(l *paint.Line, row sheetRow, labels int) {
	if row.heading != "" {
		l.Text(a.theme.Strong, " "+row.heading)
		return
	}
	l.PadTo(2)
	l.Text(a.theme.Key, row.label)
	if l.Cells() >= labels {
		l.Text(row.style, " ")
	}
	l.PadTo(labels)
	l.Text(row.style, row.text)
}
