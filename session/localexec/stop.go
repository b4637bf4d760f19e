package localexec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdbg/session/executor"
)

const endTime = 3 * time.Second

// Stop implements executor.Backend.
func (p *process) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: p.base.Alive()}
	if step == executor.StepCloseStdin {
		_, _, _ = p.look() // remember processes that hide after this step
		p.base.Stdin.Close()
		return report, ctx.Err()
	}
	found, err := p.inScope(scope)
	if err != nil {
		return report, err
	}
	report.Signalled = descendants(found)
	if scope != executor.ScopeLeader {
		report.Spared = p.spared()
	}
	return report, p.signal(step, scope, found)
}

// signal signals the group as a whole, so that no process escapes by forking, unless a
// member may have to be spared.
func (p *process) signal(step executor.Step, scope executor.Scope, found []proc) error {
	var failures []error
	spares := len(p.base.Cmd.Leave) > 0 && scope != executor.ScopeLeader
	if !spares {
		failures = append(failures, p.signalGroup(step, scope))
	}
	if spares || scope == executor.ScopeTree {
		failures = append(failures, signalEach(step, found))
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("send %s: %w", step, err)
	}
	return nil
}

func (p *process) signalGroup(step executor.Step, scope executor.Scope) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.reaped:
		return p.child.signal(step, scope != executor.ScopeLeader)
	case scope != executor.ScopeLeader && !p.base.Swept() && !p.groupGone && !p.child.groupGone():
		return p.child.signal(step, true)
	}
	return nil
}

// Release implements executor.Backend. If the executor is closed or the
// retention is over, the watchdog kills what could not be killed here.
func (p *process) Release(none bool) {
	p.stopSampling()
	p.mu.Lock()
	spared := none && len(p.sparedNow) > 0
	p.sparedNow = nil
	p.mu.Unlock()
	p.child.release(spared)
	if none {
		p.ex.sharedWatchdog.del(p.base.Mark)
	}
}
