package process

import (
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

type info struct {
	th    *paint.Theme
	look  termsafe.Options
	width int
	rows  []kit.Row
	key   func(action string) string // the key of an action
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

func (i *info) dot() string { return paint.Glyph(i.look, " · ", ", ") }

// stateInfo shows in one row what the process is doing, where it runs, and its command.
func stateInfo(w *workspace.Workspace, i *info) {
	header, s := w.Shown.Header(), w.Shown.Lifecycle
	dir, state := w.Status.Process.Dir, s.State
	if dir == "" {
		dir = header.Cwd
	}
	if exit := w.ExitText(); exit != "" {
		state += ", " + exit
	} else if w.Clock >= 0 && s.Start.Process != "" && s.Lost == nil {
		state += ", up " + timeUp(max(w.Clock-s.StartT, 0))
	}
	i.add("state", wording.Join(i.dot(), state, w.Place(), wording.IfAny("folder ", wording.Path(dir)), wording.IfAny("command ", wording.CommandLine(header.Argv))))
}

// insideInfo shows what is known of the place that a prefix leads to.
func insideInfo(w *workspace.Workspace, i *info) {
	for _, n := range w.Shown.Lifecycle.Notes {
		switch n.Code {
		case executor.NoticeInside:
			i.add("inside", n.Text)
		case executor.NoticeUnseen:
			i.styled("inside", n.Text, i.th.Odd)
			i.add("", n.Hint)
		}
	}
}

// timeUp writes microseconds as seconds, or minutes and seconds.
func timeUp(us int64) string {
	s := us / 1_000_000
	switch {
	case s >= 3600:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	case s >= 60:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d s", s)
}

func linkInfo(c host.Context, i *info) {
	link := c.Workspace.Shown.Lifecycle.Link
	if link == nil {
		return
	}
	i.styled("connection", linkText(c.Workspace), linkStyle(c))
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
	i.add("session", sessionText(link))
	if lost := c.Workspace.Shown.Lifecycle.Lost; lost != nil {
		i.styled("lost", lost.Error, i.th.Failed)
		i.add(executor.Speaker(lost.SaidBy).String()+" said", lost.Said)
		i.add("code", lost.Code)
		i.add("hint", lost.Hint)
	}
}

// sessionText returns the session of an exec server, and what a lost connection means for it.
func sessionText(link *session.LinkBody) string {
	switch {
	case link.Session == "":
		return ""
	case link.Keep == 0:
		return link.Session + ", ends with its connection"
	}
	return link.Session + ", outlives its connection by " + wording.Took(link.Keep)
}

// linkText returns the state of the connection, with the round trip time if the
// link is up.
func linkText(w *workspace.Workspace) string {
	text := w.LinkState()
	if rtt := w.LinkRTT(); rtt > 0 && text == string(executor.LinkUp) {
		text += ", round trip " + string(wording.AppendMillis(nil, rtt.Microseconds())) + " ms"
	}
	if since, ok := w.LinkSince(); ok && text == string(executor.LinkRecovering) {
		text += " for " + timeUp(since)
	}
	return text
}

// LinkPart is the header part for the connection to the host: its name, its state in a
// word, and the round-trip time.
func LinkPart(c host.Context) kit.Part {
	ws := c.Workspace
	place := "ssh " + ws.Host()
	if ws.Shown.Source.Header().ExecServer != "" {
		place = ws.Host()
	}
	p := kit.Part{Text: strings.TrimSpace(place + " " + linkText(ws)), Style: linkStyle(c), Priority: 62, Action: host.ActProcess}
	switch ws.LinkState() {
	case "":
		p.Style = c.Host.Screen().Theme.Text // no state is known yet
	case string(executor.LinkStalled), string(executor.LinkRecovering), string(executor.LinkLost):
		p.Priority = kit.Must
	default:
		p.Short = place + " " + ws.LinkState()
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

// variablesInfo counts the variables of the environment by where they come from, and lists
// those that are not the shell's. Values are not in the log: those shown are the ones that
// the program itself knows.
func variablesInfo(w *workspace.Workspace, i *info, values bool) {
	env := w.Shown.Lifecycle.Env
	if env.Policy == "" {
		return
	}
	text := fmt.Sprintf("set by you %d, added %d", len(env.Named), len(env.Added))
	inside := w.Shown.Lifecycle.Start.Via != "" && env.Policy == executor.EnvNone.String()
	switch {
	case inside:
		text = "those of the place, " + text
	case w.Host() == "":
		text = fmt.Sprintf("inherited %d, %s", len(env.Passed), text)
	}
	if n := len(env.Omitted); n > 0 {
		text += fmt.Sprintf(", not passed %d", n)
	}
	if env.Policy != "inherit" && !inside {
		text += ", policy " + env.Policy
	}
	if w.Session != nil {
		text += "     " + i.key(actValues) + " " + map[bool]string{false: "shows", true: "hides"}[values] + " values"
	}
	i.add("variables", text)
	list := func(names []string, source string) {
		for _, name := range names {
			i.add("", fmt.Sprintf("  %-13s %-15s %s", name, source, i.value(w, name, values)))
		}
	}
	list(env.Named, "set by you")
	list(env.Added, "added by mcpdbg")
}

// value returns the value of a variable, or dots.
func (i *info) value(w *workspace.Workspace, name string, shown bool) string {
	if !shown || w.Session == nil {
		return strings.Repeat(paint.Glyph(i.look, "•", "*"), 6)
	}
	value, err := w.Session.EnvValue(name)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return value
}

// inheritedInfo lists the variables of the shell.
func inheritedInfo(w *workspace.Workspace, i *info, values bool) {
	env := w.Shown.Lifecycle.Env
	if env.Policy == "" || w.Host() != "" {
		return
	}
	i.add("not passed", strings.Join(env.Omitted, " "))
	if !values || w.Session == nil {
		i.add("inherited", strings.Join(env.Passed, " "))
		return
	}
	label := "inherited"
	for _, name := range env.Passed {
		i.add(label, name+"="+i.value(w, name, true))
		label = ""
	}
}

// startInfo shows how long the phases of the start took, and when the process did something
// for the first time, counted from its start.
func startInfo(w *workspace.Workspace, i *info) {
	s := w.Shown.Lifecycle
	var parts []string
	label := "start"
	for _, p := range s.Phases {
		if w.Host() != "" || p.Error != "" {
			i.add(label, wording.Join("  ", p.Phase, wording.Took(p.Took), p.Detail))
			label = ""
		} else {
			parts = append(parts, strings.Replace(p.Phase, "resolve", "found", 1)+" "+string(wording.AppendTook(nil, p.Took)))
		}
		if s.Failed == nil || p.Error != s.Failed.Detail {
			i.styled("", p.Error, i.th.Failed)
		}
	}
	first := func(name string, t int64, ok bool) {
		if ok && s.Start.Process != "" {
			parts = append(parts, name+" "+string(wording.AppendTook(nil, max(t-s.StartT, 1))))
		}
	}
	t, ok := w.FirstAfter(w.Shown.Index.Stderr, s.Row, func(r session.Row) bool { return r.Kind == session.KindStderr })
	first("first stderr", t, ok)
	t, ok = w.FirstAfter(w.Shown.Index.Traffic.All(), s.Row, func(r session.Row) bool { return r.Msg == framing.Response || r.Msg == framing.ErrorResponse })
	first("first answer", t, ok)
	first("ready", s.ReadyT, s.Ready)
	first("ended", s.ExitedT, s.Exited != nil)
	i.add(label, strings.Join(parts, i.dot()))
	if failed := s.Failed; failed != nil {
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
	for _, n := range w.Shown.Lifecycle.Notes {
		if n.Code == executor.NoticeInside || n.Code == executor.NoticeUnseen {
			continue // see insideInfo
		}
		label := n.Code
		if label == "" {
			label = "note"
		}
		i.add(label, n.Text)
		i.add("  "+saidShort(n.SaidBy), n.Said)
		i.add("  hint", n.Hint)
	}
}
