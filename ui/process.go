package ui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// The actions of the process pane.
const (
	actInfo            = "info"
	actProcessUp       = "process-up"
	actProcessDown     = "process-down"
	actProcessPageUp   = "process-page-up"
	actProcessPageDown = "process-page-down"
	actProcessStop     = "process-stop"
	actKillOne         = "kill-one"
	actValues          = "environment-values"
	actCloseProcess    = "close-process"
	actKillThis        = "kill-this"
	actCloseTree       = "close-tree"
)

const (
	scopeProcess = "process"
	scopeTree    = "tree"
)

// processActions are those of the process pane.
func processActions() []action {
	scrolled := func(id string, way int, title, help string, keys ...string) action {
		return action{entry{ID: id, Keys: keys, Scope: scopeProcess, Title: title, Help: help}, on(func(_ *App, p *processPane) tea.Cmd {
			p.sheet.scroll.move(way)
			return nil
		})}
	}
	return append([]action{
		{entry{ID: actInfo, Keys: []string{"I"}, Scope: keymap.Global, Title: "process", Help: "Show the process: its tree, how its start and its ending go, its environment compared with the shell's, the connection to its host.", Priority: 7}, (*App).openProcess},
		{entry{ID: actProcessStop, Keys: []string{"K", "ctrl+k"}, Scope: scopeProcess, Title: "stop", Help: "Choose how to stop the server; while it is stopping: the next step at once.", Priority: 80, Destructive: true, Enabled: canKill, Now: escalation}, (*App).kill},
		{entry{ID: actKillOne, Keys: []string{"x"}, Scope: scopeProcess, Title: "kill one", Help: "Choose a process of the tree, such as one that was left behind, and kill it.", Priority: 70, Destructive: true, Enabled: canKillOne}, nothing((*App).openTree)},
		{entry{ID: actValues, Keys: []string{"v"}, Scope: scopeProcess, Title: "values", Help: "Show the values of the environment, secrets among them, or hide them.", Priority: 60, Enabled: hasEnvironment}, on(func(_ *App, p *processPane) tea.Cmd {
			p.values = !p.values
			return nil
		})},
		{entry{ID: actCloseProcess, Keys: []string{"esc", "q", "I"}, Scope: scopeProcess, Title: "close", Help: "Close it.", Priority: 90}, nothing((*App).pop)},
		scrolled(actProcessDown, lineDown, "down", "Scroll down.", "j", "down"),
		scrolled(actProcessUp, lineUp, "up", "Scroll up.", "k", "up"),
		scrolled(actProcessPageDown, pageDown, "page down", "Scroll down by a screen.", "pgdown", "space", "ctrl+d"),
		scrolled(actProcessPageUp, pageUp, "page up", "Scroll up by a screen.", "pgup", "ctrl+u"),
		{entry{ID: actKillThis, Keys: []string{"enter"}, Scope: scopeTree, Title: "kill", Help: "Send KILL to this process, and to no other.", Priority: 90}, on((*App).killThis)},
		{entry{ID: actCloseTree, Keys: []string{"esc"}, Scope: scopeTree, Title: "close", Help: "Leave them alone.", Priority: 85}, nothing((*App).pop)},
	}, pickerActions(scopeTree)...)
}

func hasEnvironment(a *App) (bool, string) {
	return a.session != nil && a.story.env.Policy != "", "no values are known: they are in no log"
}

func canKillOne(a *App) (bool, string) {
	switch {
	case a.session == nil:
		return false, noServer(a)
	case len(a.sample.tree) == 0:
		return false, "no process of the server runs"
	}
	return true, ""
}

// A processPane shows all that is known of a process.
type processPane struct {
	sheet  sheet
	values bool // of the environment are shown
}

func (p *processPane) scope() string { return scopeProcess }

func (p *processPane) typed(*App, tea.Msg) tea.Cmd { return nil }

// scroll scrolls by n lines.
func (p *processPane) scroll(n int) { p.sheet.scroll.by(n) }

func (p *processPane) paint(a *App) { a.paintSheet(&p.sheet) }

func (a *App) openProcess() tea.Cmd {
	p := &processPane{sheet: sheet{title: "Process", labels: 18}}
	p.sheet.rows = func(a *App, width int) []sheetRow {
		i := info{th: a.theme, width: width}
		a.processInfo(&i)
		a.endingInfo(&i)
		a.treeInfo(&i)
		a.timesInfo(&i)
		a.linkInfo(&i)
		a.startInfo(&i)
		a.noteInfo(&i)
		a.envInfo(&i, p.values)
		return i.rows
	}
	a.push(p)
	return a.takeSample()
}

// A sample is the tree of the process, as it was a moment ago.
type sample struct {
	tree    []executor.Descendant
	at      time.Time
	err     error
	looking bool // a command looks
}

// sampleEvery is how often the tree is looked at while the process pane is open.
const sampleEvery = time.Second

// watchesProcess tells whether the process pane shows a process that may change.
func (a *App) watchesProcess() bool {
	if a.session == nil {
		return false
	}
	for _, o := range a.overlays {
		if _, ok := o.overlay.(*processPane); ok {
			return true
		}
	}
	return false
}

// takeSample looks at the tree, if somebody looks at the process.
func (a *App) takeSample() tea.Cmd {
	if !a.watchesProcess() || a.sample.looking || time.Since(a.sample.at) < sampleEvery/2 {
		return nil
	}
	if running, _ := canKill(a); !running {
		a.sample = sample{}
		return nil
	}
	a.sample.looking = true
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		tree, err := s.Tree(ctx)
		return result{then: func(a *App) tea.Cmd {
			a.sample, a.stale = sample{tree: tree, at: time.Now(), err: err}, true
			return nil
		}}
	}
}

