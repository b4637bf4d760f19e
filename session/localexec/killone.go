package localexec

import (
	"context"
	"fmt"

	"mcpdbg/session/executor"
)

// KillOne implements executor.TreeKiller.
func (p *process) KillOne(_ context.Context, pid int) (executor.Descendant, error) {
	if !p.running() {
		return executor.Descendant{}, executor.ErrStarting
	}
	tree, err := p.members(executor.ScopeTree)
	if err != nil {
		return executor.Descendant{}, err
	}
	for _, d := range tree {
		if d.PID != pid {
			continue
		}
		if pid == p.child.process.Pid { // whose number is its own until it is reaped
			return d, p.signal(executor.StepKill, executor.ScopeLeader, nil)
		}
		if err := signalOne(pid, executor.StepKill); err != nil {
			return d, fmt.Errorf("send KILL: %w", err)
		}
		return d, nil
	}
	return executor.Descendant{}, executor.ErrNotInTree
}
