package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// A part is one piece of the header line. Where the screen is narrow, parts are
// said shorter, and then left out, those of the lowest priority first.
type part struct {
	text     string
	short    string // the same in fewer cells; empty if there is no way
	style    theme.Style
	group    int // parts of one group stand together
	priority int
}

// Priorities: parts below little give way first, then those below matters; a
// part with must never goes.
const (
	little  = 25
	matters = 60
	must    = 100
)

// headerParts are the pieces of the header: what runs where, its state, what
// went over the pipes, what is wrong, and where it is recorded.
func (a *App) headerParts() []part {
	th := a.theme
	if a.subject == a.nobody {
		return []part{{text: "mcpdbg", style: th.Strong, priority: must}, {text: errNoSession.Error(), style: th.Dim, priority: must}}
	}
	badge := a.sessionBadge()
	state, style := liveState(a.status, th)
	switch {
	case a.session == nil:
		badge = a.fileBadge()
		state, style = a.recordedState()
	case a.status.State == session.Failed && a.lostLink():
		state = "state unknown"
	}
	parts := []part{{text: badge, style: th.Strong, priority: must}}
	if n := len(a.waiting); n > 0 {
		parts = append(parts, a.waitingPart(n))
	}
	parts = append(parts, a.titlePart(), a.watchPart())
	if a.host() != "" {
		parts = append(parts, a.linkPart())
	}
	parts = append(parts, a.processPart(), a.protocolPart(), part{text: state, short: shortState(state), style: style, priority: must})
	if !a.index.partial {
		parts = append(parts, a.trafficParts()...)
	}
	if a.session == nil {
		parts = append(parts, filePart(a.file, th), a.skippedPart())
	} else {
		parts = append(parts, recordingPart(a.stats, th))
	}
	if a.index.partial {
		return parts
	}
	return append(parts, lossPart(a.stats, a.status, th))
}

// sessionBadge says in the header whether the session goes on, is over, or is out
// of reach: then its server may live.
func (a *App) sessionBadge() string {
	switch {
	case a.lostLink():
		return "LOST"
	case a.status.State == session.Closed, a.status.State == session.Failed:
		return "ENDED"
	}
	return "LIVE"
}

// waitingPart says loudly that the server cannot go on without the person.
func (a *App) waitingPart(n int) part {
	since := time.Since(a.waiting[0].Since)
	text := fmt.Sprintf("WAITS FOR YOU %ds", int(max(since, 0).Seconds()))
	if n > 1 {
		text += fmt.Sprintf(" (%d)", n)
	}
	return part{text: " SERVER " + text + " ", short: " " + text + " ", style: a.theme.Asking, priority: must}
}

// shortTitle is how many cells of a title are the least.
const shortTitle = 14

func (a *App) titlePart() part {
	p := part{text: a.subjectTitle(), style: a.theme.Text, priority: 92}
	if termsafe.Width(p.text) > shortTitle {
		short, _, _ := termsafe.AppendString(nil, p.text, shortTitle, termsafe.Options{Ellipsis: a.look().Ellipsis})
		p.short = string(short)
	}
	return p
}

// processPart names the process: as it runs, or as the log has it.
func (a *App) processPart() part {
	id, pid := a.status.Process.ID, a.status.Process.PID
	if id == "" {
		id, pid = a.story.start.Process, a.story.start.PID
	}
	switch {
	case id == "":
		return part{}
	case pid == 0:
		return part{text: id, style: a.theme.Text, priority: 30}
	}
	short := fmt.Sprintf("pid %d", pid)
	return part{text: id + " " + short, short: short, style: a.theme.Text, priority: 30}
}

// protocolPart is the revision and the era that were agreed on.
func (a *App) protocolPart() part {
	protocol, era := a.status.Server.Protocol, a.status.Server.Era.String()
	if a.session == nil {
		protocol, era = a.story.protocol, a.story.era
	}
	if protocol == "" {
		return part{}
	}
	return part{text: protocol + " " + era, short: protocol, style: a.theme.Text, priority: 40}
}

// trafficParts count what went over the pipes, and what waits.
func (a *App) trafficParts() []part {
	th, out, in := a.theme, paint.Thousands(int(a.stats.Out)), paint.Thousands(int(a.stats.In))
	parts := []part{{text: fmt.Sprintf("out %s in %s", out, in), short: out + "/" + in, style: th.Text, group: 1, priority: 50}}
	if n := a.rate.perSecond(); n > 0 {
		parts = append(parts, part{text: paint.Thousands(n) + "/s", style: th.Text, group: 1, priority: 45})
	}
	if n := a.stats.PendingOut + a.stats.PendingIn; n > 0 {
		word := " pending"
		if a.outOfReach() {
			word = " unanswered"
		}
		parts = append(parts, part{text: paint.Thousands(n) + word, style: th.Warn, group: 1, priority: 90})
	}
	return append(parts, a.problemParts()...)
}

