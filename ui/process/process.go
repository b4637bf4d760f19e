// Package process shows the process of a server and ends it: the process pane,
// the ways to stop a server, and the processes that can be killed one by one.
package process

import (
	"context"
	"fmt"
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
		{Entry: host.Entry{ID: actProcessStop, Keys: []string{"K", "ctrl+k"}, Scope: ScopePane, Title: "stop", Help: "Choose how to stop the server; while it stops, skip to the next step.", Priority: 80, Enabled: CanStop, CurrentTitle: escalation}, Do: stopServer},
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
const labelWidth = 18

func (p *processPane) Draw(c host.Context) {
	screen := c.Host.Screen()
	r := screen.Body().Center(kit.SheetWidth, screen.Height-2)
	in := r.Inner()
	i := info{th: screen.Theme, ascii: screen.ASCII, width: in.W - labelWidth}
	processInfo(c.Workspace, &i)
	endingInfo(c.Workspace, &i)
	remainsInfo(c.Workspace, &i)
	treeInfo(c.Workspace, &i)
	timesInfo(c.Workspace, &i)
	linkInfo(c, &i)
	startInfo(c.Workspace, &i)
	noteInfo(c.Workspace, &i)
	envInfo(c.Workspace, &i, p.values)
	right := p.text.Paint(c.Block(&p.block, in), 0, in.H, len(i.rows), func(l *paint.Line, n int) { screen.PaintSheetRow(l, i.rows[n], labelWidth) })
	c.Dialog(ScopePane, r, "Process", right, &p.block)
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
	steps, now := w.Shown.Lifecycle.Ending, w.Status.ShutdownStep
	if len(steps) == 0 && now.Step == 0 {
		return
	}
	i.heading("Shutdown")
	for _, step := range steps {
		text := wording.Took(step.Took)
		if step.Detail != "" {
			text += "  " + step.Detail
		}
		i.add(step.Phase, text)
		i.styled("", step.Error, i.th.Failed)
	}
	if now.Step == 0 {
		return
	}
	text := "in progress"
	if !now.Until.IsZero() {
		text = fmt.Sprintf("%s of %v ...", wording.Seconds(time.Since(now.Since)), now.Until.Sub(now.Since))
	}
	i.styled(now.Step.String(), text, i.th.Odd)
	for _, next := range []executor.Step{executor.StepTerm, executor.StepKill} {
		if next > now.Step {
			i.styled(next.String(), "next, if needed; K skips to it", i.th.Dim)
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
	i.heading("After the end")
	unknown := false
	for _, n := range s.Notes {
		if n.Code == session.NoteCannotTell {
			i.styled("not known", n.Text, i.th.Odd)
			unknown = true
		}
	}
	switch {
	case unknown:
	case s.Lost != nil:
		i.styled("not known", "the connection to the host was lost", i.th.Odd)
	case live && w.Sample.Err != nil:
		i.styled("not known", w.Sample.Err.Error(), i.th.Odd)
	case live && !w.Sample.Ended:
		i.add("not known", "looking ...")
	case live:
		i.styled("no process left", "looked for processes of the server after its end and found none", i.th.Good)
	case len(s.Ending) > 0 && w.Shown.Source.Stats().Recording.Complete():
		i.styled("no process left", "the shutdown looked for processes of the server and left none", i.th.Good)
	default:
		i.add("not known", "the recording has no shutdown that looked for processes")
	}
}

// treeInfo lists the processes: the running ones, or the last sample in the log.
func treeInfo(w *workspace.Workspace, i *info) {
	live := w.Session != nil && len(w.Sample.Tree) > 0
	switch {
	case live && w.Shown.Lifecycle.Exited != nil:
		i.heading("Leaked: the leader has exited, these still run (x kills one, K all)")
	case live:
		i.heading("Processes")
	case len(w.Shown.Lifecycle.Tree.Tree) > 0 && w.Shown.Lifecycle.Tree.Survivors:
		i.heading("Still running after the end")
	case len(w.Shown.Lifecycle.Tree.Tree) > 0 && w.Shown.Lifecycle.Tree.Spared:
		i.heading("Left running on request (--leave)")
	case len(w.Shown.Lifecycle.Tree.Tree) > 0:
		i.heading("Processes, as last logged")
	default:
		if w.Session != nil && w.Sample.Err != nil {
			i.heading("Processes")
			i.styled("", w.Sample.Err.Error(), i.th.Failed)
		}
		return
	}
	all := w.Sample.Tree
	if !live {
		all = nil
		for _, p := range w.Shown.Lifecycle.Tree.Tree {
			all = append(all, executor.Descendant{PID: p.PID, PPID: p.PPID, Command: p.Command, RSS: p.RSS})
		}
	}
	i.addTree(all, w.Sample.At)
}

// deepest is how many levels of processes are shown below each other.
const deepest = 64

// addTree adds processes, each below its parent. In a recording anything can be the parent
// of anything: a process whose parents are too many, or in a circle, begins a tree.
func (i *info) addTree(all []executor.Descendant, now time.Time) {
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
	for _, root := range roots {
		if i.ascii {
			root.Enumerator(func(tree.Children, int) string { return "+--" }).Indenter(func(tree.Children, int) string { return "   " })
		}
		for line := range strings.SplitSeq(root.String(), "\n") {
			i.add(line, treeLine(facts[line[strings.LastIndexByte(line, ' ')+1:]], now))
		}
	}
}

func treeLine(d executor.Descendant, now time.Time) string {
	text := ""
	if d.RSS > 0 {
		text = fmt.Sprintf("%8s", wording.Size(d.RSS))
	}
	if !d.Started.IsZero() && !now.IsZero() {
		text += fmt.Sprintf("  up %-10s", wording.Seconds(max(now.Sub(d.Started), 0)))
	}
	if d.CPU > 0 {
		text += fmt.Sprintf("  cpu %-8s", d.CPU.Round(10*time.Millisecond))
	}
	return strings.TrimPrefix(text+"  "+d.Command, "  ")
}

// timesInfo lists when the process did something for the first time, counted from
// its start.
func timesInfo(w *workspace.Workspace, i *info) {
	s := w.Shown.Lifecycle
	if s.Start.Process == "" {
		return
	}
	i.heading("Time since start")
	since := func(label string, t int64, ok bool) {
		if ok {
			i.add(label, wording.Took(max(t-s.StartT, 1)))
		} else {
			i.add(label, "not yet")
		}
	}
	t, ok := w.FirstAfter(w.Shown.Index.Stderr, s.Row, session.KindStderr)
	since("first stderr", t, ok)
	t, ok = w.FirstAfter(w.Shown.Index.Traffic.All(), s.Row, session.KindStdout)
	since("first stdout", t, ok)
	since("handshake done", s.ReadyT, s.Ready)
	if s.Exited != nil {
		since("ended", s.ExitedT, true)
	}
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
		l.Text(paint.Style{}, fmt.Sprintf("%-9d", m.tree[i].PID))
		l.Text(paint.Style{}, treeLine(m.tree[i], c.Workspace.Sample.At))
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
