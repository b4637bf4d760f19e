package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

const (
	// stepSlack is what the times of a step and of the exit that it caused may
	// differ by, in microseconds: a step is logged when the wait for it is over.
	stepSlack = 50_000
	// actDelay is how long before its entry a process of the tree may have been
	// killed, in microseconds.
	actDelay = 100_000
)

// endingActs are what a person does to end a process; see ActBody.
var endingActs = []string{"kill", "restart", "close-stdin", "stop", "terminate", ActEscalate}

// EndClues are the attempts in a log to end one process. They decide what ended it
// where its exited entry lacks the member, as in older recordings. The zero value has
// none.
type EndClues struct {
	sequence, person, step, signal begun // when the first of each began
}

// A begun is a time, or none as the zero value.
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

// State takes a state of the session, logged at t.
func (c *EndClues) State(b StateBody, t int64) {
	if b.Of == 0 && State(b.State) == Stopping {
		c.sequence.at(t)
	}
}

// Act takes what was done to the process pid, logged at t. To kill one process of
// the tree ends the server if it was that one.
func (c *EndClues) Act(b ActBody, pid int, t int64) {
	word, _, _ := strings.Cut(b.Act, " ")
	switch victim, _, _ := strings.Cut(b.Detail, " "); {
	case slices.Contains(endingActs, word):
		c.person.at(t)
	case b.Act == ActKillOne && pid != 0 && victim == strconv.Itoa(pid):
		c.person.at(t - actDelay)
	}
}

// Phase takes a step, logged at t. One that could not be taken is none.
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

// By names the party that ended the process, of which b was logged at t.
func (c *EndClues) By(b ExitedBody, t int64) executor.EndedBy {
	exit := b.Exit()
	if exit.By != executor.EndedUnknown {
		return exit.By
	}
	asked := c.Begun(t) || c.step.before(t+stepSlack)
	if exit.Kind == executor.ExitSignal { // which the end of stdin does not explain
		asked = c.person.before(t) || c.signal.before(t+stepSlack)
	}
	switch {
	case exit.Kind == executor.ExitUnknown:
		return executor.EndedUnknown
	case asked && c.person.before(t):
		return executor.EndedByPerson
	case asked:
		return executor.EndedByUs
	}
	return endedBy(exit, time.Time{}, nil)
}
