package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// ending is what we did to end the process. The zero value is nothing.
type ending struct {
	begun   bool
	t       int64    // when that began
	ignored []string // steps that were not enough for the process itself
	killed  int      // processes that took a KILL when it had ended
	row     event    // of the entry that says so
	killT   int64    // when that began
}

// endingActs are what a person does to end a process; see session.ActBody.
var endingActs = []string{"kill", "restart", "close-stdin", "stop", "terminate", session.ActEscalate}

func (e *ending) begin(t int64) {
	if !e.begun || t < e.t {
		e.begun, e.t = true, t
	}
}

// before tells whether we began to end the process before t.
func (e *ending) before(t int64) bool { return e.begun && e.t <= t }

// actDelay is how long before its entry something may have been done.
const actDelay = 100_000

// act takes what a person did. To kill one process of the tree ends the server
// if it was that one, pid.
func (e *ending) act(b session.ActBody, pid int, t int64) {
	word, _, _ := strings.Cut(b.Act, " ")
	switch victim, _, _ := strings.Cut(b.Detail, " "); {
	case slices.Contains(endingActs, word):
		e.begin(t)
	case b.Act == session.ActKillOne && pid != 0 && victim == strconv.Itoa(pid):
		e.begin(t - actDelay)
	}
}

// step takes a step of the shutdown ladder: a phase that is logged when it is
// over.
func (e *ending) step(number int, b session.PhaseBody, t int64) {
	switch b.Phase {
	case executor.StepCloseStdin.String(), executor.StepInterrupt.String(), executor.StepTerm.String():
		if strings.Contains(b.Detail, "still running") { // behind whom it was sent to
			e.ignored = append(e.ignored[:min(len(e.ignored), len(endingActs))], b.Phase)
		}
	case executor.StepKill.String():
		_, _ = fmt.Sscanf(b.Detail, "%d killed", &e.killed) // without a number none was
		e.row, e.killT = event{true, number, t}, t-b.Took
	default:
		return
	}
	e.begin(t - b.Took)
}
