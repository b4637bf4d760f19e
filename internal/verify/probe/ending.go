package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
)

// shutdown ends the server in any case: neither the target's timeout nor the end of the
// run shortens it.
func (c *target) shutdown() {
	c.enter(verify.PhaseShutdown)
	begin := time.Now()
	report, err := verify.Close(c.run.ctx, c.made)
	if report.LastStep != 0 {
		c.times.add(verify.PhaseShutdown, time.Since(begin))
	}
	if report.Exit != nil {
		c.exit(report.Exit)
	}
	for _, d := range report.Survivors {
		c.orphan(d, true)
	}
	for _, d := range report.Leaked {
		c.orphan(d, false)
	}
	for _, d := range report.Unseen {
		c.result.CannotTell = append(c.result.CannotTell, fmt.Sprintf("leaked process: cannot tell whether it ended: %d %s", d.PID, d.Command))
	}
	for _, d := range report.Spared {
		c.result.Spared = append(c.result.Spared, verify.Spared{PID: d.PID, Command: d.Command})
	}
	c.result.CannotTell = append(c.result.CannotTell, report.CannotTell...)
	if why := session.EndUnknown(report.Exit); why != "" {
		c.result.CannotTell = append([]string{why}, c.result.CannotTell...)
	}
	f := ended(report, err, c.result.Orphans)
	if f != nil && f.cause == verify.CauseShutdown && !report.Killed && c.run.ctx.Err() != nil && time.Since(begin) < 2*session.Grace {
		f = cancelled(verify.PhaseShutdown, "killed before it could exit", context.Cause(c.run.ctx)) // the impatience was ours, not the server's fault
	}
	if f != nil {
		c.fail(f)
	}
	c.addNotices(report)
}

// exit keeps an ending that is already known.
func (c *target) exit(exit *executor.Exit) {
	if c.result.Exit == "" {
		c.result.Exit, c.result.ExitBy = session.DescribeExit(*exit), exit.By.String()
	}
}

func (f *failure) endedExternally(exit executor.Exit) {
	f.cause, f.code, f.hint = verify.CauseWatchdog, "ended.watchdog", diagnosis.AdviceEnd(exit)
	if exit.By != executor.EndedByWatchdog {
		f.cause, f.code = verify.CauseLinkLost, "ended."+exit.By.String()
	}
}

const maxOrphans = 100

func (c *target) orphan(d executor.Descendant, alive bool) {
	if len(c.result.Orphans) == maxOrphans {
		c.orphansMore++
		return
	}
	c.result.Orphans = append(c.result.Orphans, verify.Orphan{PID: d.PID, Command: d.Command, Alive: alive})
}

func ended(report session.ShutdownReport, err error, orphans []verify.Orphan) *failure {
	killed := report.LastStep == executor.StepKill
	switch {
	case report.Lost != nil:
		return &failure{
			phase: verify.PhaseShutdown, cause: verify.CauseLinkLost, code: string(report.Lost.Code), message: report.Lost.Error(),
			hint: session.LostHint(report.Lost), said: lastLines(strings.Split(report.Lost.Said, "\n")),
		}
	case report.Exit != nil && session.EndedFromOutside(report.Exit.By):
		f := &failure{phase: verify.PhaseShutdown, message: report.Outcome()}
		f.endedExternally(*report.Exit)
		return f
	case killed && !verify.EndedItself(&report), report.Killed:
		return &failure{
			phase: verify.PhaseShutdown, cause: verify.CauseShutdown, code: "shutdown.kill",
			message: "ignored stdin EOF and SIGTERM; killed with SIGKILL" + when(report),
			hint:    "exit when stdin is closed, or at the latest on SIGTERM",
		}
	case len(orphans) > 0:
		return &failure{
			phase: verify.PhaseShutdown, cause: verify.CauseOrphan, code: "shutdown.orphan", message: orphanMessage(orphans),
			hint: "end all child processes before the server exits",
		}
	case err != nil:
		return &failure{phase: verify.PhaseShutdown, cause: verify.CauseShutdown, code: "shutdown.failed", message: err.Error()}
	}
	return nil
}

// when names the shutdown in which the server was killed, if not the last one.
func when(report session.ShutdownReport) string {
	if report.Killed {
		return " (at a restart)"
	}
	return ""
}

func orphanMessage(orphans []verify.Orphan) string {
	first := orphans[0]
	for _, o := range orphans {
		if o.Alive {
			return fmt.Sprintf("leaked process could not be killed: %d %s%s", o.PID, o.Command, more(len(orphans)))
		}
	}
	return fmt.Sprintf("leaked child process (killed): %d %s%s", first.PID, first.Command, more(len(orphans)))
}

// addNotices is for a shutdown that is acceptable but not clean.
func (c *target) addNotices(report session.ShutdownReport) {
	if report.LastStep == executor.StepTerm {
		c.notice(verify.Notice{Code: "shutdown.term", Text: fmt.Sprintf("did not exit within %v after stdin was closed; ended with SIGTERM", session.Grace)})
	}
	if report.LastStep == executor.StepCloseStdin && report.Exit != nil && session.EndUnknown(report.Exit) == "" && (report.Exit.Kind != executor.ExitCode || report.Exit.Code != 0) {
		c.notice(verify.Notice{Code: "shutdown.exit", Text: "after stdin was closed: " + session.DescribeExit(*report.Exit)})
	}
	if c.orphansMore > 0 {
		c.notice(verify.Notice{Code: "orphans.more", Text: fmt.Sprintf("%d more leaked processes", c.orphansMore)})
	}
	if failure := c.made.Session.Log().Stats().RecordingError; failure != "" {
		c.notice(verify.Notice{Code: "recording.incomplete", Text: "incomplete recording: " + failure})
	}
}
