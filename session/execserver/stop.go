package execserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

const (
	// endTime is how long Kill waits for the guard to kill, and exitTime how long for the exit.
	endTime  = 8 * time.Second
	exitTime = 5 * time.Second
)

var errStuck = errors.New("the exec server answers nothing: a request before is stuck")

var scopes = map[executor.Scope]string{executor.ScopeLeader: "leader", executor.ScopeGroup: "group", executor.ScopeTree: "tree"}

// attachCharge keeps a guard in charge.
func (p *process) attachCharge() {
	p.charge.Attach(guard.ChargeOptions{
		Arm:   func(ctx context.Context) (*guard.Guard, error) { return p.arm(ctx) },
		Alive: p.base.Alive, Over: func() bool { return p.base.Swept() || p.s.failure() != nil }, Notify: p.notify,
		Dismiss: guard.Dismiss,
		Hosts:   func(context.Context, []executor.Descendant) {}, // no startup file runs
	})
	p.base.Go(func() { p.charge.Settle(p.living) })
	if p.charge.Run().Stamp == "" {
		p.base.Go(func() { executor.Sample(p.living, 0, func() { p.charge.Sample(p.living) }) })
	}
	p.base.Go(func() { p.charge.Watch(p.living) })
	p.base.Go(p.beat)
}

// beat renews the lease of the guard.
func (p *process) beat() {
	tick := time.NewTicker(p.ex.lease() / 6)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-p.living.Done():
			return
		}
		ctx, cancel := limited(p.living)
		_, _ = p.charge.Ask(ctx, "B", "") // Watch replaces a guard that has ended
		cancel()
	}
}

// lease returns how long a guard waits for a sign of life.
func (e *Executor) lease() time.Duration {
	if e.opts.Resumable {
		return e.s.keep + wire.KeepSlack
	}
	return guardLease
}

// unreachable reports whether nothing can be asked of the process any more.
func (p *process) unreachable() bool { return p.base.Swept() || p.s.failure() != nil }

// ask asks the guard. It returns no processes once nothing can be asked.
func (p *process) ask(ctx context.Context, command, args string) ([]guard.Proc, error) {
	if p.unreachable() {
		return nil, nil
	}
	procs, err := p.charge.Ask(ctx, command, args)
	if err != nil && p.unreachable() {
		return nil, nil // it ended while it was asked
	}
	return procs, err
}

// request asks a server of ours.
func (p *process) request(ctx context.Context, method string, params, result any, again bool) error {
	if p.unreachable() {
		return nil
	}
	err := p.s.call(ctx, method, params, result, again)
	if err != nil && p.unreachable() {
		return nil
	}
	return err
}

// isBare reports whether neither a guard nor the server knows the processes.
func (p *process) isBare() bool { return p.charge == nil && !p.s.ours() }

func (p *process) name() wire.Process { return wire.Process{ProcessID: p.remote.id} }

// Tree implements executor.Backend.
func (p *process) Tree(ctx context.Context) (found, spared []executor.Descendant, err error) {
	if p.charge != nil {
		procs, err := p.ask(ctx, "T", "")
		return guard.Of(procs, guard.Member), guard.Of(procs, guard.Spared), err
	}
	if p.isBare() {
		return nil, nil, nil
	}
	var r wire.TreeResult
	err = p.request(ctx, wire.MethodTree, p.name(), &r, true)
	return descendants(r.Processes), nil, err
}

func descendants(list []wire.Descendant) []executor.Descendant {
	var all []executor.Descendant
	for _, d := range list {
		all = append(all, executor.Descendant{PID: d.PID, PPID: d.PPID, Command: d.Command, RSS: d.RSS, Started: d.Started, CPU: time.Duration(d.CPUNS)})
	}
	return all
}

// KillOne implements executor.TreeKiller.
func (p *process) KillOne(ctx context.Context, pid int) (executor.Descendant, error) {
	if p.unreachable() || p.isBare() {
		return executor.Descendant{}, executor.ErrNotInTree
	}
	if p.charge != nil {
		if pid == p.pid && p.base.Alive() {
			p.killed.Store(true)
		}
		return p.charge.KillOne(ctx, pid)
	}
	var d wire.Descendant
	err := p.s.call(ctx, wire.MethodKillOne, wire.KillOneParams{ProcessID: p.remote.id, PID: pid}, &d, false)
	if refused, ok := errors.AsType[*wire.Error](err); ok && refused.Code == wire.ErrNotInTree {
		return executor.Descendant{}, executor.ErrNotInTree
	}
	if err != nil {
		return executor.Descendant{}, fmt.Errorf("whether process %d was killed: cannot tell: %w", pid, err)
	}
	return descendants([]wire.Descendant{d})[0], nil
}

