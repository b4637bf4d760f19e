package localexec

import (
	"context"
	"fmt"

	"mcpdbg/session/executor"
)

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
