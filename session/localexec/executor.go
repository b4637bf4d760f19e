package localexec

import (
	"context"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// Options configures an Executor. The zero value is usable.
type Options struct {
	// Watchdog is the command that runs Watchdog on its standard input: this program and
	// its hidden subcommand. It is for processes that cannot get their own watchdog as
	// their parent, which only Linux has. If it is empty, they survive if this program is
	// killed. Windows does not need it.
	Watchdog []string
	// Environ is the environment that EnvPolicy selects from; nil means
	// os.Environ().
	Environ []string
	// IDs counts the processes of the program; nil means a new counter.
	IDs *executor.IDs
	// Retention is how long a process stays after Closed; 0 means
	// executor.Retention.
	Retention time.Duration
	// Journal holds the limits of each process's output.
	Journal executor.JournalOptions
}

// An Executor starts processes on this machine. Close it when done.
type Executor struct {
	environ        []string
	table          *executor.Table
	sharedWatchdog *sharedWatchdog
	scans          scans
	threads        atomic.Int32 // that wait for output
	// executable of the watchdogs; empty if unsupported
	program string
}

var _ executor.Foundation = (*Executor)(nil)

// New returns an executor on this machine.
func New(opts Options) *Executor {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if runtime.GOOS == "windows" {
		opts.Watchdog = nil // jobs replace it
	}
	return &Executor{
		environ: opts.Environ,
		table: executor.NewTable(executor.TableOptions{
			IDs: opts.IDs, Retention: opts.Retention, Placement: "local", Journal: opts.Journal,
			Validate: func(cmd executor.Command) error { return cmd.Validate() },
		}),
		sharedWatchdog: &sharedWatchdog{argv: opts.Watchdog, groups: make(map[string]int)},
		program:        watchdog.Program,
	}
}

// Start implements executor.Executor.
func (e *Executor) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	return e.StartOn(ctx, cmd, func(_ *executor.Base, own executor.Backend) executor.Backend { return own })
}

// StartOn implements executor.Foundation.
func (e *Executor) StartOn(ctx context.Context, cmd executor.Command, over func(*executor.Base, executor.Backend) executor.Backend) (executor.Process, error) {
	cmd.OnBegin = nil // local steps are too short to be shown
	return e.table.Start(ctx, cmd, func(b *executor.Base) executor.Backend { return over(b, newProcess(e, b)) })
}

// Process implements executor.Executor.
func (e *Executor) Process(id string) executor.Process { return e.table.Process(id) }

// Close implements executor.Executor. It waits for the goroutines of all
// processes and therefore for running handlers: no Handler may call it.
func (e *Executor) Close() error {
	err := e.table.Close()
	e.sharedWatchdog.Close()
	return err
}

// maxThreads is how many processes may each have a thread that waits for their standard
// output. A fleet has many processes, and little output of each.
const maxThreads = 8

// takeThread reports whether a further thread may wait; giveThread gives it back.
func (e *Executor) takeThread() bool {
	taken := e.threads.Add(1) <= maxThreads
	e.giveThread(!taken)
	return taken
}

func (e *Executor) giveThread(taken bool) {
	if taken {
		e.threads.Add(-1)
	}
}

func startError(code executor.StartCode, phase string, err error, hint string) *executor.StartError {
	return &executor.StartError{Code: code, Phase: phase, Err: err, Hint: hint}
}
