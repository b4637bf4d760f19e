package localexec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcpdbg/session/executor"
)

// A killed process takes a moment to exit. The pause between rounds of killing
// doubles from firstPause to maxPause.
const (
	firstPause = time.Millisecond
	maxPause   = 50 * time.Millisecond
)

// A single look at the process list can miss a process: during an exec it has
// no environment for a moment, and a process forked during the look may not be
// listed. If any process was found, or may just have been started, several
// looks in a row must find none.
const (
	looksAfterKill = 3 // looks, if this program watched the leader
	looksUnwatched = 8 // looks, if the program was killed at any point
)

// killRounds calls killAll with the processes that find returns, round after round, until
// calm rounds in a row find none, or until ctx is done. killAll is also called without
// processes. One round is enough if atOnce is set and no process was ever found.
func killRounds(ctx context.Context, calm int, atOnce bool, find func() ([]proc, error), killAll func([]proc)) error {
	empty, never := 0, true
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		found, err := find()
		if err != nil {
			return err
		}
		killAll(found)
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

// Kill implements executor.Backend. It sends SIGKILL round after round until no
// process is left and the leader is reaped.
func (p *process) Kill(caller context.Context, alone bool, report *executor.StopReport) error {
	ctx, cancel := context.WithTimeout(caller, endTime)
	defer cancel()
	var err error
	for again := !alone || !p.emptied(caller); again; again = err == nil && ctx.Err() == nil && !p.emptied(ctx) {
		err = killRounds(ctx, looksAfterKill, true, p.members, func(round []proc) {
			report.Survivors = descendants(round)
			report.Signalled = addNew(report.Signalled, report.Survivors)
			// A process that cannot be killed is found again and reported in
			// the end.
			_ = p.signal(executor.StepKill, executor.ScopeTree, round)
		})
	}
	if err != nil {
		return errors.Join(err, p.signal(executor.StepKill, executor.ScopeGroup, nil))
	}
	p.setHidden(len(report.Survivors) == 0 && ctx.Err() != nil && caller.Err() == nil)
	select {
	case <-p.base.Exited():
	case <-ctx.Done():
	}
	if !p.base.Alive() {
		report.Spared = p.spared()
		return nil
	}
	if caller.Err() == nil {
		p.child.killWatchdog()
	}
	return errors.New("leader still alive after SIGKILL")
}

// emptied reports whether no more rounds are needed. A watchdog gets up to maxPause to
// report that no descendant is left.
func (p *process) emptied(ctx context.Context) bool {
	return len(p.spared()) > 0 || p.child.awaitEmpty(ctx, maxPause)
}

// setHidden records whether the watchdog still had a descendant that no look showed
// during the whole kill.
func (p *process) setHidden(hidden bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hidden = hidden
}

func (p *process) killOrphans() {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	// Terminate finds the remaining processes again and reports them.
	_ = killRounds(ctx, looksUnwatched, false, p.members, func(round []proc) {
		_ = p.signal(executor.StepKill, executor.ScopeTree, round)
	})
}

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

// KillOne implements executor.TreeKiller.
func (p *process) KillOne(_ context.Context, pid int) (executor.Descendant, error) {
	found, spared, err := p.look()
	if err != nil {
		return executor.Descendant{}, err
	}
	for _, m := range append(found, spared...) {
		if m.pid != pid {
			continue
		}
		d := m.descendant()
		if pid == p.child.pid { // its pid cannot be reused before it is reaped
			return d, p.signal(executor.StepKill, executor.ScopeLeader, nil)
		}
		if err := signalProc(m.procID, executor.StepKill); err != nil {
			return d, fmt.Errorf("send KILL: %w", err)
		}
		return d, nil
	}
	return executor.Descendant{}, executor.ErrNotInTree
}
