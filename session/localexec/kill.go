package localexec

import (
	"context"
	"errors"
	"slices"
	"time"

	"mcpdbg/session/executor"
)

// A killed process takes a moment to be gone: rounds of killing are this far
// apart at first, and twice as far each time up to the longest pause.
const (
	firstPause = time.Millisecond
	maxPause   = 50 * time.Millisecond
)

// A finder lists who is to be killed; known are those it found before.
type finder func(known map[procID]bool) ([]proc, error)

// killRounds strikes at all whom find finds, round after round, until it finds
// none, which strike is told too, or until ctx is done.
func killRounds(ctx context.Context, find finder, strike func([]proc)) error {
	known := make(map[procID]bool)
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		found, err := find(known)
		if err != nil {
			return err
		}
		strike(found)
		if len(found) == 0 {
			return nil
		}
		for _, m := range found {
			known[m.procID] = true
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// kill sends SIGKILL round after round until nobody of the process is left
// and the leader is reaped. It returns who was found, and who is left.
func (p *process) kill(ctx context.Context) (found, left []executor.Descendant, err error) {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	find := func(known map[procID]bool) ([]proc, error) {
		f := p.family()
		f.known = known
		return p.child.members(f, &p.ex.scans)
	}
	err = killRounds(ctx, find, func(round []proc) {
		left = nil
		for _, m := range round {
			left = append(left, m.descendant())
		}
		found = addNew(found, left)
		// Who cannot be killed is found again, and reported in the end.
		_ = p.signal(executor.StepKill, executor.ScopeTree, left)
	})
	if err != nil {
		return found, left, errors.Join(err, p.signal(executor.StepKill, executor.ScopeGroup, nil))
	}
	select {
	case <-p.exited:
		return found, left, nil
	case <-ctx.Done():
		return found, left, errors.New("the leader does not die")
	}
}

// addNew appends those of more whose pid is not in list.
func addNew(list, more []executor.Descendant) []executor.Descendant {
	for _, d := range more {
		if !slices.ContainsFunc(list, func(known executor.Descendant) bool { return known.PID == d.PID }) {
			list = append(list, d)
		}
	}
	return list
}

func signalEach(step executor.Step, found []executor.Descendant) error {
	var failures []error
	for _, d := range found {
		failures = append(failures, signalOne(d.PID, step))
	}
	return errors.Join(failures...)
}
