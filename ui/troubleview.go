package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
)

// The actions of the list of what is wrong.
const (
	actTroubleUp    = "trouble-up"
	actTroubleDown  = "trouble-down"
	actTroubleGo    = "trouble-evidence"
	actCloseTrouble = "close-trouble"
)

const scopeTrouble = "trouble"

func troubleActions() []action {
	return []action{
		{entry{ID: actTroubleGo, Keys: []string{"enter"}, Scope: scopeTrouble, Title: "evidence", Help: "Go to the row that shows the selected cause.", Priority: 90}, on((*App).goFromTrouble)},
		{entry{ID: actTroubleDown, Keys: []string{"j", "down"}, Scope: scopeTrouble, Title: "down", Help: "Select the next cause."}, on(func(a *App, v *troubleView) tea.Cmd { return v.move(a, 1) })},
		{entry{ID: actTroubleUp, Keys: []string{"k", "up"}, Scope: scopeTrouble, Title: "up", Help: "Select the cause before."}, on(func(a *App, v *troubleView) tea.Cmd { return v.move(a, -1) })},
		{entry{ID: actCloseTrouble, Keys: []string{"esc", "q", "!"}, Scope: scopeTrouble, Title: "close", Help: "Close the list.", Priority: 80}, nothing((*App).pop)},
	}
}

// A troubleView lists all that is wrong, as it is now, in an overlay.
type troubleView struct {
	sheet sheet
	at    string // the cause that is selected; one that is gone is none
	line  int    // where that begins
}

func (a *App) openTrouble() {
	if e := a.unbuilt(); e != nil {
		a.openBuild(e)
		return
	}
	v := &troubleView{at: a.trouble.found[0].Cause, sheet: sheet{title: "What is wrong", labels: 7}}
	v.sheet.rows = v.rows
	a.push(v)
}

func (v *troubleView) scope() string { return scopeTrouble }

func (v *troubleView) typed(*App, tea.Msg) tea.Cmd { return nil }

func (v *troubleView) scroll(n int) { v.sheet.scroll.by(n) }

func (v *troubleView) paint(a *App) { a.paintSheet(&v.sheet) }

// place is where the selected cause is among all; the first if it is gone.
func (v *troubleView) place(a *App) int {
	for i, found := range a.trouble.found {
		if found.Cause == v.at {
			return i
		}
	}
	return 0
}

// move selects another cause, and has it on the screen.
func (v *troubleView) move(a *App, by int) tea.Cmd {
	n := len(a.trouble.found)
	if n == 0 {
		return nil
	}
	v.at = a.trouble.found[between(0, v.place(a)+by, n-1)].Cause
	v.rows(a, min(a.width, sheetWidth)-v.sheet.labels-2) // finds its line
	v.sheet.scroll.top = min(max(v.sheet.scroll.top, v.line+3-v.sheet.scroll.height), v.line)
	return nil
}

// rows are the causes with what to try, the likeliest first.
func (v *troubleView) rows(a *App, width int) []sheetRow {
	var rows []sheetRow
	at := v.place(a)
	for i, found := range a.trouble.found {
		mark, style := a.severity(found.Severity)
		if i > 0 {
			rows = append(rows, sheetRow{})
		}
		cursor := "  "
		if i == at {
			cursor, style, v.line = "> ", a.theme.Selected, len(rows)
		}
		rows = addRows(rows, cursor+mark, found.Text, style, width)
		rows = addRows(rows, "  try", found.Try, a.theme.Text, width)
		if found.Row >= 0 {
			rows = addRows(rows, "  row", fmt.Sprintf("%s (%s)", paint.Thousands(found.Row+1), found.Cause), a.theme.Dim, width)
		}
	}
	if len(rows) == 0 {
		rows = addRows(rows, "", "nothing any more", a.theme.Dim, width)
	}
	count := a.findings.count.String() + "; "
	if far := a.lintedSoFar(); far != "" {
		count = a.findings.count.String() + " in the first " + far + "; "
	}
	if len(a.findings.list) > 0 {
		count += a.keyOf(actFindings) + " lists them; "
	}
	return addRows(append(rows, sheetRow{}), "", count+checked, a.theme.Dim, width)
}

// goFromTrouble closes the list and goes to the evidence of the selected cause.
func (a *App) goFromTrouble(v *troubleView) tea.Cmd {
	if len(a.trouble.found) == 0 {
		a.pop()
		return nil
	}
	row := a.trouble.found[v.place(a)].Row
	if row < 0 {
		a.complain("no row shows it")
		return nil
	}
	a.pop()
	a.trouble.shown = row
	a.goToRow(row)
	return nil
}
