package sshexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcpdbg/session/executor"
)

const (
	// endTime is how long Terminate waits for the guard to kill.
	endTime = 8 * time.Second
	// exitTime is how long it then waits for the server to say how the leader
	// ended.
	exitTime = 2 * time.Second
	// drainTime is how long it then waits for the ends of the streams before it
	// cuts them, in addition to a round trip.
	drainTime = 250 * time.Millisecond
)

// Stop implements executor.Process. Without a guard a step goes to the group of
// the leader, whatever the scope, if the server delivers signals at all.
func (p *process) Stop(ctx context.Context, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	run := p.run()
	if run == nil {
		return executor.StopReport{}, executor.ErrStarting
	}
	report := executor.StopReport{Running: p.alive(), CannotTell: p.cannotTell()}
	if step == executor.StepCloseStdin {
		p.sample(ctx)
		p.CloseStdin()
		return report, ctx.Err()
	}
	if run.guard == nil {
		return report, p.signal(ctx, run, step)
	}
	whom := map[executor.Scope]string{
		executor.ScopeLeader: "leader", executor.ScopeGroup: "group", executor.ScopeTree: "tree",
	}[scope]
	procs, err := p.ask(ctx, "S", step.String()+" "+whom)
	report.Signalled, report.Spared = ofKind(procs, isMember), ofKind(procs, isSpared)
	if err != nil {
		return report, fmt.Errorf("send %s: %w", step, err)
	}
	return report, nil
}

// signal asks the SSH server to deliver a signal.
func (p *process) signal(ctx context.Context, run *launched, step executor.Step) error {
	if !p.alive() || p.conn.Cause() != nil {
		return nil
	}
	err := run.run.ask(ctx, "signal", signalRequest{step.String()})
	switch {
	case err == nil || !p.alive():
		return nil
	case errors.Is(err, io.EOF):
		return nil // the channel is closed: the process has ended, and its exit is on the way
	case errors.Is(err, errRefused):
		err = errNoSignals
	}
	return fmt.Errorf("send %s: %w", step, err)
}

// errNoSignals is the answer of a server: OpenSSH before 7.9 delivers none, and
// later ones none to forced commands and none to root.
var errNoSignals = errors.New("the server does not deliver signals here (a forced command, a login as root, or an old server)")

// cannotTell says which processes of the server the guard may have missed.
func (p *process) cannotTell() []string {
	g := p.guard()
	if g == nil {
		return []string{"plain launch: without a guard the server's child processes are unknown"}
	}
	var reasons []string
	if blind := g.caps.blindness(p.running.stamp != noStamp); blind != "" {
		reasons = append(reasons, blind)
	}
	if p.conn.Cause() != nil && !p.isSwept() {
		reasons = append(reasons, "the connection is lost: what is left on the host is up to the guard there")
	}
	select {
	case <-p.unguarded:
		reasons = append(reasons, "the guard on the host has ended: the server's child processes are unknown")
	default:
	}
	return reasons
}

// alive tells whether the leader has not ended as far as is known.
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
	if p.running != nil {
		return false
	}
	p.cancel(errCancelled)
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
	report.CannotTell = p.cannotTell()
	if p.isSwept() {
		return report, nil
	}
	if report.Running = p.alive(); !report.Running {
		p.settle(ctx)
	}
	if p.pipe != nil {
		p.pipe.ending.Store(true)
	}
	p.journal.BeginEnding()
	err = p.kill(ctx, &report)
	report.CannotTell = p.cannotTell()
	if len(report.Survivors) > 0 {
		p.journal.Emit(executor.Event{Kind: executor.Survivors, Procs: report.Survivors})
	}
	if err != nil && p.conn.Cause() == nil {
		p.journal.EndEnding(false)
		return report, fmt.Errorf("terminate %s: %w", p.id, err)
	}
	p.mu.Lock()
	rtt := p.link.RTT
	p.mu.Unlock()
	cut := !p.awaitPumps(drainTime + rtt)
	p.journal.EndEnding(cut)
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

// settle gives what the leader had started the time to end as well. Without a
// guard nobody knows who that is.
func (p *process) settle(ctx context.Context) {
	executor.Settle(ctx, p.exitedAt, func() bool {
		procs, err := p.ask(ctx, "T", "")
		return err != nil || len(ofKind(procs, isMember)) == 0
	})
}

// kill sends SIGKILL until no process of the run remains, and reports the processes
// that were found, that were spared, and that remain. The leader's exit is known when
// it returns without an error, or the connection is given up.
func (p *process) kill(ctx context.Context, report *executor.StopReport) error {
	limit, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	err := errGuardGone
	if p.guard() != nil {
		var procs []guardProc
		procs, err = p.askGuard(limit, "K", "")
		report.Signalled, report.Survivors, report.Spared = ofKind(procs, isMember), ofKind(procs, isLeft), ofKind(procs, isSpared)
	}
	cause := errors.New("the server does not say how the process ended")
	if errors.Is(err, errGuardGone) && p.conn.Cause() == nil {
		if err = p.signal(limit, p.running, executor.StepKill); errors.Is(err, errNoSignals) {
			// The end of its input is all that can be done about the process.
			p.CloseStdin()
			cause, err = fmt.Errorf("%w: the process may still run", err), nil
		}
	}
	if err != nil {
		return err
	}
	silent := time.NewTimer(exitTime)
	defer silent.Stop()
	select {
	case <-p.exited:
	case <-ctx.Done():
		return ctx.Err()
	case <-silent.C:
		if len(report.Survivors) > 0 {
			return errors.New("the leader does not die")
		}
		p.conn.Abort(&executor.LostError{
			Code: executor.LostClosed, Hop: p.conn.Hop(),
			Err: cause,
		})
	}
	return nil
}
