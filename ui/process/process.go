// Package process shows the process of a server and ends it: the process pane,
// the ways to stop a server, and the processes that can be killed one by one.
package process

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2/tree"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// The actions of the process pane.
const (
	actProcessStop = "process-stop"
	actKillOne     = "kill-one"
	actValues      = "environment-values"
	actKillThis    = "kill-this"
)

// The scopes of this screen.
const (
	ScopePane = "process"
	ScopeTree = "tree"
)

// Actions are those of the process pane.
func Actions() []host.Action {
	return append(stopActions(), []host.Action{
		{Entry: host.Entry{ID: host.ActProcess, Keys: []string{"I"}, Scope: keymap.Global, Title: "process", Synonyms: []string{"stats", "memory", "pid", "environment"}, Help: "Show the process: its tree, its start and shutdown, its environment compared with the shell's, the connection to its host.", Priority: 50, Now: host.Ranks{None: 67}.Now}, Do: openProcess},
		{Entry: host.Entry{ID: actProcessStop, Keys: []string{"K", "ctrl+k"}, Scope: ScopePane, Title: "stop", Help: "Choose how to stop the server; while it stops, skip to the next step.", Priority: 80, Enabled: canEnd, CurrentTitle: escalation}, Do: stopServer},
		{Entry: host.Entry{ID: actKillOne, Keys: []string{"x"}, Scope: ScopePane, Title: "kill one", Help: "Choose a process of the tree, such as a leaked one, and kill it.", Priority: 70, Enabled: canKillOne}, Do: openTree},
		{Entry: host.Entry{ID: actValues, Keys: []string{"v"}, Scope: ScopePane, Title: "values", Help: "Show or hide the values of the environment, including secrets.", Priority: 60, Enabled: hasEnvironment}, Do: host.On(func(_ host.Context, p *processPane) tea.Cmd {
			p.values = !p.values
			return nil
		})},
		host.Override(host.Entry{Name: host.CloseName, ID: "close-process", Scope: ScopePane, Keys: []string{"esc", "q", "I"}, Help: "Close the pane.", Priority: 90}),
		{Entry: host.Entry{ID: actKillThis, Keys: []string{"enter"}, Scope: ScopeTree, Title: "kill", Help: "Send SIGKILL to this process only.", Asks: "each time", Priority: 90}, Do: host.On(killThis)},
		host.Override(host.Entry{Name: host.CloseName, ID: "close-tree", Scope: ScopeTree, Help: "Close, and kill nothing.", Priority: 85}),
	}...)
}

func hasEnvironment(c host.Context) (bool, string) {
	return c.Workspace.Session != nil && c.Workspace.Shown.Lifecycle.Env.Policy != "", "environment values are not recorded"
}

func canKillOne(c host.Context) (bool, string) {
	switch {
	case c.Workspace.Session == nil:
		return false, host.NoServer(c)
	case len(c.Workspace.Sample.Tree) == 0:
		return false, "no server process is running"
	}
	return true, ""
}

type processPane struct {
	text   kit.Text
	block  paint.Lines
	values bool // show the values of environment variables
}

func (p *processPane) Scope() string { return ScopePane }

func (p *processPane) Update(host.Context, tea.Msg) tea.Cmd { return nil }

func (p *processPane) Text() *kit.Text { return &p.text }

// labelWidth is the width of the labels.
const labelWidth = 13

