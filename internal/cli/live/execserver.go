package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/session/execserver"
	"mcpdbg/session/execserver/dial"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/via"
)

// over returns the executor of a target, from the one of this machine or of its host: through
// a prefix, and then through an exec server. It closes below.
func over(env *console.Env, t *flags.Target, below executor.Foundation) (executor.Executor, error) {
	run, err := through(t, below)
	if err != nil || t.ExecServer.Text == "" {
		return run, err
	}
	e, err := newExecServer(env, t, run)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return e, nil
}

// An execServer opens a session of an exec server when its first process starts, and another
// one if that is lost. It closes run.
type execServer struct {
	run   executor.Executor
	open  func(context.Context) (*execserver.Executor, error)
	where string

	mu  sync.Mutex
	all []*execserver.Executor // the last one is in use
}

func newExecServer(env *console.Env, t *flags.Target, run executor.Executor) (*execServer, error) {
	target, err := dial.Parse(t.ExecServer.Text)
	if err != nil {
		return nil, console.Usagef("--exec-server: %v", err)
	}
	credentials, err := t.ExecServer.Credentials()
	if err != nil {
		return nil, err
	}
	if target.Own && target.Argv[0] == "mcpdbg" && !t.SSH.Remote() && len(t.Via) == 0 {
		target.Argv = slices.Concat(env.Self, target.Argv[1:])
	}
	where := via.Where(target.String(), t.Via, t.SSH.Dest)
	opts := execserver.Options{Resumable: target.Resumable(), Placement: where, Transport: target.Transport()}
	if t.ExecServer.Text == "codex" {
		opts.Concurrency = wire.CodexConcurrency
	}
	d := dial.Dialer{Target: target, Credentials: credentials, Run: run}
	return &execServer{run: run, where: where, open: func(ctx context.Context) (*execserver.Executor, error) {
		opts := opts
		opts.Dial = d.Dial
		if keep := t.ExecServer.Keep; keep > 0 {
			kept := &dial.Kept{Run: run, Program: target.Argv[0], Keep: keep}
			opts.Dial, opts.Resumable, opts.Keep, opts.Transport = kept.Dial, true, keep, "relay"
		}
		return execserver.Open(ctx, opts)
	}}, nil
}

// Start implements executor.Executor.
func (e *execServer) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.all) == 0 || e.all[len(e.all)-1].Failed() {
		if err := e.connect(ctx, &cmd); err != nil {
			return nil, err
		}
	}
	return e.all[len(e.all)-1].Start(ctx, cmd)
}

// connect opens a session, as a phase of the start.
func (e *execServer) connect(ctx context.Context, cmd *executor.Command) error {
	ph := executor.Phase{Name: "connect", Detail: e.where, Begin: time.Now()}
	if cmd.OnBegin != nil {
		cmd.OnBegin(ph)
	}
	opened, err := e.open(ctx)
	ph.End, ph.Err = time.Now(), err
	if cmd.OnPhase != nil {
		cmd.OnPhase(ph)
	}
	if err == nil {
		e.all = append(e.all, opened)
		return nil
	}
	var known *executor.StartError
	if errors.As(err, &known) {
		return known
	}
	if ctx.Err() != nil {
		return executor.StartCancelledBy(ctx, "connect")
	}
	return &executor.StartError{Code: executor.NetLost, Hop: e.where, Phase: "connect", Elapsed: ph.End.Sub(ph.Begin), Err: err}
}

// Process implements executor.Executor.
func (e *execServer) Process(id string) executor.Process {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.all) == 0 {
		return e.run.Process(id)
	}
	for _, one := range slices.Backward(e.all) {
		if p := one.Process(id); p.Info().State != executor.StateUnknown {
			return p
		}
	}
	return e.all[len(e.all)-1].Process(id)
}

// Close implements executor.Executor.
func (e *execServer) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, one := range e.all {
		errs = append(errs, one.Close())
	}
	return errors.Join(append(errs, e.run.Close())...)
}
