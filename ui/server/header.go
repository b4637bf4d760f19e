package server

import (
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// OtherParts are parts of the header that other screens know.
type OtherParts struct {
	Link     kit.Part   // the connection to the host
	Watch    kit.Part   // the watch over files
	Problems kit.Part   // the problems found
	Tap      []kit.Part // what is held in the session of a client, and by which program
}

// usualParts is the number of parts that most headers have room for.
const usualParts = 16

// HeaderParts returns the parts of the header. At the left: state, server, host, protocol, and
// what needs attention. At the right: the recording, and losses.
func HeaderParts(c host.Context, others OtherParts) []kit.Part {
	th := c.Host.Screen().Theme
	if c.Workspace.Empty() {
		return []kit.Part{{Text: "mcpdbg", Style: th.Strong, Priority: kit.Must}, {Text: workspace.ErrNoSession.Error(), Style: th.Dim, Priority: kit.Must}}
	}
	badge := sessionBadge(c)
	state, style := liveState(c.Workspace.Status, th)
	switch {
	case c.Workspace.Session == nil:
		badge = fileBadge(c)
		if state, style = recordedState(c); c.Workspace.Shown.Tap() && state == string(session.Ready) {
			state = ""
		}
	case c.Workspace.Status.State == session.Failed && c.Workspace.LostLink():
		state = "state unknown"
	}
	parts := append(make([]kit.Part, 0, usualParts),
		kit.Part{Text: badge, Style: th.Strong, Priority: kit.Must, Action: host.ActProcess},
		kit.Part{Text: state, Short: shortState(state), Style: style, Priority: kit.Must, Action: host.ActProcess},
		titlePart(c), others.Link, processPart(c), protocolPart(c))
	whole := !c.Workspace.Shown.Index.Partial
	if whole {
		parts = append(parts, runningPart(c))
	}
	parts = append(append(parts, waitingPart(c)), others.Tap...)
	if whole {
		parts = append(parts, others.Problems)
	}
	if pid := c.Workspace.Shown.LostPID(); pid != 0 {
		parts = append(parts, kit.Part{Text: fmt.Sprintf("state of %d lost", pid), Short: "state lost", Style: th.Odd, Priority: 75, Action: host.ActProcess})
	}
	if c.Workspace.Status.OpenLine > 0 {
		parts = append(parts, kit.Part{Text: "half a line sent", Short: "half line", Style: th.Odd, Priority: kit.Must, Action: host.ActCompose})
	}
	parts = append(parts, levelPart(c), others.Watch)
	if whole {
		parts = addLosses(parts, c.Workspace.Stats, c.Workspace.Status, th)
	}
	if c.Workspace.Session == nil {
		return append(parts, skippedPart(c), filePart(c.Workspace.File, c.Workspace.Shown.Tap(), th))
	}
	return append(parts, recordingPart(c.Workspace.Stats, th))
}

// sessionBadge returns the badge of the session in the header: whether it is
// live, has ended, or is unreachable and its server may still run.
func sessionBadge(c host.Context) string {
	switch {
	case c.Workspace.LostLink():
		return "LOST"
	case c.Workspace.Status.State == session.Closed, c.Workspace.Status.State == session.Failed:
		return "ENDED"
	}
	return "LIVE"
}

// waitingPart counts the requests of the server that wait for the person.
func waitingPart(c host.Context) kit.Part {
	n := len(c.Workspace.Waiting)
	switch n {
	case 0:
		return kit.Part{}
	case 1:
		return kit.Part{Text: " 1 waits for you ", Short: " 1 waits ", Style: c.Host.Screen().Theme.Waits, Priority: kit.Must, Action: host.ActAnswer}
	}
	return kit.Part{Text: fmt.Sprintf(" %d wait for you ", n), Short: fmt.Sprintf(" %d wait ", n), Style: c.Host.Screen().Theme.Waits, Priority: kit.Must, Action: host.ActAnswer}
}

// shortTitle is the minimum number of cells of a title.
const shortTitle = 14

func titlePart(c host.Context) kit.Part {
	title := c.Workspace.FullTitle()
	if c.Host.Screen().ASCII {
		title = strings.ReplaceAll(title, "→", "->")
	}
	p := kit.Part{Text: title, Style: c.Host.Screen().Theme.Text, Priority: 92, Action: host.ActSessions}
	if termsafe.Width(p.Text) > shortTitle {
		short, _, _ := termsafe.AppendString(nil, p.Text, shortTitle, termsafe.Options{Ellipsis: c.Host.Screen().Look().Ellipsis})
		p.Short = string(short)
	}
	return p
}

func processPart(c host.Context) kit.Part {
	id, pid := c.Workspace.Status.Process.ID, c.Workspace.Status.Process.PID
	if id == "" {
		id, pid = c.Workspace.Shown.Lifecycle.Start.Process, c.Workspace.Shown.Lifecycle.Start.PID
	}
	if c.Workspace.Shown.Lifecycle.Exited != nil {
		return kit.Part{} // the pid may be that of another process by now
	}
	if id == "" || pid == 0 {
		return kit.Part{Text: id, Style: c.Host.Screen().Theme.Text, Priority: 30, Action: host.ActProcess}
	}
	return kit.Part{Text: "pid " + strconv.Itoa(pid), Style: c.Host.Screen().Theme.Text, Priority: 30, Action: host.ActProcess}
}

func protocolPart(c host.Context) kit.Part {
	server := c.Workspace.Status.Server
	protocol := server.Protocol
	if c.Workspace.Session == nil {
		protocol = c.Workspace.Shown.Lifecycle.Protocol
	}
	return kit.Part{Text: strings.TrimSpace(protocol + "  " + server.Name + " " + server.Version), Short: protocol, Style: c.Host.Screen().Theme.Text, Priority: 40, Action: ActOverview}
}

// levelPart names the level of log messages, unless it is the default: info, or in
// the modern era none.
func levelPart(c host.Context) kit.Part {
	level := c.Workspace.Status.LogLevel
	if level == "" || level == usualLevel && c.Workspace.Status.Server.Era != mcp.Modern {
		return kit.Part{}
	}
	return kit.Part{Text: "level " + level, Style: c.Host.Screen().Theme.Text, Priority: 42, Action: actLogLevel}
}

// usualLevel is the level that legacy servers begin with.
const usualLevel = "info"

// runningPart counts the requests without a response.
func runningPart(c host.Context) kit.Part {
	th := c.Host.Screen().Theme
	out, recording := c.Workspace.Stats.PendingOut, c.Workspace.Stats.Recording
	over := c.Workspace.NoReply() || c.Workspace.Session == nil && recording != session.RecordingOn && recording != session.RecordingReading
	switch all := out + c.Workspace.Stats.PendingIn; {
	case over && all > 0:
		return kit.Part{Text: wording.Thousands(all) + " unanswered", Style: th.Odd, Priority: 90, Filter: "is:unanswered"}
	case out > 0:
		return kit.Part{Text: wording.Thousands(out) + " running", Style: th.Accent, Priority: 90, Filter: "is:running"}
	}
	return kit.Part{}
}

// liveState distinguishes a lost process from one that ended cleanly.
func liveState(status session.Status, th *paint.Theme) (string, paint.Style) {
	exit := status.Process.Exit
	switch status.State {
	case session.Idle:
		return "not started", th.Odd
	case session.Ready, session.Running:
		return string(status.State), th.Good
	case session.Exited:
		return streamsOpen, th.Odd
	case session.Failed:
		return "failed", th.Failed
	case session.Closed:
		return exitState(exit, th)
	}
	return string(status.State), th.Odd
}

const (
	streamsOpen = "exited, streams still open"
	exitUnknown = "ended, exit unknown"
)

// "" if it is short.
func shortState(state string) string {
	switch {
	case state == streamsOpen:
		return "exited"
	case strings.HasPrefix(state, exitUnknown):
		return exitUnknown
	}
	return ""
}

func exitState(exit *executor.Exit, th *paint.Theme) (string, paint.Style) {
	switch {
	case exit != nil && exit.By == executor.EndedByWatchdog:
		return "ended with the watchdog", th.Failed
	case exit != nil && session.EndedFromOutside(exit.By):
		return "ended by the guard", th.Failed
	case exit != nil && exit.Kind == executor.ExitUnknown && exit.Why != "":
		client, _, _ := strings.Cut(exit.Why, ";")
		return exitUnknown + " (" + client + ")", th.Odd
	case exit == nil || exit.Kind == executor.ExitUnknown:
		return exitUnknown, th.Failed
	case exit.Kind == executor.ExitSignal:
		return "signal " + exit.Signal, th.Failed
	case exit.Code != 0:
		return fmt.Sprintf("exit %d", exit.Code), th.Failed
	}
	return "exit 0", th.Text
}

func recordingPart(stats session.Stats, th *paint.Theme) kit.Part {
	switch stats.Recording {
	case session.RecordingNone:
		return kit.Part{Text: "REC off", Style: th.Odd, Right: true, Priority: 70}
	case session.RecordingStopped:
		return kit.Part{Text: "REC STOPPED " + stats.RecordingError, Short: "REC STOPPED", Style: th.Failed, Right: true, Priority: 98}
	case session.RecordingIncomplete:
		return kit.Part{Text: "REC INCOMPLETE " + stats.RecordingError, Short: "REC INCOMPLETE", Style: th.Failed, Right: true, Priority: 98}
	}
	p := kit.Part{Text: "REC " + wording.Size(stats.Size), Short: "REC", Style: th.Text, Right: true, Priority: 85}
	if stats.RecordingMoved != "" {
		p.Text, p.Short, p.Style = p.Text+" "+stats.RecordingMoved, "REC moved", th.Odd
	}
	return p
}

// addLosses counts what mcpdbg read late, and what it lost.
func addLosses(parts []kit.Part, stats session.Stats, status session.Status, th *paint.Theme) []kit.Part {
	part := func(word string, n uint64, style paint.Style, priority int) kit.Part {
		if n == 0 {
			return kit.Part{}
		}
		return kit.Part{Text: fmt.Sprintf("%s %d", strings.ToUpper(word), n), Style: style, Right: true, Priority: priority, Filter: word}
	}
	stall, gap := part("stall", stats.Held, th.Odd, 73), part("gap", stats.Gaps, th.Failed, kit.Must)
	if !status.Process.HeldSince.IsZero() {
		stall.Text, stall.Style, stall.Right, stall.Priority, stall.Filter = "STALLED NOW", th.Odd, true, 95, "stall"
	}
	if stats.LostBytes > 0 {
		gap.Text = "GAP " + wording.Size(int64(stats.LostBytes))
	}
	return append(parts, part("lag", stats.Lagged, th.Odd, 72), stall, gap)
}
