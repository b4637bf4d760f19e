package problems

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// ScopeStart is the scope of the box about a failed start.
const ScopeStart = "failed-start"

const (
	actSetVariable = "start-variable"
	actEditCommand = "start-command"
	actStartAgain  = "start-again"
	actWhy         = "start-why"
	actStartedAs   = "start-process"
)

// StartActions are those on a server that did not start. set asks for a variable, and edit
// for the command; both start again.
func StartActions(set func(c host.Context, variable string) tea.Cmd, edit func(host.Context) tea.Cmd) []host.Action {
	entry := func(id, key, title, help string, do func(host.Context, *FailedStart) tea.Cmd) host.Action {
		return host.Action{Entry: host.Entry{ID: id, Keys: []string{key}, Scope: ScopeStart, Title: title, Help: help}, Do: host.On(do)}
	}
	then := func(action string, closes bool) func(host.Context, *FailedStart) tea.Cmd {
		return func(c host.Context, f *FailedStart) tea.Cmd {
			if closes {
				c.Host.Close(f)
			}
			return c.Host.Do(c.Workspace, action, "")
		}
	}
	variable := entry(actSetVariable, "v", "set variable", "Ask for the missing variable without showing it, and start again with it. Only its name is recorded.", func(c host.Context, f *FailedStart) tea.Cmd { return set(c, f.variable) })
	variable.Enabled = func(c host.Context) (bool, string) {
		f, ok := c.View.(*FailedStart)
		if !ok || f.variable == "" {
			return false, "no missing variable was found"
		}
		return host.CanRestart(c)
	}
	change := entry(actEditCommand, "e", "edit command", "Edit the command, and start it again.", func(c host.Context, _ *FailedStart) tea.Cmd { return edit(c) })
	again := entry(actStartAgain, "ctrl+r", "start again", "Start the same command again.", then(host.ActRestart, true))
	change.Enabled, again.Enabled = host.CanRestart, host.CanRestart
	run := entry("start-line", "enter", "run", "Run the selected line.", func(c host.Context, f *FailedStart) tea.Cmd {
		f.offer(c)
		return c.Host.Do(c.Workspace, f.choices[f.at].action, "")
	})
	run.Hint, run.Priority = key.Help{Key: "enter", Desc: "runs the line"}, 90
	return []host.Action{
		run,
		variable,
		change,
		again,
		entry(actWhy, "!", "why", "Show the cause and its consequences.", then(host.ActCauses, false)),
		entry(actStartedAs, "I", "process", "Show the command, the folder and the environment.", then(host.ActProcess, false)),
		host.Override(host.Entry{Name: host.CloseName, ID: "close-start", Scope: ScopeStart, Keys: []string{"esc", "q"}}),
	}
}

type choice struct {
	action, text string
	y            int // its line in the block
}

// A FailedStart shows why a server did not start, above lines that try again.
type FailedStart struct {
	title    string
	text     []string
	said     kit.Text // wrapped
	variable string   // that the server seems to need, or ""
	choices  []choice
	at       int
	block    paint.Lines
}

// NewFailedStart returns the box about an error; of names the session if there are several.
func NewFailedStart(of, what string, err error) *FailedStart {
	f := &FailedStart{title: of + "The server did not start", text: []string{wording.Clip("✗ "+what+": "+err.Error(), kit.MaxServerText, wording.Dots)}}
	var said []string
	add := func(label string, lines ...string) {
		if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
			for line := range strings.SplitSeq(text, "\n") {
				said = append(said, "  "+label+"  "+line)
			}
		}
	}
	var start *executor.StartError
	var open *session.OpenError
	hint := ""
	if errors.As(err, &start) {
		f.text = []string{wording.Clip("✗ "+err.Error(), kit.MaxServerText, wording.Dots), "  " + startFacts(start)}
		hint = start.Hint
		add(start.SaidBy.String(), start.Said)
	}
	if errors.As(err, &open) {
		if open.Exit != nil && open.Reason == session.ReasonExited {
			f.text = []string{fmt.Sprintf("✗ It ended after %v, before it answered: %s.", open.Elapsed.Round(time.Millisecond), session.DescribeEnd(*open.Exit))}
		}
		hint = open.Hint
		if start == nil {
			add(open.SaidBy.String(), open.Said)
		}
		add("stdout", open.Stray...)
		if at, name, _ := diagnosis.AdviceVariable(open.Stderr, diagnosis.Environ{}, false); at >= 0 {
			add("stderr", open.Stderr[at])
			f.variable, f.text, said, hint = name, append(f.text, said...), nil, "It seems to need the variable "+name+"."
		}
		add("stderr", open.Stderr...)
	}
	f.text = append(f.text, strings.Split(diagnosis.WithoutPath(hint), "\n")...)
	if f.variable == "" { // its line says all
		f.text = append(f.text, said...)
	}
	return f
}

