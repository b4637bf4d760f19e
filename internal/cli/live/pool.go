package live

import (
	"errors"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/link"
)

// A Pool makes the executors of several sessions, which never prompt. They share
// connections to jump hosts and, on this machine, one executor.
type Pool struct {
	Limits link.Limits // of the connections; NewPool sets those for many hosts

	env    *console.Env
	ids    executor.IDs
	local  *localexec.Executor // nil without local sessions
	dialer *link.Dialer        // nil without remote sessions
}

// NewPool returns a Pool to close in the end.
func NewPool(env *console.Env) *Pool { return &Pool{Limits: link.FanOut(), env: env} }

// Prepare makes what a target's sessions share. It finds errors in the flags before
// anything starts, and must precede Executor. The seed is for the waits between attempts.
func (p *Pool) Prepare(t *flags.Target, env []executor.EnvVar, seed uint32) error {
	if !t.SSH.Remote() {
		if p.local == nil { // sessions read each process to its end: no need to retain ended ones
			p.local = localexec.New(localexec.Options{
				Watchdog: append(p.env.Self, console.WatchdogCommand), IDs: &p.ids, Retention: time.Second,
			})
		}
		return nil
	}
	opts, err := t.SSH.Options(env)
	if err != nil {
		return err
	}
	if p.dialer == nil { // it limits concurrent connections, and does not retry a refusing host
		opts.Limits, opts.Seed, opts.RememberRefusals = p.Limits, 1<<32|uint64(seed), true // the high bit makes a seed of 0 count as set
		p.dialer = sshexec.NewDialer(opts)
	}
	return nil
}

// Executor returns the executor of one session.
func (p *Pool) Executor(t flags.Target, env []executor.EnvVar) (executor.Executor, error) {
	if !t.SSH.Remote() {
		return over(p.env, &t, lent{p.local})
	}
	opts, err := t.SSH.Options(env)
	if err != nil {
		return nil, err
	}
	opts.Dialer, opts.IDs = p.dialer, &p.ids
	exec, err := sshexec.New(opts)
	if err != nil {
		return nil, err
	}
	return over(p.env, &t, exec)
}

// A lent executor is closed by its owner.
type lent struct{ *localexec.Executor }

// Close implements executor.Executor.
func (lent) Close() error { return nil }

// Close closes what the sessions shared.
func (p *Pool) Close() error {
	var errs []error
	if p.local != nil {
		errs = append(errs, p.local.Close())
	}
	if p.dialer != nil {
		errs = append(errs, p.dialer.Close())
	}
	return errors.Join(errs...)
}
