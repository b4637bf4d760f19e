package help

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// A List lists all actions, those of the focused part first. Typing narrows it.
type List struct {
	groups []keymap.Group
	query  string
	lines  kit.Scroll
	block  paint.Lines
}

const keysWidth = 16

// Scope implements host.View.
func (*List) Scope() string { return Scope }

// Update implements host.View.
func (h *List) Update(_ host.Context, msg tea.Msg) tea.Cmd {
	before := h.query
	if h.query = kit.EditLine(h.query, msg); h.query != before {
		h.lines.Top = 0
	}
	return nil
}

// Text implements host.Reading.
func (h *List) Text() *kit.Scroll { return &h.lines }

// Back implements host.Stepping.
func (h *List) Back(c host.Context) tea.Cmd {
	if h.query != "" {
		h.query = ""
	} else {
		c.Host.Close(h)
	}
	return nil
}

func (h *List) rows(th *paint.Theme, width int) []kit.Row {
	var rows []kit.Row
	for _, group := range h.groups {
		var entries []kit.Row
		for _, e := range group.Entries {
			if h.matches(e) {
				entries = addEntry(th, entries, e, width)
			}
		}
		if entries == nil {
			continue
		}
		if rows != nil {
			rows = append(rows, kit.Row{})
		}
		rows = append(append(rows, kit.Row{Heading: group.Title}), entries...)
	}
	return rows
}

// matches reports whether an action matches all typed words: by one of its
// keys, its names or its text.
func (h *List) matches(e keymap.Entry) bool {
	text := strings.ToLower(strings.Join([]string{e.ID, e.Title, e.Help, strings.Join(e.Keys, " "), strings.Join(e.Synonyms, " ")}, " "))
	for word := range strings.FieldsSeq(strings.ToLower(h.query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func addEntry(th *paint.Theme, rows []kit.Row, e keymap.Entry, width int) []kit.Row {
	text, style := e.Help, th.Text
	if e.Destructive {
		text += " Asks for confirmation."
	}
	if e.Disabled != "" {
		text += " Unavailable: " + e.Disabled + "."
		style = th.Dim
	}
	keys := strings.Join(e.Keys, " ")
	if keys == "" {
		keys = "(" + e.Title + ")"
	}
	return kit.AddRows(rows, keys, text, style, width)
}

// Draw implements host.View.
func (h *List) Draw(c host.Context) {
	screen := c.Host.Screen()
	r := screen.Body().Center(kit.SheetWidth, screen.Height)
	in := r.Inner()
	rows := h.rows(screen.Theme, in.W-keysWidth)
	h.lines.Fit(in.H-1, len(rows))
	h.block.Options = screen.Look()
	h.block.Resize(in.W, in.H)
	screen.PaintQuery(h.block.Line(0), h.query, "type to search")
	from, to := h.lines.Shown()
	for y, row := range rows[from:to] {
		screen.PaintSheetRow(h.block.Line(y+1), row, keysWidth)
	}
	right := ""
	switch {
	case rows == nil:
		right = "No matches"
	case !h.lines.All():
		right = fmt.Sprintf("%d-%d of %d", from+1, to, len(rows))
	}
	screen.Canvas.Box(r, screen.Border("Help", right, true), &h.block)
}
