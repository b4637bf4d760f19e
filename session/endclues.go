package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

const (
	// stepSlack is the maximum difference between the time of a step and that of the exit
	// that it caused, in microseconds: a step is logged when the wait for it ends.
	stepSlack = 50_000
	// actDelay is how long before its entry a process of the tree may have been
	// killed, in microseconds.
	actDelay = 100_000
)

// endingActs are the acts of a person that end a process; see ActBody.
var endingActs = []string{"kill", "restart", "close-stdin", "stop", "terminate", ActEscalate}

// EndClues holds the logged attempts to end one process. They determine what ended it if
// its exited entry does not say, as in older recordings. The zero value holds none.
type EndClues struct {
	sequence, person, step, signal begun // when the first of each began
}

type begun struct {
	seen bool
	t    int64
}

func (b *begun) at(t int64) {
	if !b.seen || t < b.t {
		*b = begun{true, t}
	}
}

func (b begun) before(t int64) bool { return b.seen && b.t <= t }

// State records a state of the session, logged at t.
func (c *EndClues) State(b StateBody, t int64) {
	if b.Of == 0 && State(b.State) == Stopping {
		c.sequence.at(t)
	}
}

// Act records an act on the process pid, logged at t. Killing one process of the tree
// ends the server if it was the leader.
func (c *EndClues) Act(b ActBody, pid int, t int64) {
	word, _, _ := strings.Cut(b.Act, " ")
	switch victim, _, _ := strings.Cut(b.Detail, " "); {
	case slices.Contains(endingActs, word):
		c.person.at(t)
	case b.Act == ActKillOne && pid != 0 && victim == strconv.Itoa(pid):
		c.person.at(t - actDelay)
	}
}

// Phase records a step, logged at t. A failed step is ignored.
func (c *EndClues) Phase(b PhaseBody, t int64) {
	if b.Error != "" {
		return
	}
	began := t - b.Took
	switch b.Phase {
	case executor.StepCloseStdin.String():
		c.step.at(began)
	case executor.StepInterrupt.String(), executor.StepTerm.String(), executor.StepKill.String():
		c.step.at(began)
		c.signal.at(began)
	}
}

// Begun reports whether an attempt to end the process began before t.
func (c *EndClues) Begun(t int64) bool {
	return c.person.before(t) || c.sequence.before(t) || c.step.before(t)
}

// By returns the party that ended the process whose exit b was logged at t.
func (c *EndClues) By(b ExitedBody, t int64) executor.EndedBy {
	exit := b.Exit()
	if exit.By != executor.EndedUnknown {
		return exit.By
	}
	asked := c.Begun(t) || c.step.before(t+stepSlack)
	if exit.Kind == executor.ExitSignal { // closing stdin does not explain a signal
		asked = c.person.before(t) || c.signal.before(t+stepSlack)
	}
	switch {
	case exit.Kind == executor.ExitUnknown:
		return executor.EndedUnknown
	case asked && c.person.before(t):
		return executor.EndedByPerson
	case asked:
		return executor.EndedByShutdown
	}
	return EndedBy(exit, time.Time{}, nil)
}
