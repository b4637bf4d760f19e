//go:build unix

package localexec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// Timeouts of the communication with a watchdog.
const (
	watchdogStart  = 10 * time.Second // from its start until it is ready
	watchdogAnswer = 2 * time.Second  // for a signal; longer means that it is stuck
	watchdogEnd    = 2 * time.Second  // for its exit after release
)

var errWatchdogEnded = errors.New("the watchdog has ended")

// A watcher is this program's side of a watchdog, the parent of one server.
type watcher struct {
	process *os.Process
	orders  *os.File // its end tells the watchdog to kill the remaining processes
	reports *os.File

	turn    sync.Mutex              // held from an order to its answer
	answers chan syscall.Errno      // of signals
	exits   chan syscall.WaitStatus // of the leader; buffered
	ended   chan struct{}           // closed when the watchdog has ended and is reaped
	empty   chan struct{}           // closed when it has reported that no descendant is left

	killed atomic.Bool        // by us
	status syscall.WaitStatus // of the watchdog, once it has ended
}

// startWatcher returns once the watchdog is ready, or ctx is done.
func startWatcher(ctx context.Context, program string, streams []*os.File) (*watcher, error) {
	if program == "" {
		return nil, errors.ErrUnsupported
	}
	ordersEnd, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ordersEnd.Close()
	reports, reportsEnd, err := os.Pipe()
	if err != nil {
		closeAll([]*os.File{orders})
		return nil, err
	}
	defer reportsEnd.Close()
	process, err := os.StartProcess(program, []string{watchdog.Name}, &os.ProcAttr{
		Env:   watchdog.Environ(),
		Files: append([]*os.File{nil, nil, nil, ordersEnd, reportsEnd}, streams...),
		Sys:   ownSession(),
	})
	if err != nil {
		closeAll([]*os.File{orders, reports})
		return nil, err
	}
	w := &watcher{
		process: process, orders: orders, reports: reports,
		answers: make(chan syscall.Errno, 1), exits: make(chan syscall.WaitStatus, 1),
		ended: make(chan struct{}), empty: make(chan struct{}),
	}
	closeAll([]*os.File{reportsEnd}) // otherwise its end is not seen
	if err := w.awaitReady(ctx); err != nil {
		w.abandon()
		return nil, err
	}
	return w, nil
}

func (w *watcher) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, watchdogStart)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		_ = w.reports.SetReadDeadline(time.Unix(1, 0)) // ends the read; never fails for an open pipe
	})
	err := w.expect(watchdog.Ready)
	if !stop() {
		return fmt.Errorf("wait for the watchdog: %w", ctx.Err())
	}
	return err
}

func (w *watcher) next() (watchdog.Report, error) {
	var b [watchdog.ReportSize]byte
	if _, err := io.ReadFull(w.reports, b[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errWatchdogEnded
		}
		return watchdog.Report{}, err
	}
	return watchdog.DecodeReport(b), nil
}

func (w *watcher) expect(kind watchdog.ReportKind) error {
	r, err := w.next()
	if err == nil && r.Kind != kind {
		err = fmt.Errorf("unexpected report %q of the watchdog, not %q", r.Kind, kind)
	}
	return err
}

// run makes the watchdog start s and returns the pid. If ctx ends, the watchdog and the
// processes it has started are killed.
func (w *watcher) run(ctx context.Context, s spec) (int, error) {
	pid, err := w.start(ctx, s)
	if err == nil {
		go w.listen()
	}
	return pid, err
}

func (w *watcher) start(ctx context.Context, s spec) (int, error) {
	if err := w.reports.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, w.kill)
	defer stop()
	order := watchdog.Server{Path: s.path, Dir: s.dir, Argv: s.argv, Env: s.env, Leave: s.leave}
	if _, err := w.orders.Write(order.Encode()); err != nil {
		return 0, fmt.Errorf("write to the watchdog: %w", err)
	}
	r, err := w.next()
	switch {
	case err != nil:
		return 0, errors.Join(err, ctx.Err())
	case r.Kind == watchdog.Refused:
		return 0, syscall.Errno(r.Value)
	case r.Kind != watchdog.Started:
		return 0, fmt.Errorf("unexpected report %q of the watchdog", r.Kind)
	case !stop():
		return 0, ctx.Err() // it is being killed
	}
	return int(r.Value), nil
}

