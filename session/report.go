package session

import (
	"fmt"

	"mcpdbg/session/executor"
)

// Outcome returns one line about which step ended the server, or how it had
// ended before.
func (r *ShutdownReport) Outcome() string {
	how := map[executor.Step]string{
		executor.StepCloseStdin: "when its stdin was closed",
		executor.StepInterrupt:  "after INT",
		executor.StepTerm:       "after TERM",
		executor.StepKill:       "after KILL",
	}[r.LastStep]
	if r.LastStep == executor.StepKill && r.Exit != nil && r.Exit.Kind == executor.ExitCode {
		how = "" // it had exited before: KILL went to other processes
	}
	switch {
	case r.Exit == nil && how == "":
		return "the server had ended"
	case r.Exit == nil:
		return "the server ended " + how
	case r.Exit.By == executor.EndedByShutdown && how != "":
		return fmt.Sprintf("the server ended %s: %s", how, DescribeExit(*r.Exit))
	}
	if EndedFromOutside(r.Exit.By) || r.Exit.By == executor.EndedBySignal {
		return "the server was " + DescribeEnd(*r.Exit)
	}
	return "the server ended: " + DescribeEnd(*r.Exit)
}

// ProcessLines returns a line for each process that the shutdown found besides the
// server (leaked processes that were killed or could not be killed, and
// processes left running on request), and for each thing that it cannot tell.
func (r *ShutdownReport) ProcessLines() []string {
	var lines []string
	add := func(what string, list []executor.Descendant) {
		for _, d := range list {
			lines = append(lines, fmt.Sprintf("%s: pid %d %s", what, d.PID, d.Command))
		}
	}
	add("leaked process (killed)", r.Leaked)
	add("leaked process (connection lost: cannot tell whether it ended)", r.Unseen)
	for _, d := range r.Survivors {
		lines = append(lines, fmt.Sprintf("leaked process (still alive): pid %d %s (kill -9 %d)", d.PID, d.Command, d.PID))
	}
	add("left running (--leave)", r.Spared)
	return append(lines, r.CannotTell...)
}
