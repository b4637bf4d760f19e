package session

import (
	"fmt"

	"mcpdbg/session/executor"
)

// Outcome returns what it took to end the server, or how it had ended before, in
// one line.
func (r *ShutdownReport) Outcome() string {
	how := map[executor.Step]string{
		executor.StepCloseStdin: "when its stdin was closed",
		executor.StepInterrupt:  "after INT",
		executor.StepTerm:       "after TERM",
		executor.StepKill:       "after KILL",
	}[r.Needed]
	switch {
	case r.Exit == nil && how == "":
		return "the server had ended"
	case r.Exit == nil:
		return "the server ended " + how
	case r.Exit.By == executor.EndedByUs && how != "":
		return fmt.Sprintf("the server ended %s: %s", how, DescribeExit(*r.Exit))
	}
	if Outside(r.Exit.By) || r.Exit.By == executor.EndedBySignal {
		return "the server was " + DescribeEnd(*r.Exit)
	}
	return "the server ended: " + DescribeEnd(*r.Exit)
}

// Remains returns what the ending found beside the server, or cannot tell, in a
// line each: leaked processes that were killed, those that could not be, those that
// were left running on request.
func (r *ShutdownReport) Remains() []string {
	var lines []string
	add := func(what string, list []executor.Descendant) {
		for _, d := range list {
			lines = append(lines, fmt.Sprintf("%s: pid %d %s", what, d.PID, d.Command))
		}
	}
	add("leaked process (killed)", r.Left)
	for _, d := range r.Survivors {
		lines = append(lines, fmt.Sprintf("leaked process (still alive): pid %d %s (kill -9 %d)", d.PID, d.Command, d.PID))
	}
	add("left running (--leave)", r.Spared)
	return append(lines, r.CannotTell...)
}
