package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
)

const scopeHelp = "help"

// The names of the actions of help.
const (
	actHelp         = "help"
	actHelpDown     = "help-down"
	actHelpUp       = "help-up"
	actHelpPageDown = "help-page-down"
	actHelpPageUp   = "help-page-up"
	actCloseHelp    = "close-help"
)

func helpActions() []action {
	scrolls := func(way int) func(*App) tea.Cmd {
		return on(func(_ *App, h *help) tea.Cmd {
			h.lines.move(way)
			return nil
		})
	}
	return []action{
		{entry{ID: actHelp, Keys: []string{"?"}, Scope: keymap.Global, Title: "help", Help: "Show what can be done: here first, then everywhere.", Priority: 90}, nothing(func(a *App) { a.push(newHelp(a)) })},
		{entry{ID: actHelpDown, Keys: []string{"down", "ctrl+n"}, Scope: scopeHelp, Title: "down", Help: "Scroll down.", Priority: 50, Hint: keymap.Hint{Keys: "up/down", Title: "scroll"}}, scrolls(lineDown)},
		{entry{ID: actHelpUp, Keys: []string{"up", "ctrl+p"}, Scope: scopeHelp, Title: "up", Help: "Scroll up."}, scrolls(lineUp)},
		{entry{ID: actHelpPageDown, Keys: []string{"pgdown", "ctrl+d"}, Scope: scopeHelp, Title: "page down", Help: "Scroll down by a screen."}, scrolls(pageDown)},
		{entry{ID: actHelpPageUp, Keys: []string{"pgup", "ctrl+u"}, Scope: scopeHelp, Title: "page up", Help: "Scroll up by a screen."}, scrolls(pageUp)},
		{entry{ID: actCloseHelp, Keys: []string{"esc", "enter"}, Scope: scopeHelp, Title: "close", Help: "Empty the line, then close.", Priority: 90}, on((*App).closeHelp)},
	}
}

// A help lists everything that can be done, first where the keys are. Typing
// narrows it to what has all of the words.
type help struct {
	groups []keymap.Group
	query  string
	lines  scroll
	block  paint.Lines
}

// helpKeys is how much of the width is for keys.
const helpKeys = 16

func newHelp(a *App) *help {
	return &help{groups: a.keys.Help(a.underneath(), a)}
}

func (*help) scope() string { return scopeHelp }

func (h *help) typed(_ *App, msg tea.Msg) tea.Cmd {
	before := h.query
	if h.query = editLine(h.query, msg); h.query != before {
		h.lines.top = 0
	}
	return nil
}

func (h *help) scroll(n int) { h.lines.by(n) }

func (a *App) closeHelp(h *help) tea.Cmd {
	if h.query != "" {
		h.query = ""
	} else {
		a.pop()
	}
	return nil
}

// rows are the lines of help that have what was typed.
func (h *help) rows(a *App, width int) []sheetRow {
	var rows []sheetRow
	for _, group := range h.groups {
		var entries []sheetRow
		for _, e := range group.Entries {
			if h.matches(e) {
				entries = a.addHelp(entries, e, width)
			}
		}
		if entries == nil {
			continue
		}
		if rows != nil {
			rows = append(rows, sheetRow{})
		}
		rows = append(append(rows, sheetRow{heading: group.Title}), entries...)
	}
	return rows
}

// matches tells whether an action has all words that were typed: as one of its
// keys, or in its name or text.
func (h *help) matches(e keymap.Entry) bool {
	text := strings.ToLower(strings.Join([]string{e.ID, e.Title, e.Help, strings.Join(e.Keys, " ")}, " "))
	for word := range strings.FieldsSeq(strings.ToLower(h.query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func (a *App) addHelp(rows []sheetRow, e keymap.Entry, width int) []sheetRow {
	text, style := e.Help, a.theme.Text
	if e.Destructive {
		text += " Asks first."
	}
	if e.Disabled != "" {
		text += " Not now: " + e.Disabled + "."
		style = a.theme.Dim
	}
	keys := strings.Join(e.Keys, " ")
	if keys == "" {
		keys = "(" + e.Title + ")"
	}
	return addRows(rows, keys, text, style, width)
}

func (h *help) paint(a *App) {
	r := a.below().Center(sheetWidth, a.height)
	in := r.Inner()
	rows := h.rows(a, in.W-helpKeys)
	h.lines.fit(in.H-1, len(rows))
	h.block.Options = a.look()
	h.block.Resize(in.W, in.H)
	a.paintQuery(h.block.Line(0), h.query, "type to look for something")
	from, to := h.lines.shown()
	for y, row := range rows[from:to] {
		a.paintSheetRow(h.block.Line(y+1), row, helpKeys)
	}
	right := ""
	switch {
	case rows == nil:
		right = "nothing has that"
	case !h.lines.all():
		right = fmt.Sprintf("%d-%d of %d", from+1, to, len(rows))
	}
	a.canvas.Box(r, a.border("Help", right, true), &h.block)
}
