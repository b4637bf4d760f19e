package ui

import (
	"fmt"
	"strings"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// homeView is how home looks: a line to type in, the list, and below a rule what
// is known of the item under the cursor.
type homeView struct{ block, list paint.Lines }

// How home divides its place, in cells.
const (
	homeName  = 28
	homeKind  = 11
	homeWhere = 18
	aboutRows = 8 // for the item under the cursor, and for notes
	aboutName = 10
)

// nothingFound is what a first start says.
var nothingFound = []string{
	"No MCP client on this machine lists a server, and nothing was recorded yet.",
	"To debug a server of yours: mcpdbg -- COMMAND ARG...",
	"Or press enter: the demo server needs nothing but this program.",
}

func (h *home) paint(a *App) {
	v := &h.view
	r := paint.Rect{Y: 1, W: a.width, H: a.height - 2}
	in := r.Inner()
	v.block.Options = a.look()
	v.block.Resize(in.W, in.H)
	a.paintQuery(v.block.Line(0), h.picker.query, "type to find a server or a recording")

	about := h.about(a, in.W)
	rows := min(aboutRows, in.H/2, len(about)+1)
	if h.isFirst() && in.H < aboutRows {
		rows = 0
	}
	list := in
	_, list = list.CutTop(1)
	bottom, list := list.CutBottom(rows)
	if h.isFirst() {
		said := firstWords(in.W-2, list.H-2)
		for i, text := range said {
			v.block.Line(i+1).Text(a.theme.Text, " "+text)
		}
		_, list = list.CutTop(len(said) + 1)
	}
	h.paintAbout(a, about, bottom, in)

	v.list.Options = a.look()
	v.list.Resize(list.W, list.H)
	h.picker.paint(a, &v.list, 0, func(l *paint.Line, m pick, selected bool) { h.paintItem(a, l, m, selected) })
	if len(h.picker.shown) == 0 && list.H > 0 {
		v.list.Line(0).Text(a.theme.Dim, "  "+h.why())
	}
	a.canvas.Box(r, a.border("Open", h.right(a), true), &v.block)
	a.canvas.Draw(list, &v.list)
}

// firstWords are the lines of nothingFound; where they have no room, the last
// sentence alone.
func firstWords(width, height int) []string {
	for from := range nothingFound {
		var lines []string
		for _, text := range nothingFound[from:] {
			lines = append(lines, wrap(text, width)...)
		}
		if len(lines) <= height {
			return lines
		}
	}
	return nil
}

// isFirst tells whether there is nothing but the demo.
func (h *home) isFirst() bool {
	for _, item := range h.found.Items {
		if item.Kind != DemoItem {
			return false
		}
	}
	return !h.loading && h.picker.query == ""
}

// why says why the list is empty.
func (h *home) why() string {
	if h.loading {
		return "looking for servers and recordings ..."
	}
	return "nothing here has that"
}

func (h *home) right(a *App) string {
	if h.opening != "" {
		return "opening " + h.opening + " ..."
	}
	if h.loading {
		return "looking ..."
	}
	text := fmt.Sprintf("%d of %d", len(h.picker.shown), len(h.found.Items))
	if len(a.subjects) == 0 {
		text += "   " + a.keyOf(actInterrupt) + " quits"
	}
	return text
}

func (h *home) paintItem(a *App, l *paint.Line, m pick, selected bool) {
	item := h.found.Items[m.item]
	mark, style := " ", a.theme.Text
	if item.Blocked != "" {
		mark, style = "x", a.theme.Error
	}
	l.Text(style, mark+" ")
	name := a.theme.Text
	if selected {
		name = a.theme.Selected
	}
	from := l.Cells()
	width := min(homeName, max(l.Room()/2, 8))
	l.Begin(name)
	l.Field(theme.Style{}, []byte(item.Name), width, termsafe.Left)
	l.End(name)
	l.PadTo(from + width + 1)
	l.Field(a.theme.Dim, []byte(item.Kind.String()), homeKind, termsafe.Left)
	if item.Kind == RecordingItem {
		l.Text(a.theme.Text, recordingText(item))
		return
	}
	if l.Room() > homeWhere*2 {
		l.Field(a.theme.Text, []byte(item.Where), homeWhere, termsafe.Left)
		l.Text(theme.Style{}, " ")
	}
	if item.Blocked != "" {
		l.Text(a.theme.Warn, item.Blocked)
		return
	}
	l.Text(a.theme.Dim, item.From)
}

// recordingText is when a recording began, and what is to be known of its file.
func recordingText(item Item) string {
	text := item.When.Format("2006-01-02 15:04") + "  " + size(item.Size)
	if item.Live {
		text += "  not finished"
	}
	return text
}

// about is what is known of the item under the cursor, what went wrong, and what
// could not be read.
func (h *home) about(a *App, width int) []sheetRow {
	var rows []sheetRow
	add := func(label, text string, style theme.Style) {
		for line := range strings.Lines(text) {
			rows = addRows(rows, label, strings.TrimRight(line, "\r\n"), style, width-aboutName-3)
			label = ""
		}
	}
	add("x", h.wrong, a.theme.Error)
	if item, ok := h.picked(); ok {
		add("blocked", item.Blocked, a.theme.Warn)
		add("command", item.Command, a.theme.Text)
		add("from", item.From, a.theme.Text)
		add("where", item.Where, a.theme.Text)
		for _, in := range item.Inputs {
			add("asks for", in.ID, a.theme.Text)
		}
		for _, note := range item.Notes {
			add("note", note, a.theme.Text)
		}
	}
	for _, note := range h.found.Notes {
		add("!", note, a.theme.Warn)
	}
	return rows
}

// paintAbout paints as much of it as there is room for, and says how much more
// there is.
func (h *home) paintAbout(a *App, rows []sheetRow, r, in paint.Rect) {
	if r.H < 2 {
		return
	}
	a.paintRule(h.view.block.Line(r.Y - in.Y))
	for i, row := range rows {
		y := r.Y - in.Y + 1 + i
		if i == r.H-2 && len(rows) > r.H-1 {
			h.view.block.Line(y).Text(a.theme.Dim, fmt.Sprintf("  ... %d more lines", len(rows)-i))
			return
		}
		a.paintSheetRow(h.view.block.Line(y), row, aboutName)
	}
}
