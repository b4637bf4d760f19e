package ui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// The actions that end a server.
const (
	actKill      = "kill"
	actStopThis  = "stop-this"
	actStopNow   = "stop-now"
	actCloseStop = "close-stop"
)

const scopeStop = "stop"

// stopActions are those that end a server, by the step that is chosen.
func stopActions() []action {
	return append([]action{
		{entry{ID: actKill, Keys: []string{"K", "ctrl+k"}, Scope: keymap.Global, Title: "stop", Help: "Choose how to stop the server: by the ladder (close stdin, 2 s, TERM, 2 s, KILL), or by one step of it. While it is stopping: the next step at once.", Priority: 8, Destructive: true, Enabled: canKill, Now: escalation}, (*App).kill},
		{entry{ID: actStopThis, Keys: []string{"enter"}, Scope: scopeStop, Title: "do it", Help: "Stop the server in this way.", Priority: 90}, on((*App).stopThis)},
		{entry{ID: actStopNow, Keys: []string{"K", "ctrl+k"}, Scope: scopeStop, Title: "ladder", Help: "Begin the ladder; each further press takes its next step at once.", Priority: 80}, on((*App).stopNow)},
		{entry{ID: actCloseStop, Keys: []string{"esc"}, Scope: scopeStop, Title: "close", Help: "Leave the server alone.", Priority: 85}, nothing((*App).pop)},
	}, pickerActions(scopeStop)...)
}

// escalation is what the key means while a server is stopping.
func escalation(a *App) string {
	if a.status.Ending.Step == 0 || a.status.Ending.Step == executor.StepKill {
		return ""
	}
	return "do not wait: next step"
}

// A stopWay is one way to stop a server.
type stopWay struct {
	name string
	stop func(*App) tea.Cmd
}

// A stopMenu offers the ways to stop a server.
type stopMenu struct {
	menu
	ways []stopWay
}

// kill offers the ways to stop the server. One that is stopping already is not
// waited for any more: the next step is taken at once.
func (a *App) kill() tea.Cmd {
	if a.status.State == session.Stopping {
		return a.escalate()
	}
	m := &stopMenu{menu: menu{of: scopeStop}, ways: a.stopWays()}
	names := make([]string, len(m.ways))
	for i, w := range m.ways {
		names[i] = w.name
	}
	m.set(names)
	a.push(m)
	return nil
}

// stopWays are the ways to stop a server, the gentlest way that is sure to lead
// to its end first.
func (a *App) stopWays() []stopWay {
	if a.status.State == session.Starting || a.status.State == session.Handshaking {
		return []stopWay{{"give up the start", (*App).giveUpStart}}
	}
	step := func(name string, step executor.Step, scope executor.Scope) stopWay {
		return stopWay{name, func(a *App) tea.Cmd { return a.stopBy(step, scope) }}
	}
	return []stopWay{
		{fmt.Sprintf("the ladder: close stdin, %v, TERM, %v, KILL", session.Grace, session.Grace), (*App).shutdown},
		step("close stdin, and leave it at that", executor.StepCloseStdin, executor.ScopeLeader),
		step("INT to the process group", executor.StepInterrupt, executor.ScopeGroup),
		step("INT to the leader alone", executor.StepInterrupt, executor.ScopeLeader),
		step("TERM to the process group", executor.StepTerm, executor.ScopeGroup),
		step("TERM to the leader alone", executor.StepTerm, executor.ScopeLeader),
		step("TERM to group, descendants and daemons", executor.StepTerm, executor.ScopeTree),
		step("KILL to the leader alone", executor.StepKill, executor.ScopeLeader),
		{"KILL to all: group, descendants and daemons", (*App).killAll},
	}
}

// stopMenuWidth is the width of the menu with its border.
const stopMenuWidth = 68

func (m *stopMenu) paint(a *App) {
	title := "Stop the server"
	if pid := a.status.Process.PID; pid != 0 {
		title = fmt.Sprintf("Stop %s, pid %d", a.status.Process.ID, pid)
	}
	m.box(a, stopMenuWidth, title, "enter does it, esc does not", func(l *paint.Line, i int, style theme.Style) {
		l.Text(style, m.ways[i].name)
	})
}

func (a *App) stopThis(m *stopMenu) tea.Cmd {
	i, ok := m.current()
	if !ok {
		return nil
	}
	a.pop()
	return m.ways[i].stop(a)
}

// stopNow takes the first of the ways.
func (a *App) stopNow(m *stopMenu) tea.Cmd {
	a.pop()
	return m.ways[0].stop(a)
}

// escalate has the ladder that is under way take its next step.
func (a *App) escalate() tea.Cmd {
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		report, began, err := s.Escalate(ctx)
		if !began { // who began it tells what it needed
			return result{what: "stop", err: err}
		}
		return result{what: "stop", err: err, text: ended(report)}
	}
}

func (a *App) giveUpStart() tea.Cmd {
	s, stop := a.session, a.stop
	return func() tea.Msg {
		s.Act("kill", "while it was starting", 0)
		stop()
		if err := s.Kill(); err != nil && !errors.Is(err, session.ErrNotRunning) {
			return result{what: "kill", err: err}
		}
		return result{text: "given up"}
	}
}

func (a *App) killAll() tea.Cmd {
	s := a.session
	return func() tea.Msg {
		s.Act("kill", "at once", 0)
		return result{what: "kill", err: s.Kill(), text: "all that was left of it is killed"}
	}
}

// stopBy takes one step, and waits for nothing: what comes of it is in the log.
func (a *App) stopBy(step executor.Step, scope executor.Scope) tea.Cmd {
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		s.Act("kill", step.String(), 0)
		return result{what: step.String(), err: s.Stop(ctx, step, scope), text: step.String() + ": done; see what the server makes of it"}
	}
}

// ladder says what stopping the server means.
func (a *App) ladder() []string {
	who := "The server"
	if info := a.status.Process; info.ID != "" {
		who = fmt.Sprintf("%s, pid %d,", info.ID, info.PID)
	}
	return []string{
		who + " is stopped in steps, each only if the last was not enough:",
		fmt.Sprintf("  1  close its standard input, wait %v", session.Grace),
		fmt.Sprintf("  2  TERM to its process group, wait %v", session.Grace),
		"  3  KILL to all that is left",
	}
}

func (a *App) shutdown() tea.Cmd {
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		s.Act("kill", "", 0)
		report, err := s.Shutdown(ctx)
		return result{what: "stop", err: err, text: ended(report)}
	}
}

// ended says in one line what an ending needed, and what it found or cannot tell.
func ended(report session.ShutdownReport) string {
	text := report.Outcome()
	lines := report.Remains()
	if len(lines) > 0 {
		text += "; " + lines[0]
	}
	if more := len(lines) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}
