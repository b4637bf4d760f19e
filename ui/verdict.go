package ui

import (
	"errors"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/grid"
)

// verdictLines is how many lines the verdict takes at most; one less where there
// is little room.
const verdictLines = 3

// verdict says, below the header, what has become of the server when it is
// something else than an exit: it could not be started, or the connection to it
// stalls or is lost. It is empty if there is nothing of the kind. The parts come
// in the order in which they may not be missed.
func (a *App) verdict() (parts []string) {
	s := a.story
	switch {
	case s.failed != nil:
		parts = []string{"x not started: " + firstLine(s.failed.Detail)}
		return a.withRestart(parts, "starts it again")
	case s.lost != nil:
		again := "starts it again"
		if a.lostLink() {
			again = "reconnects and restarts"
		}
		parts = a.withRestart([]string{"x " + firstLine(s.lost.Error)}, again)
		if hint := a.lostHint(); hint != "" {
			parts = append(parts, strings.Split(hint, "; ")...)
		}
		return parts
	case a.linkState() == string(executor.LinkStalled) && a.linkLives():
		parts = []string{"! no answer from " + a.host() + a.silence()}
		return append(parts, "requests wait until it answers, or is lost")
	}
	return nil
}

// withRestart says which key helps, where there is a session.
func (a *App) withRestart(parts []string, what string) []string {
	if action, ok := a.keys.ByID(actRestart); ok && a.session != nil {
		parts = append(parts, action.Keys[0]+" "+what)
	}
	return parts
}

// lostHint is what becomes of a server whose connection is lost: as the
// executor says it, or as the log has it.
func (a *App) lostHint() string {
	var lost *executor.LostError
	if errors.As(a.status.Process.Failure, &lost) && lost.Hint != "" {
		return firstLine(lost.Hint)
	}
	return firstLine(a.story.lost.Hint)
}

// silence says for how long nothing has been heard from the host.
func (a *App) silence() string {
	link := a.status.Process.Link
	if link == nil || link.Heard.IsZero() {
		return ""
	}
	return " for " + time.Since(link.Heard).Round(time.Second).String()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// verdictRows are the lines that the verdict is painted in. Where they have no
// room for all parts, the last go.
func (a *App) verdictRows() []string {
	parts := a.verdict()
	most := verdictLines
	if a.height < panesHeight {
		most--
	}
	for n := len(parts); n > 0; n-- {
		rows := wrap(strings.Join(parts[:n], "; "), a.width-2)
		switch {
		case len(rows) <= most:
			return rows
		case n == 1: // painting cuts the last line, and shows that it did
			rest := strings.Join(rows[most-1:], " ")
			return append(rows[:most-1], rest)
		}
	}
	return nil
}

// paintVerdict paints the lines below the header.
func (a *App) paintVerdict() {
	r := a.layout.verdict
	if r.Empty() {
		return
	}
	style := a.theme.Error
	if a.story.lost == nil && a.story.failed == nil {
		style = a.theme.Warn
	}
	block := &grid.Lines{Options: a.look()}
	block.Resize(r.W, r.H)
	rows := a.verdictRows()
	for y, row := range rows[:min(r.H, len(rows))] {
		l := block.Line(y)
		l.PadTo(1)
		l.Text(style, row)
	}
	a.canvas.Draw(r, block)
}

// lostLink tells whether the connection to the process was lost.
func (a *App) lostLink() bool {
	return a.story.lost != nil && a.story.lost.Code != ""
}

// linkState is the state of the connection to the host, empty on this machine.
func (a *App) linkState() string {
	if a.story.link == nil {
		return ""
	}
	if link := a.status.Process.Link; link != nil && a.session != nil && a.status.State != session.Starting {
		return string(link.State)
	}
	return a.story.link.State
}

// linkRTT is the round trip time to the host, 0 if it is not known.
func (a *App) linkRTT() time.Duration {
	switch link := a.status.Process.Link; {
	case link != nil && a.session != nil:
		return link.RTT
	case a.story.link != nil:
		return time.Duration(a.story.link.RTT) * time.Microsecond
	}
	return 0
}
