package localexec

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// Options configure an Executor. The zero value is usable.
type Options struct {
	// Watchdog is the command that runs Watchdog on its standard input: this
	// program and its hidden subcommand. It is used where a process cannot get a
	// watchdog of its own as its parent, which only Linux has. Empty means none:
	// then nothing ends such processes if this program is killed. Windows needs
	// none.
	Watchdog []string
	// Environ is what EnvPolicy selects from; nil means os.Environ().
	Environ []string
	// IDs counts the processes of the program; nil means a counter of its own.
	IDs *executor.IDs
	// Retention is how long a process stays after Closed; 0 means
	// executor.Retention.
	Retention time.Duration
	// Journal holds the limits of each process's output.
	Journal executor.JournalOptions
}

// An Executor starts processes on this machine. Close it when done.
type Executor struct {
	opts  Options
	table *executor.Table[*process]
	guard *guard
	scans scans
	// program is what becomes the watchdog of a process; empty means that there
	// is none here.
	program string
	// running counts the goroutines of all processes.
	running sync.WaitGroup
}

var _ executor.Executor = (*Executor)(nil)

// New returns an executor on this machine.
func New(opts Options) *Executor {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if opts.IDs == nil {
		opts.IDs = new(executor.IDs)
	}
	if runtime.GOOS == "windows" {
		opts.Watchdog = nil // jobs do what it is for
	}
	return &Executor{
		opts:    opts,
		table:   executor.NewTable[*process](opts.IDs, opts.Retention),
		guard:   newGuard(opts.Watchdog),
		program: watchdog.Program,
	}
}

// Start implements executor.Executor.
func (e *Executor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	begin := time.Now()
	p, err := e.start(ctx, cmd)
	if err != nil {
		err.Elapsed = time.Since(begin)
		return nil, err
	}
	return e.table.Bind(p), nil
}

func (e *Executor) start(ctx context.Context, cmd executor.Command) (*process, *executor.StartError) {
	if err := cmd.Validate(); err != nil {
		return nil, startError(executor.StartInvalid, "resolve", err, "")
	}
	p, err := e.table.Reserve(cmd.ID, func(id string) *process { return newProcess(e, id, cmd) })
	if errors.Is(err, executor.ErrDuplicate) {
		return nil, startError(executor.StartDuplicate, "resolve", err,
			"end that process first, or start this one under another id")
	}
	if err != nil {
		return nil, startError(executor.StartFailed, "resolve", err, "")
	}
	if err := p.start(ctx); err != nil {
		e.table.Remove(p)
		return nil, err
	}
	p.cmd.OnPhase, p.cmd.OnBegin = nil, nil // p is kept for a while: who was told is not
	return p, nil
}

// Process implements executor.Executor.
func (e *Executor) Process(id string) executor.Process { return e.table.Handle(id) }

// Close implements executor.Executor. It waits for the goroutines of every
// process, and so for the handlers they are in: no Handler may call it.
func (e *Executor) Close() error {
	var ending sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	all := e.table.Close()
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
	if len(failures) == 0 {
		e.running.Wait()
	}
	for _, p := range all {
		p.letGo()
	}
	e.guard.Close()
	return errors.Join(failures...)
}

func startError(code executor.StartCode, phase string, err error, hint string) *executor.StartError {
	return &executor.StartError{Code: code, Phase: phase, Err: err, Hint: hint}
}
