package ui

import (
	"fmt"
	"strings"

	"mcpdbg/session/executor"
	"mcpdbg/ui/theme"
)

// info collects the rows of the sheet.
type info struct {
	th    *theme.Theme
	width int
	rows  []sheetRow
}

func (i *info) heading(text string) {
	if len(i.rows) > 0 {
		i.rows = append(i.rows, sheetRow{})
	}
	i.rows = append(i.rows, sheetRow{heading: text})
}

// add adds what is known: nothing for an empty text.
func (i *info) add(label, text string) { i.styled(label, text, i.th.Text) }

func (i *info) styled(label, text string, style theme.Style) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		if line = strings.TrimRight(line, "\r"); line != "" {
			i.rows = addRows(i.rows, label, line, style, i.width)
			label = ""
		}
	}
}

func (a *App) processInfo(i *info) {
	header, start := a.source.Header(), a.story.start
	i.heading("Process")
	i.add("id", start.Process)
	if start.PID != 0 {
		i.add("pid", fmt.Sprint(start.PID))
	}
	where := "this machine"
	if host := a.host(); host != "" {
		where = "ssh " + host
	}
	i.add("where", where)
	argv := header.Argv
	if start.Argv != nil {
		argv = start.Argv
	}
	i.add("command", fmt.Sprintf("%q", argv))
	dir := a.status.Process.Dir
	if dir == "" {
		dir = header.Cwd
	}
	i.add("directory", dir)
	i.add("state", a.story.state)
	i.add("how it ended", a.howItEnded())
}

func (a *App) linkInfo(i *info) {
	link := a.story.link
	if link == nil {
		return
	}
	i.heading("Connection")
	i.styled("state", a.linkText(), a.linkStyle())
	if a.story.lost == nil {
		i.styled("", link.Error, i.th.Error)
	}
	i.add("hops", strings.Join(link.Hops, " > "))
	i.add("transport", link.Transport)
	i.add("server", link.Server)
	i.add("key exchange", link.Kex)
	i.add("host key", link.HostKey)
	i.add("cipher", link.Cipher)
	i.add("MAC", link.MAC)
	i.add("ssh here", link.Client)
	if lost := a.story.lost; lost != nil {
		i.styled("lost", lost.Error, i.th.Error)
		i.add(executor.Speaker(lost.SaidBy).String()+" said", lost.Said)
		i.add("code", lost.Code)
		i.add("what then", lost.Hint)
	}
}

// linkText is the state of the connection with the round trip time, which means
// nothing where no answer comes.
func (a *App) linkText() string {
	text := a.linkState()
	if rtt := a.linkRTT(); rtt > 0 && text == string(executor.LinkUp) {
		text += " " + string(appendMillis(nil, rtt.Microseconds())) + " ms"
	}
	return text
}

func (a *App) linkStyle() theme.Style {
	switch executor.LinkState(a.linkState()) {
	case executor.LinkUp:
		return a.theme.OK
	case executor.LinkLost:
		return a.theme.Error
	}
	return a.theme.Warn
}

// envInfo compares the environment with the shell's. Values are nowhere in the
// log: with values they are those that the program itself knows.
func (a *App) envInfo(i *info, values bool) {
	env := a.story.env
	if env.Policy == "" {
		return
	}
	i.heading("Environment, compared with this shell")
	if a.host() == "" {
		i.add("policy", env.Policy)
		a.variables(i, "not passed", env.LeftOut, values)
	}
	a.variables(i, "set by name", env.Named, values)
	a.variables(i, "added", env.Added, values)
	if a.host() == "" {
		a.variables(i, "as in the shell", env.Passed, values)
	}
}

// variables adds names, or one line each with its value.
func (a *App) variables(i *info, label string, names []string, values bool) {
	switch {
	case len(names) == 0:
		i.add(label, "none")
	case !values || a.session == nil:
		i.add(label, fmt.Sprintf("%d: %s", len(names), strings.Join(names, " ")))
	default:
		for _, name := range names {
			value, err := a.session.EnvValue(name)
			if err != nil {
				value = "(" + err.Error() + ")"
			}
			i.add(label, name+"="+value)
			label = ""
		}
	}
}

// startInfo tells of the steps of the start.
func (a *App) startInfo(i *info) {
	if len(a.story.phases) == 0 && a.story.failed == nil {
		return
	}
	i.heading("Start")
	for _, p := range a.story.phases {
		text := phaseTook(p.Took)
		if p.Detail != "" {
			text += "  " + p.Detail
		}
		i.add(p.Phase, text)
		if a.story.failed == nil || p.Error != a.story.failed.Detail {
			i.styled("", p.Error, i.th.Error)
		}
	}
	if failed := a.story.failed; failed != nil {
		i.styled("failed", failed.Detail, i.th.Error)
		i.add("code", failed.Code)
		i.add(executor.Speaker(failed.SaidBy).String()+" said", failed.Said)
		i.add("ssh here", failed.Client)
		i.add("what to try", failed.Hint)
	}
}

// saidShort is the label of the text that a note quotes, which need not be from a
// host.
func saidShort(by string) string {
	if by == "" {
		return "it said"
	}
	return executor.Speaker(by).String() + " said"
}

func (a *App) noteInfo(i *info) {
	if len(a.story.notes) == 0 {
		return
	}
	i.heading("Notes")
	for _, n := range a.story.notes {
		label := n.Code
		if label == "" {
			label = "note"
		}
		i.add(label, n.Text)
		i.add("  "+saidShort(n.SaidBy), n.Said)
		i.add("  what to try", n.Hint)
	}
}
