package process

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// The actions that end a server.
const (
	actStopThis = "stop-this"
	actStopNow  = "stop-now"
)

// ScopeStop is the scope of the menu with the ways to stop a server.
const ScopeStop = "stop"

func stopActions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: host.ActKill, Keys: []string{"K", "ctrl+k"}, Scope: keymap.Global, Title: "stop", Synonyms: []string{"kill", "terminate", "end", "ladder"}, Help: "Choose how to stop the server: the shutdown sequence (close stdin, 2 s, SIGTERM, 2 s, SIGKILL) or one step of it. While it stops, skip to the next step.", Priority: 64, Enabled: canEnd, CurrentTitle: escalation}, Do: stopServer},
		{Entry: host.Entry{ID: actStopThis, Keys: []string{"enter"}, Scope: ScopeStop, Title: "stop", Help: "Stop the server in the selected way.", Priority: 90}, Do: host.On(stopThis)},
		{Entry: host.Entry{ID: actStopNow, Keys: []string{"K", "ctrl+k"}, Scope: ScopeStop, Title: "shutdown sequence", Help: "Begin the shutdown sequence; each further press skips to its next step.", Priority: 80}, Do: host.On(stopNow)},
		host.Override(host.Entry{Name: host.CloseName, ID: "close-stop", Scope: ScopeStop, Help: "Close, and leave the server running.", Priority: 85}),
	}
}

// escalation names the action of the key while a server is stopping.
func escalation(c host.Context) string {
	if c.Workspace.Status.ShutdownStep.Step == 0 || c.Workspace.Status.ShutdownStep.Step == executor.StepKill {
		return ""
	}
	return "skip to the next step"
}

type stopWay struct {
	name string
	stop func(host.Context) tea.Cmd
}

type stopMenu struct {
	host.Menu
	ways []stopWay
}

// A server that is stopping already is not waited for any more: the next step is taken at
// once.
func stopServer(c host.Context) tea.Cmd {
	if c.Workspace.Session == nil {
		return host.EndInTap(c, host.ActKill)
	}
	if c.Workspace.Status.State == session.Stopping {
		return escalate(c)
	}
	m := &stopMenu{Menu: host.Menu{Of: ScopeStop}, ways: stopWays(c.Workspace)}
	names := make([]string, len(m.ways))
	for i, w := range m.ways {
		names[i] = w.name
	}
	m.Set(names)
	c.Host.Open(c.Workspace, m)
	return nil
}

// stopWays returns the ways to stop a server, first the gentlest one that is sure
// to end it.
func stopWays(w *workspace.Workspace) []stopWay {
	if w.Status.State == session.Starting || w.Status.State == session.Handshaking {
		return []stopWay{{"Cancel the start", giveUpStart}}
	}
	step := func(name string, step executor.Step, scope executor.Scope) stopWay {
		return stopWay{name, func(c host.Context) tea.Cmd { return stopBy(c, step, scope) }}
	}
	return []stopWay{
		{fmt.Sprintf("Shutdown sequence: close stdin, %v, SIGTERM, %v, SIGKILL", session.Grace, session.Grace), shutdown},
		step("Close stdin only", executor.StepCloseStdin, executor.ScopeLeader),
		step("SIGINT to the process group", executor.StepInterrupt, executor.ScopeGroup),
		step("SIGINT to the leader only", executor.StepInterrupt, executor.ScopeLeader),
		step("SIGTERM to the process group", executor.StepTerm, executor.ScopeGroup),
		step("SIGTERM to the leader only", executor.StepTerm, executor.ScopeLeader),
		step("SIGTERM to group, descendants and daemons", executor.StepTerm, executor.ScopeTree),
		step("SIGKILL to the leader only", executor.StepKill, executor.ScopeLeader),
		{"SIGKILL to all: group, descendants and daemons", killAll},
	}
}

// stopMenuWidth is the width of the menu, including its border.
const stopMenuWidth = 68

