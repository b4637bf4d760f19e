package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// treeEvery is how often a changed tree is logged at most.
const treeEvery = time.Second

// A treeLog knows which processes the log has of a process's tree.
type treeLog struct {
	mu   sync.Mutex
	pids []int
	at   time.Time
}

// news tells whether the log is to have the tree: other processes are in it than
// at the last time, which was not just now.
func (l *treeLog) news(tree []executor.Descendant) bool {
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

// Tree lists the live processes of the server, its leader first: what Process.Tree
// tells now. When others are in it than the log knows of, an entry says so, at
// most one a second; what came and went in between is in none.
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
	if !r.over() && r.tree.news(tree) {
		s.append(NewEntry(KindProc, 0, ProcBody{Tree: procInfos(tree)}))
	}
	return tree, nil
}

// KillDescendant sends KILL to one process of the tree, such as one that the
// server left behind. The error is executor.ErrNotInTree for any other pid, and
// errors.ErrUnsupported where the executor can't do it. An act entry tells of it.
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
		a := r.trying(executor.StepKill, executor.EndedByPerson)
		defer func() { r.tried(a, executor.StopReport{Running: true}, err) }()
	}
	d, err := killer.KillOne(ctx, pid)
	if err != nil {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	s.Act(ActKillOne, joinWords(strconv.Itoa(d.PID), s.hide.Replace(d.Command)), 0)
	return nil
}
