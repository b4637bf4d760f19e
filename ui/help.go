package ui

import (
	"strings"

	"mcpdbg/ui/grid"
	"mcpdbg/ui/keymap"
)

// help is the screen of everything that can be done where the keys are.
type help struct {
	rows   []helpRow
	top    int
	height int
}

// helpRow is one line: a heading, or keys and what they do.
type helpRow struct {
	heading  string
	keys     string
	text     string
	disabled bool
}

const (
	helpWidth = 110
	// helpKeys is how much of it is for the keys.
	helpKeys = 16
)

func newHelp(a *App) *help {
	h := &help{}
	for i, group := range a.keys.Help(paneScopes[a.focus], a) {
		if i > 0 {
			h.rows = append(h.rows, helpRow{})
		}
		h.rows = append(h.rows, helpRow{heading: group.Title})
		for _, e := range group.Entries {
			h.add(e, min(helpWidth, a.width)-2-helpKeys)
		}
	}
	return h
}

// add adds an action, its text wrapped.
func (h *help) add(e keymap.Entry, width int) {
	text := e.Help
	if e.Destructive {
		text += " Asks first."
	}
	if e.Disabled != "" {
		text += " Not now: " + e.Disabled + "."
	}
	row := helpRow{keys: strings.Join(e.Keys, " "), disabled: e.Disabled != ""}
	for _, row.text = range wrap(text, width) {
		h.rows = append(h.rows, row)
		row.keys = ""
	}
}

// move scrolls.
func (h *help) move(action string) {
	page := max(h.height-1, 1)
	switch action {
	case actHelpUp:
		h.top--
	case actHelpDown:
		h.top++
	case actHelpPageUp:
		h.top -= page
	case actHelpPageDown:
		h.top += page
	}
	h.top = between(0, h.top, max(len(h.rows)-h.height, 0))
}

// paintHelp draws the help over the screen.
func (a *App) paintHelp() {
	h := a.help
	r := grid.Rect{W: a.width, H: a.height}.Center(helpWidth, a.height-2)
	in := r.Inner()
	h.height = in.H
	h.move("")
	block := &grid.Lines{Options: a.look()}
	block.Resize(in.W, in.H)
	for y := range min(in.H, len(h.rows)-h.top) {
		row, l := h.rows[h.top+y], block.Line(y)
		if row.heading != "" {
			l.Text(a.theme.Strong, " "+row.heading)
			continue
		}
		l.PadTo(2)
		l.Text(a.theme.Key, row.keys)
		l.PadTo(helpKeys)
		style := a.theme.Text
		if row.disabled {
			style = a.theme.Dim
		}
		l.Text(style, row.text)
	}
	a.canvas.Box(r, a.border("Help", "esc closes", true), block)
}