func (p *processPane) Draw(c host.Context) {
	screen, w := c.Host.Screen(), c.Workspace
	i := info{th: screen.Theme, look: screen.Look(), key: c.Host.Key, width: screen.Body().Center(kit.SheetWidth, 3).Inner().W - labelWidth}
	stateInfo(w, &i)
	insideInfo(w, &i)
	endingInfo(w, &i)
	remainsInfo(w, &i)
	treeInfo(w, &i)
	linkInfo(c, &i)
	startInfo(w, &i)
	beforeInfo(w, &i)
	variablesInfo(w, &i, p.values)
	if ok, _ := CanStop(c); ok {
		to := paint.Glyph(i.look, " → ", " -> ")
		i.add("stop", fmt.Sprintf("%[3]s: close stdin%[1]s%[2]s%[1]sTERM%[1]s%[2]s%[1]sKILL     %[3]s again: next step now", to, timeUp(session.Grace.Microseconds()), i.key(actProcessStop)))
	}
	noteInfo(w, &i)
	inheritedInfo(w, &i, p.values)
	r := screen.Body().Center(kit.SheetWidth, min(len(i.rows)+2, screen.Height-2))
	in := r.Inner()
	right := p.text.Paint(c.Block(&p.block, in), 0, in.H, len(i.rows), func(l *paint.Line, n int) { screen.PaintSheetRow(l, i.rows[n], labelWidth) })
	title := "Process"
	if pid := w.Shown.Lifecycle.Start.PID; pid != 0 {
		title = fmt.Sprintf("Process %d", pid)
	}
	c.Dialog(ScopePane, r, title, right, &p.block)
}

func openProcess(c host.Context) tea.Cmd {
	c.Host.Open(c.Workspace, &processPane{})
	return TakeSample(c)
}

// SampleEvery is how often the tree is read while the process pane is open.
const SampleEvery = time.Second

// Watches reports whether the process pane shows a process that may change.
func Watches(c host.Context) bool {
	if c.Workspace.Session == nil {
		return false
	}
	for _, v := range c.Host.Views(c.Workspace) {
		if _, ok := v.(*processPane); ok {
			return true
		}
	}
	return false
}

// TakeSample reads the tree while the process is on the screen.
func TakeSample(c host.Context) tea.Cmd {
	if !Watches(c) || c.Workspace.Sample.Running || time.Since(c.Workspace.Sample.At) < SampleEvery/2 {
		return nil
	}
	running, _ := CanStop(c)
	switch {
	case !running && c.Workspace.Shown.Lifecycle.Exited == nil:
		c.Workspace.Sample = workspace.Sample{}
		return nil
	case !running && c.Workspace.Sample.Ended:
		return nil // nothing starts any more
	}
	c.Workspace.Sample.Running = true
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		tree, err := s.Tree(ctx)
		return host.Result{Then: func(c host.Context) tea.Cmd {
			c.Workspace.Sample = workspace.Sample{Tree: tree, At: time.Now(), Err: err, Ended: !running}
			c.Host.Redraw()
			return nil
		}}
	}
}

// endingInfo shows the shutdown sequence: the steps taken, the current one with
// its clock, and those that may follow.
func endingInfo(w *workspace.Workspace, i *info) {
	label, now := "stopped", w.Status.ShutdownStep
	for _, step := range w.Shown.Lifecycle.Ending {
		i.add(label, wording.Join("  ", step.Phase, wording.Took(step.Took), step.Detail))
		i.styled("", step.Error, i.th.Failed)
		label = ""
	}
	if now.Step == 0 {
		return
	}
	text := "in progress"
	if !now.Until.IsZero() {
		text = fmt.Sprintf("%s of %v ...", wording.Seconds(time.Since(now.Since)), now.Until.Sub(now.Since))
	}
	i.styled("stopping", now.Step.String()+"  "+text, i.th.Odd)
	for _, next := range []executor.Step{executor.StepTerm, executor.StepKill} {
		if next > now.Step {
			i.styled("", next.String()+"  next, if needed; "+i.key(actProcessStop)+" skips to it", i.th.Dim)
		}
	}
}

