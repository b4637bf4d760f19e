package ui

import (
	"strings"

	"mcpdbg/ui/keymap"
)

// newHelp is the sheet of everything that can be done where the keys are.
func newHelp(a *App) *sheet {
	groups := a.keys.Help(paneScopes[a.focus], a)
	return &sheet{title: "Help", labels: 16, rows: func(a *App, width int) []sheetRow {
		var rows []sheetRow
		for i, group := range groups {
			if i > 0 {
				rows = append(rows, sheetRow{})
			}
			rows = append(rows, sheetRow{heading: group.Title})
			for _, e := range group.Entries {
				rows = a.addHelp(rows, e, width)
			}
		}
		return rows
	}}
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
	return addRows(rows, strings.Join(e.Keys, " "), text, style, width)
}
