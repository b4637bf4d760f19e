package live

import (
	"cmp"
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

	turn chan struct{} // of the start that may open a session

	mu     sync.Mutex
	all    []*execserver.Executor // the last one is in use
	closed bool
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
	return &execServer{run: run, where: where, turn: make(chan struct{}, 1), open: func(ctx context.Context) (*execserver.Executor, error) {
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
	opened, err := e.opened(ctx, &cmd)
	if err != nil {
		return nil, err
	}
	return opened.Start(ctx, cmd)
}

// opened returns the session in use, or opens one.
func (e *execServer) opened(ctx context.Context, cmd *executor.Command) (*execserver.Executor, error) {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return nil, executor.StartCancelledBy(ctx, connecting)
	}
	e.mu.Lock()
	var last *execserver.Executor
	if len(e.all) > 0 {
		last = e.all[len(e.all)-1]
	}
	closed := e.closed
	e.mu.Unlock()
	switch {
	case closed:
		return nil, &executor.StartError{Code: executor.StartFailed, Hop: e.where, Phase: connecting, Err: executor.ErrClosed}
	case last != nil && !last.Failed():
		return last, nil
	}
	return e.connect(ctx, cmd)
}

const connecting = "connect"

// connect opens a session, in the phase of the start that waits for the connection.
func (e *execServer) connect(ctx context.Context, cmd *executor.Command) (*execserver.Executor, error) {
	ph := executor.Phase{Name: connecting, Detail: e.where, Begin: time.Now()}
	if cmd.OnBegin != nil {
		cmd.OnBegin(ph)
	}
	opened, err := e.open(ctx)
	if err == nil {
		err = e.add(opened)
	}
	if err == nil {
		lengthen(cmd, ph.Begin)
		return opened, nil
	}
	ph.End, ph.Err = time.Now(), err
	if cmd.OnPhase != nil {
		cmd.OnPhase(ph)
	}
	var known *executor.StartError
	switch {
	case errors.As(err, &known):
	case ctx.Err() != nil:
		known = executor.StartCancelledBy(ctx, connecting)
	default:
		known = &executor.StartError{Code: executor.NetLost, Hop: e.where, Phase: connecting, Err: err}
	}
	known.Elapsed = cmp.Or(known.Elapsed, ph.End.Sub(ph.Begin))
	return nil, known
}

// add makes a session the one in use, or closes it if the executor was closed meanwhile.
func (e *execServer) add(opened *execserver.Executor) error {
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.all = append(e.all, opened)
	}
	e.mu.Unlock()
	if closed {
		return errors.Join(executor.ErrClosed, opened.Close())
	}
	return nil
}

// lengthen lets the phase connect of a start begin with that of its session.
func lengthen(cmd *executor.Command, begin time.Time) {
	if onBegin := cmd.OnBegin; onBegin != nil {
		cmd.OnBegin = func(ph executor.Phase) {
			if ph.Name != connecting {
				onBegin(ph)
			}
		}
	}
	if onPhase := cmd.OnPhase; onPhase != nil {
		cmd.OnPhase = func(ph executor.Phase) {
			if ph.Name == connecting {
				ph.Begin = begin
			}
			onPhase(ph)
		}
	}
}

// Process implements executor.Executor.
func (e *execServer) Process(id string) executor.Process {
	e.mu.Lock()
	all := slices.Clone(e.all)
	e.mu.Unlock()
	if len(all) == 0 {
		return e.run.Process(id)
	}
	for _, one := range slices.Backward(all) {
		if p := one.Process(id); p.Info().State != executor.StateUnknown {
			return p
		}
	}
	return all[len(all)-1].Process(id)
}

// Close implements executor.Executor.
func (e *execServer) Close() error {
	e.mu.Lock()
	e.closed = true
	all := slices.Clone(e.all)
	e.mu.Unlock()
	var errs []error
	for _, one := range all {
		errs = append(errs, one.Close())
	}
	return errors.Join(append(errs, e.run.Close())...)
}
