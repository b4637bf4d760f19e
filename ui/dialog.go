package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
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
	// failedStart says that it tells of a server that did not start, and
	// aboutWatch of what a watch did: what is over takes them away.
	failedStart, aboutWatch bool

	scroll scroll
	block  paint.Lines // as it was painted last,
	noAt   int         // with the answer no from this cell on
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
	screen := paint.Rect{W: a.width, H: a.height}
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
// Further rows are indented like the first. The rows may still hold what has to
// be made safe.
func wrap(text string, width int) []string {
	width = max(width, termsafe.LongestEscape)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if len(indent) > min(width/2, width-termsafe.LongestEscape) { // or there would be no progress
		indent = ""
	}
	var rows []string
	lead, blanks := "", len(indent) // of the first row, which has its own
	for {
		room := width - len(lead)
		fits, _ := termsafe.Fit([]byte(cutText(text, room*maxBytesPerCell)), room, termsafe.Options{})
		if fits == len(text) {
			return append(rows, lead+text)
		}
		if blank := strings.LastIndexByte(text[:fits], ' '); blank > blanks {
			fits = blank
		}
		fits = max(fits, 1) // progress, whatever the bytes are
		rows = append(rows, lead+text[:fits])
		text, lead, blanks = strings.TrimLeft(text[fits:], " "), indent, 0
	}
}

// maxBytesPerCell is how many bytes can be in one cell: a character with its
// marks. More of a text need not be looked at.
const maxBytesPerCell = 20

// cutText returns the beginning of a text, at most that many bytes, and of a
// character all bytes or none. Bytes that are not UTF-8 are cut anywhere.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for back := range min(utf8.UTFMax, most+1) {
		if utf8.RuneStart(text[most-back]) {
			return text[:most-back]
		}
	}
	return text[:most]
}

// brief is cutText with dots that say so.
func brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return cutText(text, most) + "..."
}