// Stop implements executor.Backend.
func (p *process) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: p.base.Alive(), CannotTell: p.CannotTell()}
	if step == executor.StepCloseStdin {
		if p.charge != nil {
			p.charge.Sample(ctx)
		}
		p.base.Stdin.Close()
		return report, ctx.Err()
	}
	if step == executor.StepKill && p.base.Alive() {
		p.killed.Store(true)
	}
	if p.isBare() {
		if step == executor.StepKill {
			return report, p.terminate(ctx, false, &report)
		}
		return report, ctx.Err() // Codex has no signal for it
	}
	if p.charge == nil {
		var r wire.StopReport
		if err := p.request(ctx, wire.MethodStop, wire.StopParams{ProcessID: p.remote.id, Step: step.String(), Scope: scopes[scope]}, &r, false); err != nil {
			return report, fmt.Errorf("send %s: %w", step, err)
		}
		report.Signalled, report.Survivors, report.Spared = descendants(r.Signalled), descendants(r.Survivors), descendants(r.Spared)
		return report, nil
	}
	procs, err := p.ask(ctx, "S", step.String()+" "+scopes[scope])
	report.Signalled, report.Spared = guard.Of(procs, guard.Member), guard.Of(procs, guard.Spared)
	if err != nil {
		return report, fmt.Errorf("send %s: %w", step, err)
	}
	return report, nil
}

// CannotTell implements executor.Backend.
func (p *process) CannotTell() []string {
	var reasons []string
	if p.charge == nil {
		reasons = append(reasons, p.blind...)
	} else {
		reasons = p.charge.CannotTell()
		if !p.charge.Guarded() {
			reasons = append(reasons, "the guard there has ended: the server's child processes are unknown")
		}
	}
	if p.s.failure() != nil && !p.base.Swept() {
		reasons = append(reasons, "the connection to the exec server is lost: only the guard there can end the remaining processes")
	}
	return reasons
}

// noneLeft reports whether no other process is left after the exit, or none can be reached.
func (p *process) noneLeft() bool {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if p.charge == nil {
		found, _, err := p.Tree(ctx)
		return err == nil && len(found) == 0
	}
	procs, err := p.ask(ctx, "X", "")
	return err == nil && len(procs) == 0 && !p.charge.Guard().Doubts()
}

// Kill implements executor.Backend.
func (p *process) Kill(ctx context.Context, _ bool, report *executor.StopReport) error {
	if p.unreachable() {
		return nil
	}
	if p.base.Alive() {
		p.killed.Store(true)
	}
	limit, cancel := context.WithTimeoutCause(ctx, p.ex.endTime, errStuck)
	defer cancel()
	var err error
	if p.charge != nil {
		var procs []guard.Proc
		procs, err = p.ask(limit, "K", "")
		report.Signalled, report.Survivors, report.Spared = guard.Of(procs, guard.Member), guard.Of(procs, guard.Left), guard.Of(procs, guard.Spared)
	}
	if p.charge == nil || err != nil {
		err = p.terminate(ctx, errors.Is(err, errStuck), report)
	}
	if err != nil {
		return err
	}
	return p.awaitExit(ctx)
}

// terminate asks the server to kill the group. If it is stuck, another connection is not.
func (p *process) terminate(ctx context.Context, stuck bool, report *executor.StopReport) error {
	if stuck && p.ex.opts.Resumable {
		p.s.cutConnection(errStuck)
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	var r wire.TerminateResult
	if err := p.request(ctx, wire.MethodTerminate, p.name(), &r, true); err != nil {
		return err
	}
	if r.Report != nil {
		report.Signalled, report.Survivors, report.Spared = descendants(r.Report.Signalled), descendants(r.Report.Survivors), descendants(r.Report.Spared)
	}
	return nil
}

// awaitExit waits for the exit. If none comes, the group is killed by the server, and then the
// process is given up.
func (p *process) awaitExit(ctx context.Context) error {
	for _, last := range []bool{false, true} {
		silent := time.NewTimer(exitTime)
		select {
		case <-p.base.Exited():
			silent.Stop()
			return nil
		case <-ctx.Done():
			silent.Stop()
			return ctx.Err()
		case <-silent.C:
		}
		if !last {
			var none executor.StopReport
			if err := p.terminate(ctx, false, &none); err != nil {
				return err
			}
		}
	}
	p.remote.fail(errors.New("the exec server reported no exit"))
	<-p.base.Exited()
	return nil
}
