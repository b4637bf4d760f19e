package ui

import (
	"fmt"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/grid"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// A part is one piece of the header line. Those of the lowest priority give
// way when the screen is narrow; a part with priority must stays.
type part struct {
	text     string
	style    theme.Style
	group    int // parts of one group stand together
	priority int
}

const must = 100

// headerParts are the pieces of the header: what runs where, its state, what
// went over the pipes, where it is recorded, and what was lost.
func (a *App) headerParts() []part {
	th := a.theme
	badge := "LIVE"
	state, style := liveState(a.status, th)
	switch {
	case a.subject == a.nobody:
		return []part{{"mcpdbg", th.Strong, 0, must}, {errNoSession.Error(), th.Dim, 0, must}}
	case a.session == nil:
		badge, state, style = "RECORDING", recordedState(a.stats), th.Text
	case a.status.State == session.Failed && a.lostLink():
		state = "state unknown"
	}
	parts := []part{
		{badge, th.Strong, 0, must},
		{a.subjectTitle(), th.Text, 0, 60},
	}
	if a.host() != "" {
		parts = append(parts, a.linkPart())
	}
	if info := a.status.Process; info.ID != "" {
		parts = append(parts, part{fmt.Sprintf("%s pid %d", info.ID, info.PID), th.Text, 0, 30})
	}
	if s := a.status.Server; s.Protocol != "" {
		parts = append(parts, part{s.Protocol + " " + s.Era.String(), th.Text, 0, 40})
	}
	parts = append(parts,
		part{state, style, 0, must},
		part{fmt.Sprintf("out %s in %s", thousands(int(a.stats.Out)), thousands(int(a.stats.In))), th.Text, 1, 50},
	)
	if n := a.stats.PendingOut + a.stats.PendingIn; n > 0 {
		parts = append(parts, part{fmt.Sprintf("%s pending", thousands(n)), th.Warn, 1, 55})
	}
	parts = append(parts, recordingPart(a.stats, th))
	return append(parts, lossPart(a.stats, a.status, th))
}

// subjectTitle is what is looked at, without the host behind it in brackets where that
// stands beside it anyway.
func (a *App) subjectTitle() string {
	if host := a.host(); host != "" {
		return strings.TrimSuffix(a.subject.title, " ("+host+")")
	}
	return a.subject.title
}

// linkPart is the connection to the host: whose it is, how it does in a word,
// and the time of a round trip. Trouble with it stays on any screen.
func (a *App) linkPart() part {
	p := part{strings.TrimSpace("ssh " + a.host() + " " + a.linkText()), a.linkStyle(), 0, 62}
	switch a.linkState() {
	case "":
		p.style = a.theme.Text // nothing is known yet
	case string(executor.LinkStalled), string(executor.LinkLost):
		p.priority = must
	}
	return p
}

// liveState says in what state the session is, in words that do not take a
// lost process for one that ended well.
func liveState(status session.Status, th *theme.Theme) (string, theme.Style) {
	exit := status.Process.Exit
	switch status.State {
	case session.Idle:
		return "not started", th.Warn
	case session.Ready, session.Running:
		return string(status.State), th.OK
	case session.Exited:
		return "exited, streams still open", th.Warn
	case session.Failed:
		return "failed", th.Error
	case session.Closed:
		return exitState(exit, th)
	}
	return string(status.State), th.Warn
}

func exitState(exit *executor.Exit, th *theme.Theme) (string, theme.Style) {
	switch {
	case exit == nil || exit.Kind == executor.ExitUnknown:
		return "ended, exit unknown", th.Error
	case exit.Kind == executor.ExitSignal:
		return "signal " + exit.Signal, th.Error
	case exit.Code != 0:
		return fmt.Sprintf("exit %d", exit.Code), th.Error
	}
	return "exit 0", th.Text
}

func recordedState(stats session.Stats) string {
	if stats.Recording == session.RecordingTorn {
		return "not finished"
	}
	return "complete"
}

// recordingPart says where the bytes go.
func recordingPart(stats session.Stats, th *theme.Theme) part {
	switch stats.Recording {
	case session.RecordingNone:
		return part{"REC off", th.Warn, 2, 70}
	case session.RecordingStopped:
		return part{"REC STOPPED " + stats.RecordingError, th.Error, 2, 90}
	}
	return part{"REC " + size(stats.Size), th.Text, 2, 65}
}

// lossPart counts what held up the reader, and what is lost.
func lossPart(stats session.Stats, status session.Status, th *theme.Theme) part {
	p := part{fmt.Sprintf("lag %d held %d gap %d", stats.Lagged, stats.Held, stats.Gaps), th.Dim, 3, 20}
	if stats.Lagged+stats.Held+stats.Gaps > 0 {
		p.style, p.priority = th.Warn, 75
	}
	if !status.Process.HeldSince.IsZero() {
		p = part{"HELD NOW", th.Warn, 3, 85}
	}
	if stats.Gaps > 0 {
		p.style, p.priority = th.Error, 95
		p.text += fmt.Sprintf(" (%s lost)", size(int64(stats.LostBytes)))
	}
	return p
}

// paintHeader paints the parts that a line has room for.
func paintHeader(l *grid.Line, parts []part, th *theme.Theme) {
	parts = fitParts(parts, l.Room()-1)
	l.PadTo(1)
	for i, p := range parts {
		if i > 0 {
			l.Text(th.Dim, separator(parts[i-1], p))
		}
		l.Text(p.style, p.text)
	}
}

func separator(before, after part) string {
	if before.group != after.group {
		return " | "
	}
	return "  "
}

// fitParts drops parts until the rest fit in width cells, or only those are
// left that must stay.
func fitParts(parts []part, width int) []part {
	kept := make([]part, 0, len(parts))
	for _, p := range parts {
		if strings.TrimSpace(p.text) != "" {
			kept = append(kept, p)
		}
	}
	for partsWidth(kept) > width {
		lowest := -1
		for i, p := range kept {
			if p.priority < must && (lowest < 0 || p.priority < kept[lowest].priority) {
				lowest = i
			}
		}
		if lowest < 0 {
			break
		}
		kept = append(kept[:lowest], kept[lowest+1:]...)
	}
	return kept
}

func partsWidth(parts []part) int {
	width := 0
	for i, p := range parts {
		if i > 0 {
			width += len(separator(parts[i-1], p))
		}
		width += termsafe.Width(p.text)
	}
	return width
}
