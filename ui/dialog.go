package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/grid"
	"mcpdbg/ui/termsafe"
)

// dialogWidth is how wide a dialog is if the screen has room for it, with its
// border.
const dialogWidth = 76

// A dialog stands over the panes until it is answered. It is a question if yes
// is set; the default answer is no.
type dialog struct {
	title string
	lines []string // may be untrusted text
	yes   func(*App) tea.Cmd

	scroll scroll
	block  grid.Lines // as it was painted last,
	noAt   int        // with the answer no from this cell on
}

// add adds a paragraph, unless it is empty.
func (d *dialog) add(title string, lines ...string) {
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if text == "" {
		return
	}
	d.lines = append(d.lines, "", title)
	for line := range strings.SplitSeq(text, "\n") {
		d.lines = append(d.lines, "  "+line)
	}
}

// yes carries out what was asked about.
func (a *App) yes() tea.Cmd {
	d := a.dialog
	a.dialog = nil
	return d.yes(a)
}

// paintDialog draws the dialog over the screen.
func (a *App) paintDialog() {
	d := a.dialog
	screen := grid.Rect{W: a.width, H: a.height}
	width := min(dialogWidth, a.width-2) - 4
	var rows []string
	for _, line := range d.lines {
		rows = append(rows, wrap(line, width)...)
	}
	no := a.keysOf(actNo)
	answer := no[len(no)-1] + ": close"
	if d.yes != nil {
		answer = a.keyOf(actYes) + ": yes    "
		d.noAt = 1 + len(answer)
		answer += strings.Join(no, ", ") + ": no"
	}
	d.scroll.fit(a.height-6, len(rows)) // border, a blank and the answer; header and footer stay in sight
	from, to := d.scroll.shown()
	if !d.scroll.all() {
		answer += fmt.Sprintf("    (%d-%d of %d)", from+1, to, len(rows))
	}
	rows = append(rows[from:to:to], "", answer)

	block := &d.block
	block.Options = a.look()
	block.Resize(width+2, len(rows))
	for i, row := range rows {
		l := block.Line(i)
		l.PadTo(1)
		l.Text(a.theme.Text, row)
	}
	a.canvas.Box(screen.Center(width+4, len(rows)+2), a.border(d.title, "", true), block)
}

// wrap breaks text into rows of at most width cells, at blanks where it can.
// The rows may still hold what has to be made safe.
func wrap(text string, width int) []string {
	width = max(width, termsafe.LongestEscape)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if len(indent) > width/2 {
		indent = ""
	}
	var rows []string
	for {
		fits, _ := termsafe.Fit([]byte(text), width, termsafe.Options{})
		if fits == len(text) {
			return append(rows, text)
		}
		if blank := strings.LastIndexByte(text[:fits], ' '); blank > len(indent) {
			fits = blank
		}
		rows = append(rows, text[:fits])
		text = indent + strings.TrimLeft(text[fits:], " ")
	}
}
