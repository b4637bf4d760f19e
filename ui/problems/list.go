package problems

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/format"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

const actGoToProblem = "go-to-finding"

// listActions returns the actions of the list of problems.
func listActions(of func(host.Context) *State) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: host.ActProblems, Keys: []string{"L"}, Scope: keymap.Global, Title: "problems", Synonyms: []string{"lint", "violations", "validate"}, Help: "List the problems: protocol violations by the server or in messages sent to it, and their impact.", Enabled: hasProblems}, Do: openList},
		{Entry: host.Entry{ID: actGoToProblem, Keys: []string{"enter"}, Scope: ScopeList, Title: "go to row", Help: "Go to the row of the problem.", Priority: 90}, Do: host.On(func(c host.Context, l *problemList) tea.Cmd { return of(c).goToProblem(c, l) })},
		host.Override(host.Entry{Name: host.CloseName, ID: "close-findings", Scope: ScopeList}),
	}
}

func hasProblems(c host.Context) (bool, string) {
	if far := c.Workspace.CheckProgress(); far != "" {
		return len(c.Workspace.Shown.Problems.List) > 0, "no problems in the first " + far + "; " + checked(c)
	}
	return len(c.Workspace.Shown.Problems.List) > 0, "no problems; " + checked(c)
}

// A problemList shows the problems, worst first, and explains the one under the
// cursor.
type problemList struct {
	host.Menu
	block paint.Lines
	found []diagnosis.Problem
	list  paint.Lines
}

// aboutLines is how many lines explain a problem, where there is room.
const aboutLines = 9

func openList(c host.Context) tea.Cmd {
	l := &problemList{Menu: host.Menu{Of: ScopeList}}
	for severity := diagnosis.Error; ; severity-- {
		for _, f := range c.Workspace.Shown.Problems.List {
			if f.Severity == severity {
				l.found = append(l.found, f)
			}
		}
		if severity == diagnosis.Info {
			break
		}
	}
	names := make([]string, len(l.found))
	for i, f := range l.found {
		names[i] = f.Rule.ID + " " + f.Rule.Title + " " + f.Detail
	}
	l.Set(names)
	c.Host.Open(c.Workspace, l)
	return nil
}

// Draw paints the list.
func (l *problemList) Draw(c host.Context) {
	screen := c.Host.Screen()
	r := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}
	in := r.Inner()
	l.block.Options = screen.Look()
	l.block.Resize(in.W, in.H)
	if in.H < 3 {
		return
	}
	screen.PaintQuery(l.block.Line(0), l.Query, "type to narrow the list")
	about := min(aboutLines, (in.H-1)/2)
	l.list.Options = screen.Look()
	l.list.Resize(in.W, in.H-2-about)
	l.Paint(screen, &l.list, 0, func(line *paint.Line, p kit.Pick, selected bool) { l.paintRow(screen, line, l.found[p.Item], selected) })
	l.paintAbout(screen, in.H-1-about, about)
	last := l.block.Line(in.H - 1)
	last.PadTo(2)
	last.Text(screen.Theme.Dim, checked(c))
	title := c.Workspace.Shown.Problems.Count.String()
	if far := c.Workspace.CheckProgress(); far != "" {
		title += ", in the first " + far
	}
	screen.Canvas.Box(r, screen.Border(title, fmt.Sprintf("%d of %d", len(l.Shown), len(l.found)), true), &l.block)
	_, in = in.CutTop(1)
	_, in = in.CutBottom(about + 1)
	screen.Canvas.Draw(in, &l.list)
}

func (l *problemList) paintRow(screen *kit.Screen, line *paint.Line, f diagnosis.Problem, selected bool) {
	mark, style := kit.SeverityMark(f.Severity, screen.Theme)
	text := screen.Theme.Text
	if selected {
		text = screen.Theme.Strong
	}
	line.Text(style, mark+" "+f.Rule.ID)
	line.PadTo(11)
	line.Text(screen.Theme.Dim, fmt.Sprintf("%9s  ", format.AppendClock(nil, f.T)))
	if times := f.Times(); times != "" {
		line.Text(style, times+"  ")
	}
	line.Text(text, f.Rule.Title)
	line.Text(screen.Theme.Dim, "  "+f.Detail)
}

// paintAbout explains the problem under the cursor, in n lines from line y on.
func (l *problemList) paintAbout(screen *kit.Screen, y, n int) {
	i, ok := l.Current()
	if !ok || n == 0 {
		return
	}
	w, _ := l.block.Size()
	f := l.found[i]
	screen.PaintRule(l.block.Line(y))
	rows := kit.AddRows(nil, f.Rule.ID, f.Rule.Title+" ("+f.Rule.Reference+")", screen.Theme.Strong, w-aboutLabels)
	rows = kit.AddRows(rows, "meaning", f.Rule.Explanation, screen.Theme.Text, w-aboutLabels)
	if f.Rule.Impact != "" {
		rows = kit.AddRows(rows, "impact", f.Rule.Impact, screen.Theme.Text, w-aboutLabels)
	}
	rows = kit.AddRows(rows, "entry", fmt.Sprintf("%d: %s", f.N, f.Detail), screen.Theme.Text, w-aboutLabels)
	for i, row := range rows[:min(len(rows), n-1)] {
		if i == n-2 && len(rows) > n-1 {
			l.block.Line(y+1+i).Text(screen.Theme.Dim, fmt.Sprintf("  ... %d more lines", len(rows)-i))
			break
		}
		screen.PaintSheetRow(l.block.Line(y+1+i), row, aboutLabels)
	}
}

// aboutLabels is the width of the labels of an explanation.
const aboutLabels = 10

func (s *State) goToProblem(c host.Context, l *problemList) tea.Cmd {
	i, ok := l.Current()
	if !ok {
		return nil
	}
	c.Host.Close(l)
	s.shell.GoTo(c, l.found[i].Row)
	return nil
}
