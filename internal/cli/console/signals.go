package console

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const (
	// signalTimeout is how long after the first signal a shutdown may take to begin; then
	// the program exits.
	signalTimeout = 3 * time.Second
	// secondSignalAfter is how long after the first signal a shutdown may take to begin
	// before a second signal exits: service managers send SIGTERM and SIGHUP at once, and a
	// closed terminal two SIGHUPs.
	secondSignalAfter = 300 * time.Millisecond
	// restoreLimit is for restoring terminals before an exit: a stopped one takes no
	// output.
	restoreLimit = time.Second
)

// Interrupts handles signals. The first one ends the program's context, which starts the
// shutdown of its servers. If none has started within signalTimeout, or before a second
// signal, the program exits with 128+n, and its watchdogs and the guards on other hosts
// clean up. During a shutdown the second signal kills the servers at once, and a third
// exits. The zero value ignores signals.
type Interrupts struct {
	cancel       context.CancelCauseFunc // ends the context of the program
	cancelUrgent context.CancelFunc      // ends Env.Urgent
	exit         func(code int)          // os.Exit; another function in tests
	stderr       io.Writer

	mu       sync.Mutex
	first    os.Signal // nil before the first signal
	count    int
	at       time.Time        // of the first signal
	timer    *time.Timer      // calls expire
	running  int              // shutdowns
	begun    bool             // a shutdown ran after the first signal
	sessions map[stopper]bool // not ended
	restore  map[*int]func()  // restore the former state of terminals
	over     bool
}

// A stopper reports whether it is shutting its server down.
type stopper interface{ Ending() bool }

// Begin registers a shutdown until end is called. One that ended before the first signal
// does not count.
func (i *Interrupts) Begin() (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.running++
	i.begun = i.begun || i.count > 0
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.running--
	}
}

// Add registers a session. If the end of the context cancels its handshake, it shuts its
// server down by itself.
func (i *Interrupts) Add(l stopper) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sessions == nil {
		i.sessions = map[stopper]bool{}
	}
	i.sessions[l] = true
}

// Remove removes a session that has ended.
func (i *Interrupts) Remove(l stopper) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.sessions, l)
}

// AtExit registers restore for an exit by a signal, until done is called.
func (i *Interrupts) AtExit(restore func()) (done func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.restore == nil {
		i.restore = map[*int]func(){}
	}
	key := new(int)
	i.restore[key] = restore
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.restore, key)
	}
}

func (i *Interrupts) take(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over {
		return
	}
	switch i.count++; i.count {
	case 1:
		i.first, i.at, i.begun = s, time.Now(), i.running > 0
		i.timer = time.AfterFunc(signalTimeout, i.expire)
		i.cancel(&SignalError{Signal: s})
	case 2:
		if i.ending() {
			i.cancelUrgent()
			return
		}
		i.timer.Reset(max(0, secondSignalAfter-time.Since(i.at)))
	default:
		i.abort()
	}
}

// No shutdown has started in time.
func (i *Interrupts) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.over:
	case !i.ending():
		i.abort()
	case i.count > 1:
		i.cancelUrgent()
	}
}

// ending reports whether a shutdown has started.
func (i *Interrupts) ending() bool {
	if i.begun {
		return true
	}
	for l := range i.sessions {
		if l.Ending() {
			return true
		}
	}
	return false
}

// abort restores the terminals and exits. The lock is held.
func (i *Interrupts) abort() {
	i.over = true
	restored := make(chan struct{})
	go func() {
		defer close(restored)
		for _, restore := range i.restore {
			restore()
		}
		fmt.Fprintf(i.stderr, "mcpdbg: %v; exited without a complete shutdown\n", &SignalError{Signal: i.first})
	}()
	select {
	case <-restored:
	case <-time.After(restoreLimit):
	}
	i.exit(SignalCode(i.first))
}

func (i *Interrupts) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.over = true
	if i.timer != nil {
		i.timer.Stop()
	}
}

// CatchSignals returns a context that the first signal ends, as its cause, until stop is
// called; see Interrupts for later ones. SIGPIPE is caught so that a closed stdout is an
// error, and does not kill a process that still has a server to stop; child processes
// would inherit that it is ignored.
func (env *Env) CatchSignals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	urgent, cancelUrgent := context.WithCancel(env.Urgent)
	env.Urgent = urgent
	env.Signals.cancel, env.Signals.cancelUrgent, env.Signals.stderr = cancel, cancelUrgent, env.Stderr
	if env.Signals.exit == nil {
		env.Signals.exit = os.Exit
	}
	env.Interrupt = func() { env.Signals.take(os.Interrupt) }
	ending := make(chan os.Signal, 3)
	signal.Notify(ending, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case s := <-ending:
				env.Signals.take(s)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(ending)
		signal.Stop(pipe)
		close(done)
		<-finished
		env.Signals.close()
		cancel(nil)
		cancelUrgent()
	}
}
