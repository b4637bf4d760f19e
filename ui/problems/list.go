package problems

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

const (
	actGoToProblem   = "go-to-finding"
	actUnfoldProblem = "unfold-finding"
	actFoldProblem   = "fold-finding"
)

func listActions(of func(host.Context) *State) []host.Action {
	fold := func(open bool) func(host.Context) tea.Cmd {
		return host.On(func(c host.Context, l *problemList) tea.Cmd {
			l.fold(c, open)
			return nil
		})
	}
	return []host.Action{
		{Entry: host.Entry{ID: host.ActProblems, Keys: []string{"L"}, Scope: keymap.Global, Title: "problems", Synonyms: []string{"lint", "violations", "validate"}, Help: "List the problems: protocol violations by the server or in messages sent to it, and their impact.", Now: host.Ranks{Recording: 77}.Now, Enabled: hasProblems}, Do: openList},
		{Entry: host.Entry{ID: actGoToProblem, Keys: []string{"enter"}, Scope: ScopeList, Title: "go to row", Help: "Go to the row of the problem, or to the one that shows the cause.", Priority: 90}, Do: host.On(func(c host.Context, l *problemList) tea.Cmd { return of(c).goToProblem(c, l) })},
		{Entry: host.Entry{ID: actUnfoldProblem, Keys: []string{"l", "right"}, Scope: ScopeList, Title: "unfold", Help: "List what follows from the cause.", Priority: 70, Hint: key.Help{Key: "l/h", Desc: "unfold"}, Enabled: onCause}, Do: fold(true)},
		{Entry: host.Entry{ID: actFoldProblem, Keys: []string{"h", "left"}, Scope: ScopeList, Title: "fold", Help: "Fold what follows from the cause.", Enabled: onCause}, Do: fold(false)},
		{Entry: host.Entry{ID: "find-finding", Keys: []string{"/"}, Scope: ScopeList, Title: "find", Help: "List only problems with a text.", Priority: 60, Yields: true}, Do: host.On(findProblem)},
		{Entry: host.Entry{ID: "finding-restart", Keys: []string{"ctrl+r"}, Scope: ScopeList, Title: "start again", Help: "Restart the server.", Priority: 58, Yields: true, Enabled: host.CanRestart}, Do: then(host.ActRestart, true)},
		{Entry: host.Entry{ID: "finding-report", Keys: []string{"y"}, Scope: ScopeList, Title: "copy report", Help: "Copy the causes, their evidence and what to do as text.", Priority: 56, Yields: true}, Do: copyReport},
		{Entry: host.Entry{ID: "finding-why", Keys: []string{"!"}, Scope: ScopeList, Title: "why", Help: "Show the likeliest cause of the problems, its evidence and what to do.", Priority: 54, Yields: true}, Do: then(host.ActCauses, false)},
		{Entry: host.Entry{ID: "finding-process", Keys: []string{"I"}, Scope: ScopeList, Title: "process", Help: "Show the process: its command, its start, its environment and how it ended.", Priority: 52, Yields: true}, Do: then(host.ActProcess, false)},
		host.Override(host.Entry{Name: kit.Down, Scope: ScopeList, Help: "Go down.", Priority: 50, Hint: key.Help{Key: "j/k", Desc: "choose"}}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: ScopeList, Keys: []string{"pgdown", "ctrl+d"}}),
		host.Override(host.Entry{Name: kit.PageUp, Scope: ScopeList, Keys: []string{"pgup", "ctrl+u"}}),
		host.Override(host.Entry{Name: kit.Top, Scope: ScopeList, Keys: []string{"g", "home"}}),
		host.Override(host.Entry{Name: kit.Bottom, Scope: ScopeList, Keys: []string{"G", "end"}}),
		host.Override(host.Entry{Name: host.CloseName, ID: "close-findings", Scope: ScopeList, Keys: []string{"esc", "q"}}),
	}
}

func hasProblems(c host.Context) (bool, string) {
	if far := c.Workspace.CheckProgress(); far != "" {
		return len(c.Workspace.Shown.Problems.List) > 0, "no problems in the first " + far + "; " + checked(c)
	}
	return len(c.Workspace.Shown.Problems.List) > 0, "no problems; " + checked(c)
}

// findProblem narrows the list while its line is typed.
func findProblem(c host.Context, l *problemList) tea.Cmd {
	before, ask := l.Query, func(text string) error {
		l.Ask(text)
		return nil
	}
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "find", Hint: "words of a problem", Text: before, Check: ask,
		Accept:    func(_ host.Context, text string) (tea.Cmd, error) { return nil, ask(text) },
		Cancelled: func() { l.Ask(before) },
	})
	return nil
}

