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

// killRounds strikes at all whom find finds, round after round, until it finds
// none, which strike is told too, or until ctx is done. It takes calm looks in
// a row without anybody; one is enough if atOnce is set and nobody was ever
// found.
func killRounds(ctx context.Context, calm int, atOnce bool, find func() ([]proc, error), strike func([]proc)) error {
	empty, never := 0, true
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		found, err := find()
		if err != nil {
			return err
		}
		strike(found)
		empty++
		if len(found) > 0 {
			empty, never = 0, false
		}
		if empty >= calm || empty > 0 && atOnce && never {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// kill sends SIGKILL round after round until no process of it is left
// and the leader is reaped. It returns who was found, and who is left.
func (p *process) kill(caller context.Context) (found, left []executor.Descendant, err error) {
	ctx, cancel := context.WithTimeout(caller, endTime)
	defer cancel()
	for again := true; again; again = err == nil && ctx.Err() == nil && !p.emptied(ctx) {
		err = killRounds(ctx, calmAfterKill, true, p.members, func(round []proc) {
			left = descendants(round)
			found = addNew(found, left)
			// A process that cannot be killed is found again, and reported in the end.
			_ = p.signal(executor.StepKill, executor.ScopeTree, round)
		})
	}
	if err != nil {
		return found, left, errors.Join(err, p.signal(executor.StepKill, executor.ScopeGroup, nil))
	}
	p.noteHidden(len(left) == 0 && ctx.Err() != nil && caller.Err() == nil)
	select {
	case <-p.exited:
	case <-ctx.Done():
	}
	if !p.alive() {
		return found, left, nil
	}
	if caller.Err() == nil {
		p.child.forsake()
	}
	return found, left, errors.New("the leader does not die")
}

// emptied reports whether no more rounds of killing are needed. Where a watchdog knows
// whether a descendant is left, it waits for that for a moment.
func (p *process) emptied(ctx context.Context) bool {
	return len(p.spared()) > 0 || p.child.awaitEmpty(ctx, maxPause)
}

// noteHidden notes whether the watchdog still had a descendant when no look had
// shown one for all the time of the kill.
func (p *process) noteHidden(hidden bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hidden = hidden
}

// killOrphans kills what a lost watchdog has left.
func (p *process) killOrphans() {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	// Terminate finds the remaining processes again, and reports them.
	_ = killRounds(ctx, calmUnwatched, false, p.members, func(round []proc) {
		_ = p.signal(executor.StepKill, executor.ScopeTree, round)
	})
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

func signalEach(step executor.Step, found []proc) error {
	var failures []error
	for _, m := range found {
		failures = append(failures, signalProc(m.procID, step))
	}
	return errors.Join(failures...)
}
