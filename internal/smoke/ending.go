package smoke

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// endingExtra is how long an ending may take beyond the grace of its ladder's
// steps before it goes on with KILL at once.
const endingExtra = 5 * time.Second

// shutdown ends the server, whatever became of the target: no timeout of the
// target and no end of the run shortens it.
func (c *check) shutdown() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.run.ctx), 2*session.Grace+endingExtra)
	defer cancel()
	c.enter(PhaseShutdown)
	begin := time.Now()
	report, err := c.made.Close(ctx)
	if report.Needed != 0 {
		add(&c.result.Timings.Shutdown, time.Since(begin))
	}
	if report.Exit != nil {
		c.exit(report.Exit)
	}
	for _, d := range report.Survivors {
		c.orphan(d, true)
	}
	for _, d := range report.Left {
		c.orphan(d, false)
	}
	for _, d := range report.Spared {
		c.result.Spared = append(c.result.Spared, Spared{PID: d.PID, Command: d.Command})
	}
	c.result.CannotTell = report.CannotTell
	f := ended(report, err, c.result.Orphans)
	if f != nil && f.cause == CauseShutdown && !report.Killed && c.run.ctx.Err() != nil && time.Since(begin) < 2*session.Grace {
		f = cancelled(PhaseShutdown, "killed before it had the time to end", context.Cause(c.run.ctx)) // it was somebody else who did not wait
	}
	if f != nil {
		c.fail(f)
	}
	c.remark(report)
}

// exit notes how the server ended, unless it is known.
func (c *check) exit(exit *executor.Exit) {
	if c.result.Exit == "" {
		c.result.Exit, c.result.ExitBy = session.DescribeExit(*exit), exit.By.String()
	}
}

// outside makes a failure that of a server which the guard or the watchdog ended.
func (f *failure) outside(exit executor.Exit) {
	f.cause, f.code, f.hint = CauseWatchdog, "ended.watchdog", session.AdviceEnd(exit)
	if exit.By != executor.EndedByWatchdog {
		f.cause, f.code = CauseLinkLost, "ended."+exit.By.String()
	}
}

// maxOrphans is how many a result names.
const maxOrphans = 100

func (c *check) orphan(d executor.Descendant, alive bool) {
	if len(c.result.Orphans) == maxOrphans {
		c.orphansMore++
		return
	}
	c.result.Orphans = append(c.result.Orphans, Orphan{PID: d.PID, Command: d.Command, Alive: alive})
}

// ended says what is wrong with how a server ended, nil if nothing is.
func ended(report session.ShutdownReport, err error, orphans []Orphan) *failure {
	killed := report.Needed == executor.StepKill
	switch {
	case report.Lost != nil:
		return &failure{
			phase: PhaseShutdown, cause: CauseLinkLost, code: string(report.Lost.Code), message: report.Lost.Error(),
			hint: session.LostHint(report.Lost), said: lastLines(strings.Split(report.Lost.Said, "\n")),
		}
	case report.Exit != nil && session.Outside(report.Exit.By):
		f := &failure{phase: PhaseShutdown, message: report.Outcome()}
		f.outside(*report.Exit)
		return f
	case killed && !endedItself(report), report.Killed:
		return &failure{
			phase: PhaseShutdown, cause: CauseShutdown, code: "shutdown.kill",
			message: "it did not end when its stdin was closed, nor with SIGTERM, and was killed" + when(report),
			hint:    "a server is to end when its stdin ends, and at the latest with SIGTERM",
		}
	case killed || len(orphans) > 0:
		return &failure{
			phase: PhaseShutdown, cause: CauseOrphan, code: "shutdown.orphan", message: orphanMessage(orphans),
			hint: "a server is to end the processes that it started before it ends itself",
		}
	case err != nil:
		return &failure{phase: PhaseShutdown, cause: CauseShutdown, code: "shutdown.failed", message: err.Error()}
	}
	return nil
}

// when says at which ending a server was killed, if it was not the last one.
func when(report session.ShutdownReport) string {
	if report.Killed {
		return ", at a restart"
	}
	return ""
}

// endedItself reports whether the server ended without a signal of ours: what was
// killed then was another process, which held its streams.
func endedItself(report session.ShutdownReport) bool {
	return report.Exit != nil && (report.Exit.Kind == executor.ExitCode || report.Exit.By == executor.EndedBySignal || report.Exit.By == executor.EndedByServer)
}

func orphanMessage(orphans []Orphan) string {
	if len(orphans) == 0 {
		return "it left a process behind, which held its streams and was killed"
	}
	first := orphans[0]
	for _, o := range orphans {
		if o.Alive {
			return fmt.Sprintf("a process could not be killed: %d %s%s", o.PID, o.Command, more(len(orphans)))
		}
	}
	return fmt.Sprintf("it left a process behind, which was killed: %d %s%s", first.PID, first.Command, more(len(orphans)))
}

// remark tells of what is allowed of a server that ends, and still no good.
func (c *check) remark(report session.ShutdownReport) {
	if report.Needed == executor.StepTerm {
		c.notice(Notice{Code: "shutdown.term", Text: fmt.Sprintf("it did not end within %v when its stdin was closed: it took SIGTERM", session.Grace)})
	}
	if report.Needed == executor.StepCloseStdin && report.Exit != nil && (report.Exit.Kind != executor.ExitCode || report.Exit.Code != 0) {
		c.notice(Notice{Code: "shutdown.exit", Text: "when its stdin was closed it ended with " + session.DescribeExit(*report.Exit)})
	}
	if c.orphansMore > 0 {
		c.notice(Notice{Code: "orphans.more", Text: fmt.Sprintf("%d more processes were left behind", c.orphansMore)})
	}
	if failure := c.made.Session.Log().Stats().RecordingError; failure != "" {
		c.notice(Notice{Code: "recording.incomplete", Text: "the recording is not complete: " + failure})
	}
}
