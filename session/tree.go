package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

const treeEvery = time.Second

type treeLog struct {
	mu   sync.Mutex
	pids []int
	at   time.Time
}

// needsEntry reports whether to log the tree: its processes have changed, and the
// last entry is at least treeEvery old.
func (l *treeLog) needsEntry(tree []executor.Descendant) bool {
	pids := make([]int, len(tree))
	for i, d := range tree {
		pids[i] = d.PID
	}
	slices.Sort(pids)
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Equal(pids, l.pids) || !l.at.IsZero() && time.Since(l.at) < treeEvery {
		return false
	}
	l.pids, l.at = pids, time.Now()
	return true
}

// Tree lists the live processes of the server, its leader first, as
// Process.Tree does. If they have changed, they are logged, at most once a
// second; processes that came and went in between are not.
func (s *Session) Tree(ctx context.Context) ([]executor.Descendant, error) {
	r, err := s.current()
	if err != nil {
		return nil, err
	}
	tree, err := r.proc.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the processes of %s: %w", r.proc.ID(), err)
	}
	tree = s.conceal(tree)
	if !r.over() && r.tree.needsEntry(tree) {
		s.append(NewEntry(KindProc, 0, ProcBody{Tree: procInfos(tree)}))
	}
	return tree, nil
}

// KillDescendant sends KILL to one process of the tree, such as a leaked one,
// and logs an act entry. The error is executor.ErrNotInTree for any other pid,
// and errors.ErrUnsupported if the executor can't do it.
func (s *Session) KillDescendant(ctx context.Context, pid int) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	killer, ok := r.proc.(executor.TreeKiller)
	if !ok {
		return fmt.Errorf("kill process %d of %s alone: %w", pid, r.proc.ID(), errors.ErrUnsupported)
	}
	if pid == r.info().PID {
		a := r.beginAttempt(executor.StepKill, executor.EndedByPerson)
		defer func() { r.endAttempt(a, executor.StopReport{Running: true}, err) }()
	}
	d, err := killer.KillOne(ctx, pid)
	if err != nil {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	s.Act(ActKillOne, wording.Join(" ", strconv.Itoa(d.PID), s.conceal([]executor.Descendant{d})[0].Command), 0)
	return nil
}

// conceal replaces the session's secrets in command lines: they are public on this
// machine, but a log travels.
func (s *Session) conceal(procs []executor.Descendant) []executor.Descendant {
	s.mu.Lock()
	redactor := s.redactor
	s.mu.Unlock()
	procs = slices.Clone(procs)
	for i := range procs {
		procs[i].Command = redactor.Replace(procs[i].Command)
	}
	return procs
}
