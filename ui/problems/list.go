package problems

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
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
		{Entry: host.Entry{ID: "finding-why", Keys: []string{"!"}, Scope: ScopeList, Title: "why", Help: "Show the likeliest cause of the problems, why, and what to do.", Priority: 54, Yields: true}, Do: then(host.ActCauses, false)},
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
	if len(c.Workspace.Shown.Problems.List) > 0 {
		return true, ""
	}
	count := none(c)
	if far := c.Workspace.CheckProgress(); far != "" {
		count += " in the first " + far
	}
	return false, count + "; " + checked(c)
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
	item  int   // index of the problem, -1 for a cause, -2 for the line of its consequences
	t     int64 // on the log's clock
}

// aboutLines is how many lines explain a problem, where there is room.
const aboutLines = 9

func openList(c host.Context) tea.Cmd {
	shown := c.Workspace.Shown.Problems
	l := &problemList{Menu: host.Menu{Of: ScopeList}, found: shown.List, groups: slices.Clone(shown.Groups)}
	rank := func(g *diagnosis.Group) int { // as on the card of the causes
		found := c.Workspace.Shown.Causes.Found
		if at := slices.IndexFunc(found, g.Follows); at >= 0 {
			return at
		}
		return len(found)
	}
	sort.SliceStable(l.groups, func(i, j int) bool {
		a, b := &l.groups[i], &l.groups[j]
		return cmp.Or(int(b.Severity)-int(a.Severity), rank(a)-rank(b)) < 0
	})
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
		main, rest := consequences(l.found, g)
		t := l.found[main].T
		if row, ok := c.Workspace.Shown.Rows.At(g.End.Cause.Row); ok {
			t = row.T
		}
		head := ""
		for _, i := range g.Items {
			if !l.open[at] {
				head += nameOf(&l.found[i]) + " "
			}
		}
		l.rows = append(l.rows, problemRow{at: at, group: g, item: -1, t: t})
		names, more = append(names, "cause "+g.End.Cause.Text), append(more, head)
		if len(rest) == 0 {
			continue
		}
		l.rows = append(l.rows, problemRow{at: at, group: g, item: -2, t: t})
		names, more = append(names, "+"), append(more, "")
		for _, i := range rest {
			if l.open[at] {
				l.rows = append(l.rows, problemRow{at: at, group: g, item: i, t: l.found[i].T})
				names, more = append(names, nameOf(&l.found[i])), append(more, "")
			}
		}
	}
	l.SetWith(names, more)
}

// consequences divides the problems of one cause: the worst of the process that it ended, and
// those that follow from it, with one for each earlier process that ended in the same way.
func consequences(found []diagnosis.Problem, g *diagnosis.Group) (main int, rest []int) {
	main = g.Items[0]
	for _, i := range g.Items {
		if of, was := found[i].Run == g.End.Run, found[main].Run == g.End.Run; of && (!was || found[i].Severity > found[main].Severity) {
			main = i
		}
	}
	seen := map[uint16]bool{}
	for _, i := range g.Items {
		if run := found[i].Run; i != main && (run == g.End.Run || !seen[run]) {
			seen[run], rest = true, append(rest, i)
		}
	}
	return main, rest
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
		if row := l.rows[shown.Item]; row.at == at && row.item == -1 {
			l.At = n
		}
	}
}

func (l *problemList) Draw(c host.Context) {
	screen := c.Host.Screen()
	r := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}
	in := r.Inner()
	c.Block(&l.block, in)
	if in.H < 3 {
		return
	}
	l.PaintQuery(screen, l.block.Line(0), "narrows the list")
	about := min(aboutLines, (in.H-1)/2)
	l.list.Options = screen.Look()
	l.list.Resize(in.W, in.H-1-about)
	l.Paint(screen, &l.list, 0, func(line *paint.Line, p kit.Pick) { l.paintRow(screen, line, l.rows[p.Item]) })
	l.paintAbout(c, in.H-about, about)
	title := strings.Replace(c.Workspace.Shown.Problems.Count.String(), " (1 error)", "", 1)
	if far := c.Workspace.CheckProgress(); far != "" {
		title += ", in the first " + far
	}
	if l.Query != "" {
		title += fmt.Sprintf(", %d of %d", len(l.Shown), len(l.rows))
	}
	c.Dialog(ScopeList, r, title, strings.Replace(checked(c), rule.Checked, "all", 1), &l.block)
	_, in = in.CutTop(1)
	_, in = in.CutBottom(about)
	screen.Canvas.Draw(in, &l.list)
}