// endingInfo shows the ladder: the steps that were taken, the one under way with
// its clock, and those that may follow.
func (a *App) endingInfo(i *info) {
	steps, now := a.story.ending, a.status.Ending
	if len(steps) == 0 && now.Step == 0 {
		return
	}
	i.heading("Ending")
	for _, step := range steps {
		text := phaseTook(step.Took)
		if step.Detail != "" {
			text += "  " + step.Detail
		}
		i.add(step.Phase, text)
		i.styled("", step.Error, i.th.Error)
	}
	if now.Step == 0 {
		return
	}
	text := "under way"
	if !now.Until.IsZero() {
		text = fmt.Sprintf("%s of %v ...", clock(time.Since(now.Since)), now.Until.Sub(now.Since))
	}
	i.styled(now.Step.String(), text, i.th.Warn)
	for _, next := range []executor.Step{executor.StepTerm, executor.StepKill} {
		if next > now.Step {
			i.styled(next.String(), "if that is not enough; K takes it at once", i.th.Dim)
		}
	}
}

// treeInfo lists the processes: those that run now, or what the log last said.
func (a *App) treeInfo(i *info) {
	live := a.session != nil && len(a.sample.tree) > 0
	switch {
	case live && a.story.exited != nil:
		i.heading("Left behind: the leader has ended, and these still run (x kills one, K all)")
	case live:
		i.heading("Processes")
	case len(a.story.tree.Tree) > 0 && a.story.tree.Survivors:
		i.heading("Found alive after the end")
	case len(a.story.tree.Tree) > 0 && a.story.tree.Spared:
		i.heading("Left running on request (--leave)")
	case len(a.story.tree.Tree) > 0:
		i.heading("Processes, as the log last saw them")
	default:
		if a.session != nil && a.sample.err != nil {
			i.heading("Processes")
			i.styled("", a.sample.err.Error(), i.th.Error)
		}
		return
	}
	if !live {
		for _, p := range a.story.tree.Tree {
			i.add(fmt.Sprint(p.PID), treeLine(executor.Descendant{PID: p.PID, PPID: p.PPID, Command: p.Command, RSS: p.RSS}, time.Time{}))
		}
		return
	}
	for _, d := range a.sample.tree {
		i.add(fmt.Sprint(d.PID), treeLine(d, a.sample.at))
	}
}

// treeLine is what is known of one process: parent, memory, age, command.
func treeLine(d executor.Descendant, now time.Time) string {
	text := fmt.Sprintf("of %-8d", d.PPID)
	if d.RSS > 0 {
		text += fmt.Sprintf("%8s", size(d.RSS))
	}
	if !d.Started.IsZero() && !now.IsZero() {
		text += fmt.Sprintf("  up %-10s", clock(max(now.Sub(d.Started), 0)))
	}
	if d.CPU > 0 {
		text += fmt.Sprintf("  cpu %-8s", d.CPU.Round(10*time.Millisecond))
	}
	return text + "  " + d.Command
}

// timesInfo says when the process first did what, counted from its start.
func (a *App) timesInfo(i *info) {
	s := a.story
	if s.start.Process == "" {
		return
	}
	i.heading("Since it was spawned")
	since := func(label string, t int64, ok bool) {
		if ok {
			i.add(label, phaseTook(max(t-s.startT, 1)))
		} else {
			i.add(label, "not yet")
		}
	}
	t, ok := a.firstAfter(a.index.stderr, s.row, session.KindStderr)
	since("first stderr", t, ok)
	t, ok = a.firstAfter(a.index.traffic.All(), s.row, session.KindStdout)
	since("first stdout", t, ok)
	since("handshake done", s.readyT, s.ready)
	if s.exited != nil {
		since("ended", s.exitedT, true)
	}
}

// firstAfter is when the first row of a kind came, behind a row, in a list of
// rows. What is far behind does not count as first.
func (a *App) firstAfter(list []uint32, row int, kind session.Kind) (t int64, ok bool) {
	const near = 256
	at, _ := slices.BinarySearch(list, uint32(row))
	for _, number := range list[at:min(at+near, len(list))] {
		if r, found := a.rows.at(int(number)); found && r.Kind == kind {
			return r.T, true
		}
	}
	return 0, false
}

// howItEnded is the exit of the process and who ended it, empty while it runs.
func (a *App) howItEnded() string {
	if a.story.exited == nil {
		return ""
	}
	return session.DescribeEnd(a.story.exited.Exit())
}

// A treeMenu offers the processes of the tree to be killed.
type treeMenu struct {
	menu
	tree []executor.Descendant
}

func (a *App) openTree() {
	m := &treeMenu{menu: menu{of: scopeTree}, tree: a.sample.tree}
	names := make([]string, len(m.tree))
	for i, d := range m.tree {
		names[i] = fmt.Sprintf("%d %s", d.PID, d.Command)
	}
	m.set(names)
	a.push(m)
}

func (m *treeMenu) paint(a *App) {
	m.box(a, sheetWidth, "Kill one process", "enter kills it, esc does not", func(l *paint.Line, i int, style theme.Style) {
		l.Text(style, fmt.Sprintf("%-9d", m.tree[i].PID))
		l.Text(style, treeLine(m.tree[i], a.sample.at))
	})
}

func (a *App) killThis(m *treeMenu) tea.Cmd {
	i, ok := m.current()
	if !ok {
		return nil
	}
	a.pop()
	s, ctx, d := a.session, a.ctx, m.tree[i]
	return func() tea.Msg {
		err := s.KillDescendant(ctx, d.PID)
		return result{what: "kill", err: err, text: fmt.Sprintf("KILL sent to %d", d.PID), then: func(a *App) tea.Cmd {
			a.sample.at = time.Time{}
			return a.takeSample()
		}}
	}
}
