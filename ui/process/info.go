package process

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

type info struct {
	th    *paint.Theme
	ascii bool
	width int
	rows  []kit.Row
}

func (i *info) heading(text string) {
	if len(i.rows) > 0 {
		i.rows = append(i.rows, kit.Row{})
	}
	i.rows = append(i.rows, kit.Row{Heading: text})
}

// add adds a fact, unless its text is empty.
func (i *info) add(label, text string) { i.styled(label, text, i.th.Text) }

func (i *info) styled(label, text string, style paint.Style) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		if line = strings.TrimRight(line, "\r"); line != "" {
			i.rows = kit.AddRows(i.rows, label, line, style, i.width)
			label = ""
		}
	}
}

func processInfo(w *workspace.Workspace, i *info) {
	header, start := w.Shown.Source.Header(), w.Shown.Lifecycle.Start
	i.heading("Process")
	i.add("id", start.Process)
	if start.PID != 0 {
		i.add("pid", fmt.Sprint(start.PID))
	}
	where := "this machine"
	if host := w.Host(); host != "" {
		where = "ssh " + host
	}
	i.add("location", where)
	argv := header.Argv
	if start.Argv != nil {
		argv = start.Argv
	}
	i.add("command", fmt.Sprintf("%q", argv))
	dir := w.Status.Process.Dir
	if dir == "" {
		dir = header.Cwd
	}
	i.add("directory", dir)
	i.add("state", w.Shown.Lifecycle.State)
	i.add("exit status", w.ExitText())
}

func linkInfo(c host.Context, i *info) {
	link := c.Workspace.Shown.Lifecycle.Link
	if link == nil {
		return
	}
	i.heading("Connection")
	i.styled("state", linkText(c.Workspace), linkStyle(c))
	if c.Workspace.Shown.Lifecycle.Lost == nil {
		i.styled("", link.Error, i.th.Failed)
	}
	i.add("hops", strings.Join(link.Hops, " > "))
	i.add("transport", link.Transport)
	i.add("server", link.Server)
	i.add("key exchange", link.Kex)
	i.add("host key", link.HostKey)
	i.add("cipher", link.Cipher)
	i.add("MAC", link.MAC)
	i.add("ssh client", link.Client)
	if lost := c.Workspace.Shown.Lifecycle.Lost; lost != nil {
		i.styled("lost", lost.Error, i.th.Failed)
		i.add(executor.Speaker(lost.SaidBy).String()+" said", lost.Said)
		i.add("code", lost.Code)
		i.add("hint", lost.Hint)
	}
}

// linkText returns the state of the connection, with the round trip time if the
// link is up.
func linkText(w *workspace.Workspace) string {
	text := w.LinkState()
	if rtt := w.LinkRTT(); rtt > 0 && text == string(executor.LinkUp) {
		text += " " + string(wording.AppendMillis(nil, rtt.Microseconds())) + " ms"
	}
	return text
}

// LinkPart is the header part for the connection to the host: its name, its state in a
// word, and the round-trip time.
func LinkPart(c host.Context) kit.Part {
	ws := c.Workspace
	p := kit.Part{Text: strings.TrimSpace("ssh " + ws.Host() + " " + linkText(ws)), Style: linkStyle(c), Priority: 62, Action: host.ActProcess}
	switch ws.LinkState() {
	case "":
		p.Style = c.Host.Screen().Theme.Text // no state is known yet
	case string(executor.LinkStalled), string(executor.LinkLost):
		p.Priority = kit.Must
	default:
		p.Short = "ssh " + ws.Host()
	}
	return p
}

func linkStyle(c host.Context) paint.Style {
	switch executor.LinkState(c.Workspace.LinkState()) {
	case executor.LinkUp:
		return c.Host.Screen().Theme.Good
	case executor.LinkLost:
		return c.Host.Screen().Theme.Failed
	}
	return c.Host.Screen().Theme.Odd
}

// envInfo compares the environment with the shell's. Values are not in the log:
// those shown are the ones that the program itself knows.
func envInfo(w *workspace.Workspace, i *info, values bool) {
	env := w.Shown.Lifecycle.Env
	if env.Policy == "" {
		return
	}
	i.heading("Environment compared with this shell")
	if w.Host() == "" {
		i.add("policy", env.Policy)
		variables(w, i, "not passed", env.Omitted, values)
	}
	variables(w, i, "set by name", env.Named, values)
	variables(w, i, "added", env.Added, values)
	if w.Host() == "" {
		variables(w, i, "same as shell", env.Passed, values)
	}
}

func variables(w *workspace.Workspace, i *info, label string, names []string, values bool) {
	switch {
	case len(names) == 0:
		i.add(label, "none")
	case !values || w.Session == nil:
		i.add(label, fmt.Sprintf("%d: %s", len(names), strings.Join(names, " ")))
	default:
		for _, name := range names {
			value, err := w.Session.EnvValue(name)
			if err != nil {
				value = "(" + err.Error() + ")"
			}
			i.add(label, name+"="+value)
			label = ""
		}
	}
}

func startInfo(w *workspace.Workspace, i *info) {
	if len(w.Shown.Lifecycle.Phases) == 0 && w.Shown.Lifecycle.Failed == nil {
		return
	}
	i.heading("Start")
	for _, p := range w.Shown.Lifecycle.Phases {
		text := wording.Took(p.Took)
		if p.Detail != "" {
			text += "  " + p.Detail
		}
		i.add(p.Phase, text)
		if w.Shown.Lifecycle.Failed == nil || p.Error != w.Shown.Lifecycle.Failed.Detail {
			i.styled("", p.Error, i.th.Failed)
		}
	}
	if failed := w.Shown.Lifecycle.Failed; failed != nil {
		i.styled("failed", failed.Detail, i.th.Failed)
		i.add("code", failed.Code)
		i.add(executor.Speaker(failed.SaidBy).String()+" said", failed.Said)
		i.add("ssh client", failed.Client)
		i.add("hint", failed.Hint)
	}
}

// saidShort returns the label of the text that a note quotes, which need not be
// from a host.
func saidShort(by string) string {
	if by == "" {
		return "output"
	}
	return executor.Speaker(by).String() + " said"
}

func noteInfo(w *workspace.Workspace, i *info) {
	if len(w.Shown.Lifecycle.Notes) == 0 {
		return
	}
	i.heading("Notes")
	for _, n := range w.Shown.Lifecycle.Notes {
		label := n.Code
		if label == "" {
			label = "note"
		}
		i.add(label, n.Text)
		i.add("  "+saidShort(n.SaidBy), n.Said)
		i.add("  hint", n.Hint)
	}
}
