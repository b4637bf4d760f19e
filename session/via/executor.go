package via

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// The default limits.
const (
	// startTimeout is how long the shell inside may take to answer.
	startTimeout = 20 * time.Second
	// guardLease is how long a guard inside waits for a sign of life before it ends the
	// server.
	guardLease = 30 * time.Second
	// dismissTime is how long a guard that is no longer needed may take to end.
	dismissTime = 30 * time.Second
)

// Options configure an Executor. Below is required.
type Options struct {
	// Words is the prefix of the server's command. Without, a command that begins with the
	// client of a container engine, such as docker exec -i web, has that as its prefix; any
	// other is started directly.
	Words []string
	// Below starts the prefix. The Executor closes it.
	Below executor.Foundation
	Host  string // of Below, for messages; "" for this machine
	// Plain executes the server as it is: nothing is added to the command, and no script of
	// ours runs inside.
	Plain bool
	// StartTimeout limits the time from the start of the prefix to that of the server; 0
	// means 20 s.
	StartTimeout time.Duration
	Lease        time.Duration // of the guard; 0 means 30 s, below 0 none
}

// An Executor starts processes through a prefix. Close it when done.
type Executor struct {
	opts Options

	mu     sync.Mutex
	alive  map[string]executor.Process // by id; those that may have to be ended; nil once closed
	asked  bool                        // whether sudo permits a shell
	barred string                      // why no shell can be started in the place of Words, or ""

	leaving sync.WaitGroup // of the guards that are no longer needed
	closing chan struct{}  // closed when no server is left
}

var _ executor.Executor = (*Executor)(nil)

// New returns an executor. The error is about the prefix.
func New(o Options) (*Executor, error) {
	if len(o.Words) > 0 {
		if err := Check(o.Words); err != nil {
			return nil, err
		}
	}
	o.Words = slices.Clone(o.Words)
	o.StartTimeout = cmp.Or(o.StartTimeout, startTimeout)
	o.Lease = max(0, cmp.Or(o.Lease, guardLease))
	return &Executor{opts: o, alive: make(map[string]executor.Process), closing: make(chan struct{})}, nil
}

// Start implements executor.Executor. If there is no shell inside, the server is started
// as it is.
func (e *Executor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	if len(cmd.Argv) == 0 { // refused by the executor below, with an error
		return e.opts.Below.Start(ctx, cmd)
	}
	prefix, argv, failure := e.prefixFor(cmd.Argv)
	if failure != nil {
		return nil, failure
	}
	if len(prefix.words) == 0 {
		return e.opts.Below.Start(ctx, cmd)
	}
	if !e.opts.Plain {
		if failure := e.resolve(ctx, &prefix); failure != nil {
			return nil, failure
		}
	}
	own := newProcess(e, prefix, argv, e.opts.Plain || prefix.runs())
	if !own.plain {
		if own.why, failure = e.shellBarred(ctx, &prefix); failure != nil {
			return nil, failure
		}
		own.plain = own.why != ""
	} else if failure := e.labelBarred(ctx, own, cmd); failure != nil {
		return nil, failure
	}
	p, err := e.start(ctx, cmd, own)
	var known *executor.StartError
	if !own.plain && errors.As(err, &known) && known.Code == executor.StartNoShell {
		e.bar(": there is no shell inside")
		own = newProcess(e, prefix, argv, true)
		own.why = ": there is no shell inside"
		p, err = e.start(ctx, cmd, own)
	}
	return p, err
}

// bar makes further starts do without a shell.
func (e *Executor) bar(why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked, e.barred = true, why
}

func (e *Executor) start(ctx context.Context, cmd executor.Command, own *process) (executor.Process, error) {
	client, failure := own.clientFor(cmd)
	if failure != nil {
		return nil, failure
	}
	own.notices = slices.Clone(own.prefix.notices)
	p, err := e.opts.Below.StartOn(ctx, cmd, func(b *executor.Base, below executor.Backend) executor.Backend {
		own.over(b, below, client)
		return own
	})
	if err != nil {
		return nil, err
	}
	own.notePlace()
	if !e.keep(p) {
		_, err := p.Terminate(context.WithoutCancel(ctx))
		return nil, &executor.StartError{Code: executor.StartFailed, Phase: "resolve", Err: errors.Join(executor.ErrClosed, err)}
	}
	return p, nil
}

// keep remembers a process for Close, unless that was called.
func (e *Executor) keep(p executor.Process) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.alive == nil {
		return false
	}
	for id, known := range e.alive {
		if known.Info().State == executor.StateUnknown { // its retention is over
			delete(e.alive, id)
		}
	}
	e.alive[p.ID()] = p
	return true
}

// dismiss ends a guard that is not in charge. The end of its client may overtake the command:
// the client lives on until the guard has read it.
func (e *Executor) dismiss(ch guard.Channel) {
	e.mu.Lock()
	closed := e.alive == nil
	if !closed {
		e.leaving.Go(func() {
			guard.Quit(ch)
			select {
			case <-ch.Exited():
			case <-ch.Ended():
			case <-e.closing:
			case <-time.After(dismissTime):
			}
			_ = ch.Close()
		})
	}
	e.mu.Unlock()
	if closed {
		guard.Dismiss(ch)
	}
}

// Process implements executor.Executor.
func (e *Executor) Process(id string) executor.Process { return e.opts.Below.Process(id) }

// Close implements executor.Executor. The servers are ended before their guards, which
// would take the end of their input for a loss.
func (e *Executor) Close() error {
	e.mu.Lock()
	all := e.alive
	e.alive = nil
	e.mu.Unlock()
	var ending sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	for _, p := range all {
		ending.Go(func() {
			if _, err := p.Terminate(context.Background()); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failures = append(failures, err)
			}
		})
	}
	ending.Wait()
	if all != nil {
		close(e.closing)
	}
	e.leaving.Wait()
	return errors.Join(errors.Join(failures...), e.opts.Below.Close())
}
