package verdict

import (
	"fmt"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// ending is what we did to end the process. The zero value is nothing.
type ending struct {
	clues   session.EndClues
	ignored []string // steps that were not enough for the process itself
	killed  int      // processes that took a KILL when it had ended
	row     event    // of the entry that says so
	killT   int64    // when that began
}

// maxIgnored is how many steps that were not enough are kept.
const maxIgnored = 6

// step takes a step of the shutdown sequence: a phase that is logged when it is
// over. One that could not be taken says nothing of the server.
func (e *ending) step(number int, b session.PhaseBody, t int64) {
	e.clues.Phase(b, t)
	switch b.Phase {
	case executor.StepCloseStdin.String(), executor.StepInterrupt.String(), executor.StepTerm.String():
		if b.Error == "" && strings.Contains(b.Detail, "still running") { // the pids may come first
			e.ignored = append(e.ignored[:min(len(e.ignored), maxIgnored)], b.Phase)
		}
	case executor.StepKill.String():
		_, _ = fmt.Sscanf(b.Detail, "%d killed", &e.killed) // without a number none was
		e.row, e.killT = event{true, number, t}, t-b.Took
	}
}
