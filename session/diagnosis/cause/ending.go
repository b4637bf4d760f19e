package cause

import (
	"fmt"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// ending records the steps taken to end the process. The zero value has none.
type ending struct {
	clues   session.EndClues
	ignored []string // steps after which the process itself was still running
	killed  int      // processes killed after the exit of the server
	row     event    // the entry of that kill
	killT   int64    // when the kill began
}

// maxIgnored is the maximum length of ending.ignored.
const maxIgnored = 6

// step adds a step of the shutdown sequence: a phase that is logged when it is
// over. A failed step says nothing about the server.
func (e *ending) step(number int, b session.PhaseBody, t int64) {
	e.clues.Phase(b, t)
	switch b.Phase {
	case executor.StepCloseStdin.String(), executor.StepInterrupt.String(), executor.StepTerm.String():
		if b.Error == "" && strings.Contains(b.Detail, "still running") { // pids may precede it
			e.ignored = append(e.ignored[:min(len(e.ignored), maxIgnored)], b.Phase)
		}
	case executor.StepKill.String():
		_, _ = fmt.Sscanf(b.Detail, "%d killed", &e.killed) // no number: none was killed
		e.row, e.killT = event{true, number, t}, t-b.Took
	}
}
