package cli

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
	// signalPatience is how long after the first signal a shutdown may take to
	// begin before the program exits without one.
	signalPatience = 3 * time.Second
	// signalSettle is how long after the first signal a shutdown may take to
	// begin before a second signal exits: service managers send SIGTERM and SIGHUP
	// at once, and a closed terminal two SIGHUPs.
	signalSettle = 300 * time.Millisecond
	// restoreLimit bounds the restoring of terminals before an exit: a stopped
	// terminal takes no output.
	restoreLimit = time.Second
)

// interrupts decides what a signal means. The first ends the context of the
// program, which begins the shutdown of its servers. If nothing has begun one
// within signalPatience, or a second signal comes before, the program exits with
// 128+n: its watchdogs and the guards on other hosts clean up. During a
// shutdown the second signal kills the servers at once, and a third exits. The
// zero value takes no signals.
type interrupts struct {
	cancel context.CancelCauseFunc // ends the context of the program
	hurry  context.CancelFunc      // ends app.urgent
	exit   func(code int)          // os.Exit; another function in tests
	stderr io.Writer

	mu       sync.Mutex
	first    os.Signal // nil before the first signal
	count    int
	at       time.Time       // of the first signal
	timer    *time.Timer     // since the first signal: nothing has begun a shutdown yet
	running  int             // shutdowns
	begun    bool            // one of them since the first signal, or before and not over then
	sessions map[*live]bool  // not ended
	restore  map[*int]func() // puts terminals back into their former state
	over     bool
}

// begin notes that a shutdown begins, until end is called. The code that begins
// one calls it. Shutdowns that are over when the first signal comes do not count.
func (i *interrupts) begin() (end func()) {
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

// add notes a session that may shut its server down by itself: one whose
// handshake the end of the context breaks off.
func (i *interrupts) add(l *live) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sessions == nil {
		i.sessions = map[*live]bool{}
	}
	i.sessions[l] = true
}

// remove forgets a session that has ended.
func (i *interrupts) remove(l *live) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.sessions, l)
}

// atExit has restore called before an exit by a signal, until done is called.
func (i *interrupts) atExit(restore func()) (done func()) {
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

// take acts on a signal.
func (i *interrupts) take(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over {
		return
	}
	switch i.count++; i.count {
	case 1:
		i.first, i.at, i.begun = s, time.Now(), i.running > 0
		i.timer = time.AfterFunc(signalPatience, i.expire)
		i.cancel(&signalError{s})
	case 2:
		if i.ending() {
			i.hurry()
			return
		}
		i.timer.Reset(max(0, signalSettle-time.Since(i.at)))
	default:
		i.die()
	}
}

// expire is called when a shutdown has had its time to begin.
func (i *interrupts) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.over:
	case !i.ending():
		i.die()
	case i.count > 1:
		i.hurry()
	}
}

// ending reports whether a shutdown has begun.
func (i *interrupts) ending() bool {
	if i.begun {
		return true
	}
	for l := range i.sessions {
		if l.ending() {
			return true
		}
	}
	return false
}

// die exits, with the terminals as they were before. The lock is held.
func (i *interrupts) die() {
	i.over = true
	restored := make(chan struct{})
	go func() {
		defer close(restored)
		for _, restore := range i.restore {
			restore()
		}
		fmt.Fprintf(i.stderr, "mcpdbg: %v; exited without a complete shutdown\n", &signalError{i.first})
	}()
	select {
	case <-restored:
	case <-time.After(restoreLimit):
	}
	i.exit(signalCode(i.first))
}

// close ends it: from now on signals are ignored.
func (i *interrupts) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.over = true
	if i.timer != nil {
		i.timer.Stop()
	}
}

// signalCode is the exit code of a program that a signal ended.
func signalCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitSignal
}

// catchSignals returns a context that the first signal ends, with the signal as
// its cause, until stop is called; see interrupts for the ones that follow.
// SIGPIPE is caught so that a closed stdout is an error to handle and not the end
// of a process that still has a server to stop: caught, not ignored, because
// children would inherit that.
func (a *app) catchSignals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	urgent, hurry := context.WithCancel(a.urgent)
	a.urgent = urgent
	a.signals.cancel, a.signals.hurry, a.signals.stderr = cancel, hurry, a.stderr
	if a.signals.exit == nil {
		a.signals.exit = os.Exit
	}
	a.interrupt = func() { a.signals.take(os.Interrupt) }
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
				a.signals.take(s)
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
		a.signals.close()
		cancel(nil)
		hurry()
	}
}