// onCause reports whether the cursor is on a cause, or on what follows from one.
func onCause(c host.Context) (bool, string) {
	l, ok := c.View.(*problemList)
	if !ok {
		return false, "the list is closed"
	}
	i, ok := l.Current()
	return ok && l.rows[i].group.End != nil, "this problem follows from no known cause"
}

// Update implements host.View: letters are keys here.
func (*problemList) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// A problemList shows the problems, worst first, what follows from a cause below it, and
// explains the one under the cursor.
type problemList struct {
	host.Menu
	block  paint.Lines
	found  []diagnosis.Problem
	groups []diagnosis.Group
	open   []bool // the groups whose consequences are listed
	rows   []problemRow
	list   paint.Lines
}

type problemRow struct {
	at    int // index of its group
	group *diagnosis.Group
	item  int   // index of the problem, -1 for a cause
	t     int64 // on the log's clock
}

// aboutLines is how many lines explain a problem, where there is room.
const aboutLines = 9

func openList(c host.Context) tea.Cmd {
	shown := c.Workspace.Shown.Problems
	l := &problemList{Menu: host.Menu{Of: ScopeList}, found: shown.List, groups: slices.Clone(shown.Groups)}
	slices.SortStableFunc(l.groups, func(a, b diagnosis.Group) int { return int(b.Severity) - int(a.Severity) })
	l.open = make([]bool, len(l.groups))
	l.listRows(c)
	c.Host.Open(c.Workspace, l)
	return nil
}

// listRows makes the rows: one for each group, and those of the consequences of unfolded
// causes. A folded cause is found by the texts of its consequences too.
func (l *problemList) listRows(c host.Context) {
	l.rows = l.rows[:0]
	var names, more []string
	for at := range l.groups {
		g := &l.groups[at]
		if g.End == nil {
			p := &l.found[g.Items[0]]
			l.rows = append(l.rows, problemRow{at: at, group: g, item: g.Items[0], t: p.T})
			names, more = append(names, nameOf(p)), append(more, "")
			continue
		}
		head, t := "", l.found[g.Items[0]].T
		if row, ok := c.Workspace.Shown.Rows.At(g.End.Cause.Row); ok {
			t = row.T
		}
		l.rows = append(l.rows, problemRow{at: at, group: g, item: -1, t: t})
		names, more = append(names, "cause "+g.End.Cause.Text), append(more, "")
		for _, i := range g.Items {
			if !l.open[at] {
				head += nameOf(&l.found[i]) + " "
				continue
			}
			l.rows = append(l.rows, problemRow{at: at, group: g, item: i, t: l.found[i].T})
			names, more = append(names, nameOf(&l.found[i])), append(more, "")
		}
		if !l.open[at] {
			more[len(more)-1] = head
		}
	}
	l.SetWith(names, more)
}

func nameOf(p *diagnosis.Problem) string { return p.Rule.ID + " " + p.Rule.Title + " " + p.Detail }

// The cursor stays on the cause.
func (l *problemList) fold(c host.Context, open bool) {
	i, ok := l.Current()
	if !ok {
		return
	}
	at := l.rows[i].at
	l.open[at] = open
	l.listRows(c)
	for n, shown := range l.Shown {
		if row := l.rows[shown.Item]; row.at == at && row.item < 0 {
			l.At = n
		}
	}
}

func (l *problemList) Draw(c host.Context) {
	screen := c.Host.Screen()
	r := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}
	in := r.Inner()
	l.block.Options = screen.Look()
	l.block.Resize(in.W, in.H)
	if in.H < 3 {
		return
	}
	screen.PaintQuery(l.block.Line(0), l.Query, c.Host.Key("find-finding")+" narrows the list")
	about := min(aboutLines, (in.H-1)/2)
	l.list.Options = screen.Look()
	l.list.Resize(in.W, in.H-2-about)
	l.Paint(screen, &l.list, 0, func(line *paint.Line, p kit.Pick) { l.paintRow(screen, line, l.rows[p.Item]) })
	l.paintAbout(screen, in.H-1-about, about)
	last := l.block.Line(in.H - 1)
	last.PadTo(2)
	last.Text(screen.Theme.Dim, checked(c))
	title := c.Workspace.Shown.Problems.Count.String()
	if far := c.Workspace.CheckProgress(); far != "" {
		title += ", in the first " + far
	}
	screen.Canvas.Box(r, screen.Border(title, fmt.Sprintf("%d of %d", len(l.Shown), len(l.rows)), true), &l.block)
	_, in = in.CutTop(1)
	_, in = in.CutBottom(about + 1)
	screen.Canvas.Draw(in, &l.list)
}

