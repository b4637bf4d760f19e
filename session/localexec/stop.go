package localexec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdbg/session/executor"
)

const (
	// endTime is how long Terminate goes on killing before it reports survivors.
	endTime = 3 * time.Second
	// drainTime is how long it then waits for the ends of the pipes before it
	// cuts them.
	drainTime = 250 * time.Millisecond
)

// Stop implements executor.Process.
func (p *process) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	if !p.running() {
		return executor.StopReport{}, executor.ErrStarting
	}
	report := executor.StopReport{Running: p.alive()}
	if step == executor.StepCloseStdin {
		_, _, _ = p.look() // container clients, and processes that hide after this step, are known then
		p.CloseStdin()
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

// signal takes step against the processes that were found in scope. The group
// gets one signal as a whole, so that no process escapes by forking, unless a
// member may have to be spared.
func (p *process) signal(step executor.Step, scope executor.Scope, found []proc) error {
	var failures []error
	spares := len(p.cmd.Leave) > 0 && scope != executor.ScopeLeader
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

// signalGroup signals the leader, or its group.
func (p *process) signalGroup(step executor.Step, scope executor.Scope) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.reaped:
		return p.child.signal(step, scope != executor.ScopeLeader)
	case scope != executor.ScopeLeader && !p.swept && !p.groupGone && !p.child.groupGone():
		return p.child.signal(step, true)
	}
	return nil
}

func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Terminate implements executor.Process.
func (p *process) Terminate(ctx context.Context) (executor.StopReport, error) {
	if p.cancelStart() {
		p.ex.table.Remove(p)
		select {
		case <-p.settled:
			return executor.StopReport{Running: true}, nil
		case <-ctx.Done():
			return executor.StopReport{Running: true}, ctx.Err()
		}
	}
	return p.end(ctx)
}

// cancelStart tells a start under way that it is not wanted any more.
func (p *process) cancelStart() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child != nil {
		return false
	}
	p.cancelled = true
	return true
}

// end kills all that belongs to the process and sees the journal through to
// Closed. One call works at a time.
func (p *process) end(ctx context.Context) (report executor.StopReport, err error) {
	select {
	case p.ending <- struct{}{}:
		defer func() { <-p.ending }()
	case <-ctx.Done():
		return report, ctx.Err()
	}
	if p.isSwept() {
		return report, nil
	}
	report.Running = p.alive()
	alone := !report.Running && p.settle(ctx) && p.emptied(ctx)
	p.journal.BeginEnding()
	if !alone {
		report.Signalled, report.Survivors, err = p.kill(ctx)
	}
	if len(report.Survivors) > 0 {
		p.journal.Emit(executor.Event{Kind: executor.Survivors, Procs: report.Survivors})
	}
	if err != nil {
		p.journal.EndEnding(false)
		return report, fmt.Errorf("terminate %s: %w", p.id, err)
	}
	defer p.finish.Do(func() { close(p.finished) })
	report.Spared, report.CannotTell = p.spared(), p.cannotTell()
	cut := !awaitEnd(p.pumps, drainTime)
	p.journal.EndEnding(cut)
	p.closePipes()
	select {
	case <-p.journal.Done():
	case <-ctx.Done():
		return report, ctx.Err()
	}
	if len(report.Survivors) == 0 {
		p.sweep()
	}
	return report, nil
}

// settle gives what the leader had started the time to end as well. It tells
// whether there was nobody from the beginning.
func (p *process) settle(ctx context.Context) (alone bool) {
	p.mu.Lock()
	exitedAt := p.exitedAt
	p.mu.Unlock()
	alone = true
	executor.Settle(ctx, exitedAt, func() bool {
		left, err := p.members()
		nobody := err == nil && len(left) == 0
		alone = alone && nobody
		return nobody || err != nil
	})
	return alone
}

// sweep notes that nothing of the process is left.
func (p *process) sweep() {
	p.mu.Lock()
	p.swept = true
	spared := len(p.sparedNow) > 0
	p.sparedNow = nil
	p.mu.Unlock()
	p.child.release(spared)
	p.ex.guard.del(p.mark)
}

// letGo ends the watchdog of a process whose executor is closed: what could not
// be killed is beyond it too.
func (p *process) letGo() {
	p.mu.Lock()
	child := p.child
	letGo := child != nil && !p.swept
	p.swept = p.swept || letGo
	p.mu.Unlock()
	if letGo {
		child.release(false)
	}
}

func (p *process) isSwept() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.swept
}

// closePipes frees pumps from pipes that somebody out of reach holds open.
func (p *process) closePipes() {
	for _, pump := range p.pumps {
		// Usually closed already, by the pump itself.
		_ = pump.file.Close()
	}
}