func (m *stopMenu) Draw(c host.Context) {
	title := "Stop the server"
	if pid := c.Workspace.Status.Process.PID; pid != 0 {
		title = fmt.Sprintf("Stop %s, pid %d", c.Workspace.SessionName(), pid)
	}
	m.Box(c, stopMenuWidth, title, func(l *paint.Line, i int) {
		l.Text(paint.Style{}, m.ways[i].name)
	})
}

func stopThis(c host.Context, m *stopMenu) tea.Cmd {
	i, ok := m.Current()
	if !ok {
		return nil
	}
	c.Host.Close(m)
	return m.ways[i].stop(c)
}

func stopNow(c host.Context, m *stopMenu) tea.Cmd {
	c.Host.Close(m)
	return m.ways[0].stop(c)
}

func escalate(c host.Context) tea.Cmd {
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		report, began, err := s.Escalate(ctx)
		if !began { // the caller that began it reports the result
			return host.Result{What: "stop", Err: err}
		}
		return host.Result{What: "stop", Err: err, Text: ended(report)}
	}
}

func giveUpStart(c host.Context) tea.Cmd {
	s, stop := c.Workspace.Session, c.Workspace.Stop
	return func() tea.Msg {
		s.Act("kill", "during the start", 0)
		stop()
		if err := s.Kill(); err != nil && !errors.Is(err, session.ErrNotRunning) {
			return host.Result{What: "kill", Err: err}
		}
		return host.Result{Text: "start cancelled"}
	}
}

func killAll(c host.Context) tea.Cmd {
	s := c.Workspace.Session
	return func() tea.Msg {
		s.Act("kill", "immediately", 0)
		return host.Result{What: "kill", Err: s.Kill(), Text: "all remaining processes killed"}
	}
}

// stopBy takes one step and does not wait: the result is in the log.
func stopBy(c host.Context, step executor.Step, scope executor.Scope) tea.Cmd {
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		s.Act("kill", step.String(), 0)
		return host.Result{What: step.String(), Err: s.Stop(ctx, step, scope), Text: step.String() + ": done; the traffic and the events show the effect"}
	}
}

// ShutdownSteps explains how the server is stopped.
func ShutdownSteps(w *workspace.Workspace) []string {
	who := "The server"
	if info := w.Status.Process; info.ID != "" {
		who = fmt.Sprintf("%s, pid %d,", info.ID, info.PID)
	}
	return []string{
		who + " is stopped in steps, each only if the previous one fails:",
		fmt.Sprintf("  1  close stdin, wait %v", session.Grace),
		fmt.Sprintf("  2  SIGTERM to the process group, wait %v", session.Grace),
		"  3  SIGKILL to all remaining processes",
	}
}

func shutdown(c host.Context) tea.Cmd {
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		s.Act("kill", "", 0)
		report, err := s.Shutdown(ctx)
		return host.Result{What: "stop", Err: err, Text: ended(report)}
	}
}

// ended describes in one line which steps an exit required, and what was found or
// could not be determined.
func ended(report session.ShutdownReport) string {
	text := report.Outcome()
	lines := report.ProcessLines()
	if len(lines) > 0 {
		text += "; " + lines[0]
	}
	if more := len(lines) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// canEnd reports whether there is a server to stop, of a session or behind a tap, and if not,
// why.
func canEnd(c host.Context) (bool, string) {
	if c.Workspace.Session == nil && c.Workspace.Tap != nil {
		return host.CanEndInTap(c)
	}
	return CanStop(c)
}

// CanStop reports whether there is a server to stop, and if not, why.
func CanStop(c host.Context) (bool, string) {
	if c.Workspace.Session == nil {
		return false, host.NoServer(c)
	}
	switch c.Workspace.Status.State {
	case session.Idle, session.Closed, session.Failed:
		return false, "no server is running"
	}
	return true, ""
}