// outOfReach reports whether requests can get no response any more, as far as the log
// goes: the process has ended, or the connection to it is lost.
func (a *App) outOfReach() bool { return a.story.exited != nil || a.story.lost != nil }

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
		return streamsOpen, th.Warn
	case session.Failed:
		return "failed", th.Error
	case session.Closed:
		return exitState(exit, th)
	}
	return string(status.State), th.Warn
}

const streamsOpen = "exited, streams still open"

// shortState is a state in fewer cells, "" if it is short.
func shortState(state string) string {
	if state == streamsOpen {
		return "exited, open"
	}
	return ""
}

func exitState(exit *executor.Exit, th *theme.Theme) (string, theme.Style) {
	switch {
	case exit != nil && exit.By == executor.EndedByWatchdog:
		return "ended with the watchdog", th.Error
	case exit != nil && session.Outside(exit.By):
		return "ended by the guard", th.Error
	case exit == nil || exit.Kind == executor.ExitUnknown:
		return "ended, exit unknown", th.Error
	case exit.Kind == executor.ExitSignal:
		return "signal " + exit.Signal, th.Error
	case exit.Code != 0:
		return fmt.Sprintf("exit %d", exit.Code), th.Error
	}
	return "exit 0", th.Text
}

// recordingPart says where the bytes go.
func recordingPart(stats session.Stats, th *theme.Theme) part {
	switch stats.Recording {
	case session.RecordingNone:
		return part{text: "REC off", style: th.Warn, group: 2, priority: 70}
	case session.RecordingStopped:
		return part{text: "REC STOPPED " + stats.RecordingError, short: "REC STOPPED", style: th.Error, group: 2, priority: 98}
	case session.RecordingIncomplete:
		return part{text: "REC INCOMPLETE " + stats.RecordingError, short: "REC INCOMPLETE", style: th.Error, group: 2, priority: 98}
	}
	p := part{text: "REC " + size(stats.Size), short: "REC", style: th.Text, group: 2, priority: 85}
	if stats.RecordingMoved != "" {
		p.text, p.short, p.style = p.text+" "+stats.RecordingMoved, "REC moved", th.Warn
	}
	return p
}

// lossPart counts what held up the reader, and what is lost.
func lossPart(stats session.Stats, status session.Status, th *theme.Theme) part {
	p := part{text: "lag 0 held 0 gap 0", style: th.Dim, group: 3, priority: 20}
	if stats.Lagged+stats.Held+stats.Gaps > 0 {
		p.text, p.style, p.priority = countedLosses(stats), th.Warn, 75
	}
	if !status.Process.HeldSince.IsZero() {
		p.text, p.style, p.priority = "HELD NOW", th.Warn, 95
	}
	if stats.Gaps > 0 {
		p.short = fmt.Sprintf("%s LOST", size(int64(stats.LostBytes)))
		p.text += " (" + p.short + ")"
		p.style, p.priority = th.Error, 97
	}
	return p
}

// countedLosses are those that there are.
func countedLosses(stats session.Stats) string {
	var words []string
	for _, c := range []struct {
		what string
		n    uint64
	}{{"lag", stats.Lagged}, {"held", stats.Held}, {"gap", stats.Gaps}} {
		if c.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return strings.Join(words, " ")
}

// paintHeader paints the parts that a line has room for.
func paintHeader(l *paint.Line, parts []part, th *theme.Theme) {
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

// fitParts says parts shorter, and then leaves parts out, until the rest fit in
// width cells, or only those are left that must stay. Those that matter less
// give way in both manners before any other does.
func fitParts(parts []part, width int) []part {
	kept := make([]part, 0, len(parts))
	for _, p := range parts {
		if strings.TrimSpace(p.text) != "" {
			kept = append(kept, p)
		}
	}
	for _, most := range []int{little, matters, must} {
		for partsWidth(kept) > width {
			if i := lowest(kept, func(p part) bool { return p.short != "" && p.priority <= most }); i >= 0 {
				kept[i].text, kept[i].short = kept[i].short, ""
				continue
			}
			i := lowest(kept, func(p part) bool { return p.priority < most })
			if i < 0 {
				break
			}
			kept = slices.Delete(kept, i, i+1)
		}
	}
	return kept
}

// lowest is the part of the lowest priority that may give way; -1 if none may.
func lowest(parts []part, may func(part) bool) int {
	found := -1
	for i, p := range parts {
		if may(p) && (found < 0 || cmp.Less(p.priority, parts[found].priority)) {
			found = i
		}
	}
	return found
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