// Scope implements host.View.
func (*FailedStart) Scope() string { return ScopeStart }

// Update implements host.View.
func (*FailedStart) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// Move implements host.Moving.
func (f *FailedStart) Move(c host.Context, way string) tea.Cmd {
	if way == kit.PageDown || way == kit.PageUp {
		f.said.Move(way)
		return nil
	}
	f.offer(c)
	by, _ := kit.LinesOf(way, 1)
	f.at = kit.Between(0, f.at+by, len(f.choices)-1)
	return nil
}

// Scroll scrolls the text, by the wheel.
func (f *FailedStart) Scroll(n int) { f.said.By(n) }

// Click implements host.Clicking.
func (f *FailedStart) Click(x, y int) (again, hit bool) {
	place := f.block.Place()
	for i, ch := range f.choices {
		if place.Contains(x, y) && ch.y == y-place.Y {
			again, f.at = f.at == i, i
			return again, true
		}
	}
	return false, false
}

// offer lists what can be done.
func (f *FailedStart) offer(c host.Context) {
	follow := 0
	p := c.Workspace.Shown.Problems
	for i := range p.Groups {
		if g := &p.Groups[i]; g.End != nil {
			_, rest := consequences(p.List, g)
			follow = len(rest)
		}
	}
	why := "why"
	if follow > 0 {
		why += ": " + wording.Plural(follow, "consequence") + " of this one cause"
	}
	f.choices = f.choices[:0]
	if f.variable != "" {
		f.choices = append(f.choices, choice{action: actSetVariable, text: "set " + f.variable + "…, start again   (hidden, only its name kept)"})
	}
	f.choices = append(f.choices,
		choice{action: actEditCommand, text: "edit the command, start again"},
		choice{action: actStartAgain, text: "start again as it is"},
		choice{action: actWhy, text: why},
		choice{action: actStartedAs, text: "process: command, folder, environment compared with the shell"})
	f.at = min(f.at, len(f.choices)-1)
}

// starts returns how many processes the last attempt has started.
func starts(c host.Context) (n int) {
	ends := c.Workspace.Shown.Causes.Tracker.Ends()
	for i := range ends {
		if ends[i].Attempt == ends[len(ends)-1].Attempt {
			n++
		}
	}
	return n
}

// Draw implements host.View.
func (f *FailedStart) Draw(c host.Context) {
	f.offer(c)
	screen := c.Host.Screen()
	th, width := screen.Theme, min(kit.DialogWidth, screen.Width-2)-4
	var rows []string
	for _, line := range f.text {
		rows = append(rows, termsafe.Wrap(line, width)...)
	}
	lines := min(len(rows), max(screen.Height-len(f.choices)-5, 1))
	height := lines + 1 + len(f.choices)
	f.block.Options = screen.Look()
	f.block.Resize(width+2, height)
	right := f.said.Paint(&f.block, 0, lines, len(rows), func(l *paint.Line, i int) {
		l.PadTo(1)
		l.Text(th.Failed.If(i == 0), rows[i])
	})
	for i := range f.choices {
		ch := &f.choices[i]
		ch.y = lines + 1 + i
		l := f.block.Line(ch.y)
		if i == f.at {
			l.Text(th.Accent, " >")
		}
		l.PadTo(3)
		l.Text(th.Accent, c.Host.Key(ch.action))
		l.PadTo(11)
		l.Text(th.Strong.If(i == f.at), ch.text)
	}
	if n := starts(c); n > 1 && right == "" {
		right = wording.Plural(n, "start") + " tried"
	}
	c.Dialog(ScopeStart, screen.Body().Center(width+4, height+2), f.title, right, &f.block)
}
