package sshexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

const (
	// endTime is how long Terminate waits for the guard to kill.
	endTime = 8 * time.Second
	// exitTime is how long it then waits for the exit status of the leader.
	exitTime = 2 * time.Second
)

// Stop implements executor.Backend. Without a guard a step signals the group of
// the leader, whatever the scope, if the server delivers signals at all.
func (p *process) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	report := executor.StopReport{Running: p.base.Alive(), CannotTell: p.CannotTell()}
	if step == executor.StepCloseStdin {
		if c := p.running.charge; c != nil {
			c.Sample(ctx)
		}
		p.base.Stdin.Close()
		return report, ctx.Err()
	}
	if p.running.charge == nil {
		return report, p.signal(ctx, step)
	}
	target := map[executor.Scope]string{
		executor.ScopeLeader: "leader", executor.ScopeGroup: "group", executor.ScopeTree: "tree",
	}[scope]
	procs, err := p.ask(ctx, "S", step.String()+" "+target)
	report.Signalled, report.Spared = guard.Of(procs, guard.Member), guard.Of(procs, guard.Spared)
	if err != nil {
		return report, fmt.Errorf("send %s: %w", step, err)
	}
	return report, nil
}

// signal asks the SSH server.
func (p *process) signal(ctx context.Context, step executor.Step) error {
	if !p.base.Alive() || p.conn.Cause() != nil {
		return nil
	}
	err := p.running.run.ask(ctx, "signal", signalRequest{step.String()})
	switch {
	case err == nil || !p.base.Alive():
		return nil
	case errors.Is(err, io.EOF):
		return nil // the channel is closed: the process has ended, and its exit is on the way
	case errors.Is(err, errRefused):
		err = errNoSignals
	}
	return fmt.Errorf("send %s: %w", step, err)
}

// OpenSSH before 7.9 delivers no signals, and later versions none to forced commands and
// to root.
var errNoSignals = errors.New("the server does not deliver signals here (a forced command, a login as root, or an old server)")

// CannotTell implements executor.Backend.
func (p *process) CannotTell() []string {
	c := p.running.charge
	if c == nil {
		return []string{"plain launch: without a guard the server's child processes are unknown"}
	}
	reasons := c.CannotTell()
	if p.conn.Cause() != nil && !p.base.Swept() {
		reasons = append(reasons, "the connection is lost: only the guard on the host can end the remaining processes")
	}
	select {
	case <-c.Unguarded():
		reasons = append(reasons, "the guard on the host has ended: the server's child processes are unknown")
	default:
	}
	return reasons
}

// Kill implements executor.Backend. When it returns without an error, the
// leader's exit is known or the connection is given up.
func (p *process) Kill(ctx context.Context, _ bool, report *executor.StopReport) error {
	if p.pipe != nil {
		p.pipe.ending.Store(true)
	}
	err := p.kill(ctx, report)
	if p.conn.Cause() != nil {
		return nil // only the guard can still end the process
	}
	return err
}

// kill sends SIGKILL until no process of the run remains.
func (p *process) kill(ctx context.Context, report *executor.StopReport) error {
	limit, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	err := guard.ErrGone
	if c := p.running.charge; c != nil {
		var procs []guard.Proc
		procs, err = c.Ask(limit, "K", "")
		report.Signalled, report.Survivors, report.Spared = guard.Of(procs, guard.Member), guard.Of(procs, guard.Left), guard.Of(procs, guard.Spared)
	}
	cause := errors.New("the server sent no exit status")
	if errors.Is(err, guard.ErrGone) && p.conn.Cause() == nil {
		if err = p.signal(limit, executor.StepKill); errors.Is(err, errNoSignals) {
			// Only ending its input is left to try.
			p.base.Stdin.Close()
			cause, err = fmt.Errorf("%w: the process may still run", err), nil
		}
	}
	if err != nil {
		return err
	}
	silent := time.NewTimer(exitTime)
	defer silent.Stop()
	select {
	case <-p.base.Exited():
	case <-ctx.Done():
		return ctx.Err()
	case <-silent.C:
		if len(report.Survivors) > 0 {
			return errors.New("the leader cannot be killed")
		}
		p.conn.Abort(&executor.LostError{
			Code: executor.LostClosed, Hop: p.conn.Hop(),
			Err: cause,
		})
	}
	return nil
}