// remainsInfo reports whether processes are left after the end, and how that is known.
// Those that are left are listed by treeInfo.
func remainsInfo(w *workspace.Workspace, i *info) {
	s, live := w.Shown.Lifecycle, w.Session != nil
	switch {
	case s.Exited == nil && s.Lost == nil, s.Tree.Survivors, s.Tree.Spared, live && len(w.Sample.Tree) > 0:
		return
	}
	unknown := func(why string) { i.styled("left", "not known: "+why, i.th.Odd) }
	cannot := cannotTell(s)
	for _, why := range cannot {
		unknown(why)
	}
	switch {
	case len(cannot) > 0:
	case s.Lost != nil:
		unknown("the connection to the host was lost")
	case len(s.Ending) == 0 && unseen(s):
		unknown("processes inside cannot be seen")
	case live && w.Sample.Err != nil:
		unknown(w.Sample.Err.Error())
	case live && !w.Sample.Ended:
		i.add("left", "looking ...")
	case live:
		i.styled("left", "no process: looked after the end and found none", i.th.Good)
	case len(s.Ending) > 0 && w.Shown.Source.Stats().Recording.Complete():
		i.styled("left", "no process: the shutdown looked and left none", i.th.Good)
	default:
		unknown("the recording has no shutdown that looked for processes")
	}
}

// unseen reports whether processes run where they cannot be seen.
func unseen(s *workspace.Lifecycle) bool {
	return slices.ContainsFunc(s.Notes, func(n session.NoteBody) bool { return n.Code == executor.NoticeUnseen })
}

// cannotTell returns why it is not known which processes are left.
func cannotTell(s *workspace.Lifecycle) (whys []string) {
	for _, n := range s.Notes {
		if n.Code == session.NoteCannotTell {
			whys = append(whys, n.Text)
		}
	}
	return whys
}

// beforeInfo shows how the process before a restart ended, and whether it left others.
func beforeInfo(w *workspace.Workspace, i *info) {
	b := w.Shown.Lifecycle.Before
	if b == nil || b.Exited == nil {
		return
	}
	text, took := fmt.Sprintf("%d %s", b.Start.PID, session.DescribeEnd(b.Exited.Exit())), int64(0)
	for _, step := range b.Ending {
		took += step.Took
	}
	switch {
	case b.Tree.Survivors:
		i.styled("before", text+"; processes of it were left", i.th.Failed)
	case b.Tree.Spared:
		i.add("before", text+"; processes of it were left running (--leave)")
	case len(b.Ending) > 0 && len(cannotTell(b)) == 0:
		i.add("before", fmt.Sprintf("%s; no process of it is left (looked at the end, %s)", text, wording.AppendTook(nil, took)))
	default:
		i.add("before", text)
	}
}

// treeInfo lists the processes: the running ones, or the last sample in the log.
func treeInfo(w *workspace.Workspace, i *info) {
	live, logged := w.Session != nil && len(w.Sample.Tree) > 0, w.Shown.Lifecycle.Tree
	label := "processes"
	switch {
	case live && w.Shown.Lifecycle.Exited != nil:
		i.styled("leaked", fmt.Sprintf("the leader has exited, these still run (%s kills one, %s all)", i.key(actKillOne), i.key(actProcessStop)), i.th.Failed)
		label = ""
	case live:
	case len(logged.Tree) == 0:
		if w.Session != nil && w.Sample.Err != nil {
			i.styled(label, w.Sample.Err.Error(), i.th.Failed)
		}
		return
	case logged.Survivors:
		i.styled(label, "still running after the end", i.th.Failed)
		label = ""
	case logged.Spared:
		i.add(label, "left running on request (--leave)")
		label = ""
	default:
		i.styled(label, "as last logged", i.th.Dim)
		label = ""
	}
	all := w.Sample.Tree
	if !live {
		all = nil
		for _, p := range logged.Tree {
			all = append(all, executor.Descendant{PID: p.PID, PPID: p.PPID, Command: p.Command, RSS: p.RSS})
		}
	}
	from := len(i.rows)
	i.addTree(label, all)
	if last := len(i.rows) - 1; live && last >= from && label != "" {
		i.rows[last].Text += "     " + i.key(actKillOne) + " kills one"
	}
}

// deepest is how many levels of processes are shown below each other.
const deepest = 64

