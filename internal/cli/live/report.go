package live

import (
	"errors"
	"fmt"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/widget/termsafe"
)

// WarnConfig prints the problems of a configured server.
func WarnConfig(env *console.Env, from *flags.Configured) {
	if from == nil {
		return
	}
	for _, p := range from.Problems() {
		for _, line := range append([]string{"mcpdbg: note: " + p.Error()}, console.HintLines(p.Hint)...) {
			fmt.Fprintln(env.Stderr, termsafe.String(line))
		}
	}
}

// Announce prints the problems of a remote start. Informational notices are only
// recorded.
func Announce(env *console.Env, notices []executor.Notice) {
	for _, n := range notices {
		if !strings.HasPrefix(n.Code, "mode.") && !strings.HasPrefix(n.Code, "run.") && n.Code != "config.unread" {
			continue
		}
		lines := append([]string{"mcpdbg: note: " + n.Text}, console.QuoteSaid(n.SaidBy, n.Said)...)
		for _, line := range append(lines, console.HintLines(n.Hint)...) {
			fmt.Fprintln(env.Stderr, termsafe.String(line))
		}
	}
}

// NoResponseHint is for a request without a response.
func NoResponseHint(err error, stats session.Stats) string {
	var task *session.TaskError
	switch {
	case !errors.Is(err, session.ErrTimeout):
		return ""
	case errors.As(err, &task):
		return "a longer --timeout: a task and its id live only as long as the server"
	case stats.Stray > 0:
		return fmt.Sprintf("check the recording: stdout has %s of non-JSON-RPC output", wording.Plural(stats.Stray, "line"))
	default:
		return "a longer --timeout"
	}
}

// ReportEnd prints leaked and spared processes, unknown facts about the end, and the gaps
// of the log; with path set, also its path. It omits a loss or an outside end that err
// already reports.
func ReportEnd(env *console.Env, l *Session, path bool, report session.ShutdownReport, err error) {
	if report.Lost != nil && !console.IsReach(err) {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+report.Lost.Error()))
		for _, line := range console.HintLines(session.LostHint(report.Lost)) {
			fmt.Fprintln(env.Stderr, termsafe.String(line))
		}
	}
	var known *session.EndedError
	if report.Exit != nil && session.EndedFromOutside(report.Exit.By) && !errors.As(err, &known) {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+report.Outcome()))
	}
	for _, line := range report.ProcessLines() {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+line))
	}
	for _, text := range recordingLines(l.Log, path) {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+text))
	}
}

// recordingLines returns what a log lacks and, with path set, where it is unless its
// recording failed, which Env.ReportIncomplete reports.
func recordingLines(log *recordings.File, path bool) (lines []string) {
	stats, name := log.Stats(), log.Path()
	failed := stats.Recording == session.RecordingIncomplete || stats.Recording == session.RecordingStopped
	if path && name != "" && !failed {
		text := "recorded to " + name
		if stats.RecordingMoved != "" {
			text += ", " + stats.RecordingMoved + " while it was open"
		}
		lines = append(lines, text)
	}
	switch {
	case stats.RecordingError == "", stats.Recording == session.RecordingIncomplete:
	case stats.Recording == session.RecordingStopped && name != "":
	default:
		lines = append(lines, "the log of this session is incomplete: "+stats.RecordingError)
	}
	return lines
}

// ReportNeeded prints how the server was ended, unless by stdin EOF.
func ReportNeeded(env *console.Env, report session.ShutdownReport) {
	if report.LastStep == 0 || report.Exit == nil {
		return
	}
	fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+report.Outcome()))
}
