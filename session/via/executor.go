package via

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// The default limits.
const (
	// startTimeout is how long the shell inside may take to answer.
	startTimeout = 20 * time.Second
	// guardLease is how long a guard inside waits for a sign of life before it ends the
	// server.
	guardLease = 30 * time.Second
)

// Options configure an Executor. Words and Below are required.
type Options struct {
	// Words is the prefix of the server's command.
	Words []string
	// Below starts the prefix. The Executor closes it.
	Below executor.Foundation
	// Plain executes the server as it is: no script of ours runs inside.
	Plain bool
	// StartTimeout limits the time from the start of the prefix to that of the server; 0
	// means 20 s.
	StartTimeout time.Duration
	Lease        time.Duration // of the guard; 0 means 30 s, below 0 none
}

// An Executor starts processes through a prefix. Close it when done.
type Executor struct {
	opts   Options
	prefix prefix

	mu    sync.Mutex
	alive map[string]executor.Process // by id; those that may have to be ended
}

var _ executor.Executor = (*Executor)(nil)

// New returns an executor. The error is about the prefix.
func New(o Options) (*Executor, error) {
	p, err := parse(o.Words)
	if err != nil {
		return nil, err
	}
	o.Words = slices.Clone(o.Words)
	o.StartTimeout = cmp.Or(o.StartTimeout, startTimeout)
	o.Lease = max(0, cmp.Or(o.Lease, guardLease))
	return &Executor{opts: o, prefix: p, alive: make(map[string]executor.Process)}, nil
}

// Start implements executor.Executor.
func (e *Executor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	if err := e.prefix.refuses(cmd); err != nil {
		return nil, &executor.StartError{Code: executor.StartInvalid, Phase: "resolve", Err: err}
	}
	p, err := e.opts.Below.StartOn(ctx, cmd, func(b *executor.Base, below executor.Backend) executor.Backend {
		return newProcess(e, b, below)
	})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	for id, known := range e.alive {
		if known.Info().State == executor.StateUnknown { // its retention is over
			delete(e.alive, id)
		}
	}
	e.alive[p.ID()] = p
	e.mu.Unlock()
	return p, nil
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
	return errors.Join(errors.Join(failures...), e.opts.Below.Close())
}