// addTree adds processes, each below its parent. In a recording anything can be the parent
// of anything: a process whose parents are too many, or in a circle, begins a tree.
func (i *info) addTree(label string, all []executor.Descendant) {
	nodes, facts := map[int]*tree.Tree{}, map[string]executor.Descendant{}
	parents, order := map[int]int{}, make([]int, 0, len(all))
	for _, d := range all {
		if nodes[d.PID] == nil {
			nodes[d.PID], facts[strconv.Itoa(d.PID)] = tree.Root(d.PID), d
			parents[d.PID] = d.PPID
			order = append(order, d.PID)
		}
	}
	var roots []*tree.Tree
	for _, pid := range order {
		above := 0
		for p := parents[pid]; nodes[p] != nil && above < deepest; p = parents[p] {
			above++
		}
		if above == 0 || above == deepest {
			roots = append(roots, nodes[pid])
		} else {
			nodes[parents[pid]].Child(nodes[pid])
		}
	}
	var lines []string
	var of []executor.Descendant
	widest := 0
	for _, root := range roots {
		if i.look.Ellipsis != termsafe.Ellipsis {
			root.Enumerator(func(tree.Children, int) string { return "+--" }).Indenter(func(tree.Children, int) string { return "   " })
		}
		for line := range strings.SplitSeq(root.String(), "\n") {
			d := facts[line[strings.LastIndexByte(line, ' ')+1:]]
			line = termsafe.Truncate(line+" "+termsafe.String(d.Command), min(i.width*2/3, mostCommand), i.look.Ellipsis)
			lines, of, widest = append(lines, line), append(of, d), max(widest, termsafe.Width(line))
		}
	}
	for n, line := range lines {
		pad := strings.Repeat(" ", widest-termsafe.Width(line))
		i.rows = append(i.rows, kit.Row{Label: label, Text: line + pad + figures(of[n]), Style: i.th.Text})
		label = ""
	}
}

// mostCommand is the widest a process is shown, in cells, before its figures.
const mostCommand = 60

// figures returns the memory and the CPU time of a process, as far as they are known.
func figures(d executor.Descendant) (text string) {
	if d.RSS > 0 {
		text = fmt.Sprintf("%8s", wording.Size(d.RSS))
	}
	if d.CPU > 0 {
		text += "  cpu " + wording.Seconds(d.CPU)
	}
	return text
}

type treeMenu struct {
	host.Menu
	tree []executor.Descendant
}

func openTree(c host.Context) tea.Cmd {
	m := &treeMenu{Menu: host.Menu{Of: ScopeTree}, tree: c.Workspace.Sample.Tree}
	names := make([]string, len(m.tree))
	for i, d := range m.tree {
		names[i] = fmt.Sprintf("%d %s", d.PID, d.Command)
	}
	m.Set(names)
	c.Host.Open(c.Workspace, m)
	return nil
}

func (m *treeMenu) Draw(c host.Context) {
	m.Box(c, kit.SheetWidth, "Kill one process", func(l *paint.Line, i int) {
		l.Text(paint.Style{}, fmt.Sprintf("%-9d%-18s  %s", m.tree[i].PID, figures(m.tree[i]), m.tree[i].Command))
	})
}

func killThis(c host.Context, m *treeMenu) tea.Cmd {
	i, ok := m.Current()
	if !ok {
		return nil
	}
	c.Host.Close(m)
	s, ctx, d := c.Workspace.Session, c.Host.Lifetime(), m.tree[i]
	c.Host.Confirm(c.Workspace, &host.Dialog{
		Title: fmt.Sprintf("Kill process %d?", d.PID), Lines: []string{"Sends SIGKILL to this process only."}, No: "kill nothing",
		Yes: func(host.Context) tea.Cmd {
			return func() tea.Msg {
				err := s.KillDescendant(ctx, d.PID)
				return host.Result{What: "kill", Err: err, Text: fmt.Sprintf("SIGKILL sent to %d", d.PID), Then: func(c host.Context) tea.Cmd {
					c.Workspace.Sample.At = time.Time{}
					return TakeSample(c)
				}}
			}
		},
	})
	return nil
}
