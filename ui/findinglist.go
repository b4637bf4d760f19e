package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/lint"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
)

// The actions of the list of findings.
const (
	actFindings      = "findings"
	actGoToFinding   = "go-to-finding"
	actCloseFindings = "close-findings"
)

const scopeFindings = "findings"

// findingActions are those of the list of findings.
func findingActions() []action {
	return append([]action{
		{entry{ID: actFindings, Keys: []string{"L"}, Scope: keymap.Global, Title: "problems", Help: "List the problems: where the server, or what was sent to it, does not keep to the protocol, with what breaks.", Enabled: hasFindings}, nothing((*App).openFindings)},
		{entry{ID: actGoToFinding, Keys: []string{"enter"}, Scope: scopeFindings, Title: "go there", Help: "Go to the row that the finding is about.", Priority: 90}, on((*App).goToFinding)},
		{entry{ID: actCloseFindings, Keys: []string{"esc"}, Scope: scopeFindings, Title: "close", Help: "Close the list.", Priority: 80}, nothing((*App).pop)},
	}, pickerActions(scopeFindings)...)
}

func hasFindings(a *App) (bool, string) {
	if far := a.lintedSoFar(); far != "" {
		return len(a.findings.list) > 0, "no problems in the first " + far + "; " + checked
	}
	return len(a.findings.list) > 0, "no problems; " + checked
}

// A findingList shows what was found, worst first, and explains the one under
// the cursor.
type findingList struct {
	menu
	found []lint.Finding
	list  paint.Lines
}

// aboutFinding is how many lines explain a finding, where there is room.
const aboutFinding = 9

func (a *App) openFindings() {
	l := &findingList{menu: menu{of: scopeFindings}}
	for severity := lint.Error; ; severity-- {
		for _, f := range a.findings.list {
			if f.Severity == severity {
				l.found = append(l.found, f)
			}
		}
		if severity == lint.Info {
			break
		}
	}
	names := make([]string, len(l.found))
	for i, f := range l.found {
		names[i] = f.Rule.ID + " " + f.Rule.Title + " " + f.Detail
	}
	l.set(names)
	a.push(l)
}

func (l *findingList) paint(a *App) {
	r := paint.Rect{Y: 1, W: a.width, H: a.height - 2}
	in := r.Inner()
	l.block.Options = a.look()
	l.block.Resize(in.W, in.H)
	if in.H < 3 {
		return
	}
	a.paintQuery(l.block.Line(0), l.query, "type to narrow the list")
	about := min(aboutFinding, (in.H-1)/2)
	l.list.Options = a.look()
	l.list.Resize(in.W, in.H-2-about)
	l.picker.paint(a, &l.list, 0, func(line *paint.Line, p pick, selected bool) { l.paintRow(a, line, l.found[p.item], selected) })
	l.paintAbout(a, in.H-1-about, about)
	last := l.block.Line(in.H - 1)
	last.PadTo(2)
	last.Text(a.theme.Dim, checked)
	title := a.findings.count.String()
	if far := a.lintedSoFar(); far != "" {
		title += ", in the first " + far
	}
	a.canvas.Box(r, a.border(title, fmt.Sprintf("%d of %d", len(l.shown), len(l.found)), true), &l.block)
	_, in = in.CutTop(1)
	_, in = in.CutBottom(about + 1)
	a.canvas.Draw(in, &l.list)
}

func (l *findingList) paintRow(a *App, line *paint.Line, f lint.Finding, selected bool) {
	mark, style := severityOf(f.Severity, a.theme)
	text := a.theme.Text
	if selected {
		text = a.theme.Strong
	}
	line.Text(style, mark+" "+f.Rule.ID)
	line.PadTo(11)
	line.Text(a.theme.Dim, fmt.Sprintf("%9s  ", appendClock(nil, f.T)))
	if f.Count > 1 {
		line.Text(style, fmt.Sprintf("%d times  ", f.Count))
	}
	line.Text(text, f.Detail)
}

// paintAbout explains the finding under the cursor, in n lines from line y on.
func (l *findingList) paintAbout(a *App, y, n int) {
	i, ok := l.current()
	if !ok || n == 0 {
		return
	}
	w, _ := l.block.Size()
	f := l.found[i]
	a.paintRule(l.block.Line(y))
	rows := addRows(nil, f.Rule.ID, f.Rule.Title+" ("+f.Rule.Reference+")", a.theme.Strong, w-aboutLabels)
	rows = addRows(rows, "what", f.Rule.Explanation, a.theme.Text, w-aboutLabels)
	if f.Rule.Breaks != "" {
		rows = addRows(rows, "breaks", f.Rule.Breaks, a.theme.Text, w-aboutLabels)
	}
	rows = addRows(rows, "here", fmt.Sprintf("entry %d: %s", f.N, f.Detail), a.theme.Text, w-aboutLabels)
	for i, row := range rows[:min(len(rows), n-1)] {
		a.paintSheetRow(l.block.Line(y+1+i), row, aboutLabels)
	}
}

// aboutLabels is the width of the labels of an explanation.
const aboutLabels = 10

func (a *App) goToFinding(l *findingList) tea.Cmd {
	i, ok := l.current()
	if !ok {
		return nil
	}
	a.pop()
	a.goToRow(l.found[i].Row)
	return nil
}