func (l *problemList) paintRow(screen *kit.Screen, line *paint.Line, row problemRow) {
	if row.item < 0 {
		l.paintCause(screen, line, row)
		return
	}
	f := l.problem(row)
	if row.group.End != nil {
		line.Text(paint.Style{}, "  ")
	}
	mark, style := kit.SeverityMark(f.Severity, screen.Theme)
	line.Text(style, mark+" "+f.Rule.ID)
	line.PadTo(11)
	line.Text(screen.Theme.Dim, fmt.Sprintf("%9s  ", wording.AppendClock(nil, row.t)))
	if times := f.Times(); times != "" {
		line.Text(style, times+"  ")
	}
	line.Text(screen.Theme.Text, f.Rule.Title)
	line.Text(screen.Theme.Dim, "  "+f.Detail)
}

func (l *problemList) problem(row problemRow) diagnosis.Problem {
	f := l.found[row.item]
	if g := row.group; g.IsFlood() {
		f.Count, f.Various = g.Count, g.Various
	}
	return f
}

func (l *problemList) paintCause(screen *kit.Screen, line *paint.Line, row problemRow) {
	mark, style := kit.SeverityMark(row.group.Severity, screen.Theme)
	glyph := "▸"
	switch {
	case l.open[row.at] && screen.ASCII:
		glyph = "-"
	case l.open[row.at]:
		glyph = "▾"
	case screen.ASCII:
		glyph = "+"
	}
	line.Text(style, mark+" cause")
	line.PadTo(11)
	line.Text(screen.Theme.Dim, fmt.Sprintf("%9s  ", wording.AppendClock(nil, row.t)))
	line.Text(style, glyph+" ")
	line.Text(screen.Theme.Strong, title(row.group.End.Cause))
	line.Text(screen.Theme.Dim, "  "+wording.Counted(len(row.group.Items), "consequence"))
}

func (l *problemList) paintAbout(screen *kit.Screen, y, n int) {
	i, ok := l.Current()
	if !ok || n == 0 {
		return
	}
	w, _ := l.block.Size()
	screen.PaintRule(l.block.Line(y))
	rows := l.about(screen, l.rows[i], w-aboutLabels)
	for i, row := range rows[:min(len(rows), n-1)] {
		if i == n-2 && len(rows) > n-1 {
			l.block.Line(y+1+i).Text(screen.Theme.Dim, fmt.Sprintf("  ... %d more lines", len(rows)-i))
			break
		}
		screen.PaintSheetRow(l.block.Line(y+1+i), row, aboutLabels)
	}
}

func (l *problemList) about(screen *kit.Screen, row problemRow, width int) []kit.Row {
	th := screen.Theme
	if row.item < 0 {
		cause := row.group.End.Cause
		rows := kit.AddRows(nil, "cause", sentence(cause.Text), th.Strong, width)
		if advice := diagnosis.WithoutPath(cause.Advice); advice != "" {
			rows = kit.AddRows(rows, "try", sentence(advice), th.Text, width)
		}
		return kit.AddRows(rows, "consequences", diagnosis.RuleNames(l.found, row.group.Items), th.Text, width)
	}
	f := l.problem(row)
	rows := kit.AddRows(nil, f.Rule.ID, f.Rule.Title+" ("+f.Rule.Reference+")", th.Strong, width)
	rows = kit.AddRows(rows, "meaning", f.Rule.Explanation, th.Text, width)
	if f.Rule.Impact != "" {
		rows = kit.AddRows(rows, "impact", f.Rule.Impact, th.Text, width)
	}
	return kit.AddRows(rows, "entry", fmt.Sprintf("%d: %s", f.N, f.Detail), th.Text, width)
}

const aboutLabels = 16

func (s *State) goToProblem(c host.Context, l *problemList) tea.Cmd {
	i, ok := l.Current()
	if !ok {
		return nil
	}
	c.Host.Close(l)
	row := l.rows[i]
	switch {
	case row.item >= 0:
		c.Panes().GoTo(l.found[row.item].Row)
	case row.group.End.Cause.Row >= 0:
		c.Panes().GoTo(row.group.End.Cause.Row)
	default:
		c.Panes().GoTo(l.found[row.group.Items[0]].Row)
	}
	return nil
}
