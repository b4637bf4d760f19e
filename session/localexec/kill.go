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

// One look at the processes can miss somebody: a process that is about to be
// another program has no environment for a moment, and one that was forked
// during the look may not be in it. Where somebody was found, or may have been
// just started, nobody is taken for gone before a few looks in a row agree.
const (
	calmAfterKill = 3 // looks, where the leader was ours to watch
	calmUnwatched = 8 // where the program was killed at whatever it was doing
)

// A finder lists who is to be killed; known are those it found before.
type finder func(known map[procID]bool) ([]proc, error)

// killRounds strikes at all whom find finds, round after round, until it finds
// none, which strike is told too, or until ctx is done. It takes calm looks in
// a row without anybody; one is enough if atOnce is set and nobody was ever
// found.
func killRounds(ctx context.Context, calm int, atOnce bool, find finder, strike func([]proc)) error {
	known := make(map[procID]bool)
	empty := 0
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		found, err := find(known)
		if err != nil {
			return err
		}
		strike(found)
		empty++
		if len(found) > 0 {
			empty = 0
		}
		if empty >= calm || empty > 0 && atOnce && len(known) == 0 {
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
	err = killRounds(ctx, calmAfterKill, true, find, func(round []proc) {
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