func (l *problemList) paintRow(screen *kit.Screen, line *paint.Line, row problemRow) {
	if row.item == -2 {
		l.paintFold(screen, line, row)
		return
	}
	main := row.item
	if main < 0 {
		main, _ = consequences(l.found, row.group)
	}
	f := l.problem(row.group, main)
	mark, style := kit.SeverityMark(f.Severity, screen.Theme)
	if row.item >= 0 && row.group.End != nil {
		line.Text(paint.Style{}, "    ")
	}
	if mark == kit.NoMark {
		line.Text(style, "-")
	} else {
		line.Text(screen.Mark(mark))
	}
	line.Text(screen.Theme.Dim, fmt.Sprintf("%9s  ", wording.AppendClock(nil, row.t)))
	room := max(line.Room()-len(f.Rule.ID)-2, 0)
	text := f.Rule.Title + "  " + f.Detail
	if times := f.Times(); times != "" {
		text = times + "  " + text
	}
	if row.item < 0 {
		text = title(row.group.End.Cause)
		style = screen.Theme.Strong
	} else {
		style = screen.Theme.Text
	}
	line.Field(style, []byte(text), room, termsafe.Left)
	line.Text(screen.Theme.Dim, " "+f.Rule.ID)
}

func (l *problemList) problem(g *diagnosis.Group, item int) diagnosis.Problem {
	f := l.found[item]
	if g.IsFlood() {
		f.Count, f.Various = g.Count, g.Various
	}
	return f
}

func (l *problemList) paintFold(screen *kit.Screen, line *paint.Line, row problemRow) {
	sign := "+ "
	if l.open[row.at] {
		sign = "- "
	}
	_, rest := consequences(l.found, row.group)
	line.Text(screen.Theme.Dim, "    "+sign+wording.Counted(len(rest), "consequence"))
}

func (l *problemList) paintAbout(c host.Context, y, n int) {
	screen := c.Host.Screen()
	i, ok := l.Current()
	if !ok || n == 0 {
		return
	}
	w, _ := l.block.Size()
	screen.PaintRule(l.block.Line(y))
	screen.PaintSheet(&l.block, y+1, n-1, l.about(c, l.rows[i], w-aboutLabels), aboutLabels)
}

func (l *problemList) about(c host.Context, row problemRow, width int) []kit.Row {
	th := c.Host.Screen().Theme
	if row.item < 0 {
		cause := row.group.End.Cause
		rows := kit.AddRows(nil, "cause", sentence(cause.Text), th.Strong, width)
		main, _ := consequences(l.found, row.group)
		rows = kit.AddRows(rows, "for a client", l.found[main].Rule.Impact, th.Text, width)
		if advice := diagnosis.WithoutPath(cause.Advice); advice != "" {
			rows = kit.AddRows(rows, "what to do", sentence(advice), th.Text, width)
		}
		return rows
	}
	f := l.problem(row.group, row.item)
	rows := kit.AddRows(nil, f.Rule.ID, f.Rule.Title+" ("+f.Rule.Reference+")", th.Strong, width)
	rows = kit.AddRows(rows, "meaning", f.Rule.Explanation, th.Text, width)
	if f.Rule.Impact != "" {
		rows = kit.AddRows(rows, "for a client", f.Rule.Impact, th.Text, width)
	}
	return kit.AddRows(rows, "entry", fmt.Sprintf("%d: %s", f.N, f.Detail), th.Text, width)
}

const aboutLabels = 16

func (s *State) goToProblem(c host.Context, l *problemList) tea.Cmd {
	i, ok := l.Current()
	if !ok {
		return nil
	}
	row := l.rows[i]
	if row.item == -2 {
		l.fold(c, !l.open[row.at])
		return nil
	}
	c.Host.Close(l)
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