// listen handles reports until the watchdog has exited.
func (w *watcher) listen() {
	for {
		r, err := w.next()
		if err != nil {
			break
		}
		switch r.Kind {
		case watchdog.Answered:
			select {
			case w.answers <- syscall.Errno(r.Value):
			default: // of an abandoned order
			}
		case watchdog.Exited:
			select {
			case w.exits <- syscall.WaitStatus(r.Value):
			default: // a leader exits once
			}
		case watchdog.Empty:
			close(w.empty)
		}
	}
	w.reap()
}

func (w *watcher) reap() {
	if state, err := w.process.Wait(); err == nil {
		w.status, _ = state.Sys().(syscall.WaitStatus)
	}
	closeAll([]*os.File{w.orders, w.reports})
	close(w.ended)
}

// abandon kills a watchdog before listen runs. The leader, if there is one,
// dies with it.
func (w *watcher) abandon() {
	w.kill()
	w.reap()
}

func (w *watcher) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// lost reports whether the watchdog exited without reporting that no descendant is left.
func (w *watcher) lost() bool {
	select {
	case <-w.empty:
		return false
	default:
		return w.over()
	}
}

// none waits at most limit for the report that no descendant is left.
func (w *watcher) none(limit time.Duration) bool {
	select {
	case <-w.empty:
		return true
	default:
		return limit > 0 && w.awaitEmpty(context.Background(), limit) && !w.lost()
	}
}

// awaitEmpty waits at most limit until that report, or the exit of the watchdog, and
// reports whether either came.
func (w *watcher) awaitEmpty(ctx context.Context, limit time.Duration) bool {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-w.empty:
	case <-w.ended:
	case <-ctx.Done():
		return false
	case <-late.C:
		return false
	}
	return true
}

// signal returns nil if the watchdog, and so the leader, has exited.
func (w *watcher) signal(sig syscall.Signal, group bool) error {
	w.turn.Lock()
	defer w.turn.Unlock()
	select {
	case <-w.answers: // a late answer
	default:
	}
	order := watchdog.Signal{Number: byte(sig), Group: group}
	if _, err := w.orders.Write(order.Encode()); err != nil {
		return nil
	}
	late := time.NewTimer(watchdogAnswer)
	defer late.Stop()
	select {
	case errno := <-w.answers:
		if errno != 0 {
			return errno
		}
		return nil
	case <-w.ended:
		return nil
	case <-late.C:
		return errors.New("the watchdog does not answer")
	}
}

func (w *watcher) wait() executor.Exit {
	select {
	case status := <-w.exits:
		return exitOf(status)
	case <-w.ended:
	}
	select {
	case status := <-w.exits:
		return exitOf(status)
	default:
	}
	if w.killed.Load() {
		return executor.Exit{Kind: executor.ExitUnknown}
	}
	why := "watchdog killed from outside"
	if w.status.Exited() {
		why = fmt.Sprintf("watchdog ended with exit code %d", w.status.ExitStatus())
	}
	return executor.Exit{Kind: executor.ExitUnknown, By: executor.EndedByWatchdog, Why: why}
}

// release ends the watchdog. Unless it is dismissed, it first kills the remaining
// processes that are not spared.
func (w *watcher) release(dismiss bool) {
	w.turn.Lock()
	if dismiss {
		_, _ = w.orders.Write(watchdog.Signal{}.Encode()) // it may have exited
	}
	closeAll([]*os.File{w.orders})
	w.turn.Unlock()
	late := time.AfterFunc(watchdogEnd, w.kill)
	<-w.ended
	late.Stop()
}

func (w *watcher) kill() {
	w.killed.Store(true)
	_ = w.process.Kill() // it may have exited
}
