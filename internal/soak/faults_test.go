//go:build soak && linux

package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// A fault happens to a running session, and leaves it running. run checks what
// must be true after it.
type fault struct {
	name string
	run  func(w *worker) error
}

// anywhere are the faults of servers, wherever they run.
func anywhere() []fault {
	return []fault{
		{"server killed", killServer}, {"server stalled", stallServer}, {"restart", (*worker).restart},
		{"shutdown of a stopped server", shutDownStopped}, {"killed by the person", killByPerson}, {"stdin closed", closeStdin},
		{"flood", flood}, {"large result", largeResult}, {"cancelled call", cancelCall},
	}
}

// onThisMachine are the faults of local servers.
func onThisMachine() []fault { return append(anywhere(), fault{"watchdog killed", killWatchdog}) }

// pick returns a random fault.
func (w *worker) pick() fault { return w.faults[w.rng.IntN(len(w.faults))] }

// killServer sends a deadly signal from outside while a call is pending.
func killServer(w *worker) error {
	signals := []unix.Signal{unix.SIGKILL, unix.SIGTERM, unix.SIGINT, unix.SIGHUP}
	// Under nohup, and in the background of a script, the server ignores some, too.
	signals = slices.DeleteFunc(signals, func(s unix.Signal) bool { return signal.Ignored(s) })
	deadly := signals[w.rng.IntN(len(signals))]
	pending, err := w.pending()
	if err != nil {
		return err
	}
	if err := unix.Kill(w.pid(), deadly); err != nil {
		return err
	}
	name := unix.SignalName(deadly)[len("SIG"):]
	var ended *session.EndedError
	if err := <-pending; !errors.As(err, &ended) || ended.Exit.Signal != name {
		return fmt.Errorf("the pending call got %w, not the end by %s", orNone(err), name)
	}
	if err := w.ended(executor.Exit{Kind: executor.ExitSignal, Signal: name, By: executor.EndedBySignal}); err != nil {
		return err
	}
	return w.restart()
}

// stallServer stops the server for longer than a call waits.
func stallServer(w *worker) error {
	pid := w.pid()
	if err := freeze(pid); err != nil {
		return err
	}
	var n uint64
	_, err := w.tool("echo", `{}`, session.CallOptions{Timeout: w.between(50*time.Millisecond, time.Second), OnSent: func(sent uint64) { n = sent }})
	if !errors.Is(err, session.ErrTimeout) {
		return errors.Join(fmt.Errorf("a stopped server's response: %w", orNone(err)), unix.Kill(pid, unix.SIGCONT))
	}
	if err := w.requestIs(n, session.ReqTimedOut); err != nil {
		return err
	}
	time.Sleep(w.between(0, 2*time.Second))
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		return err
	}
	if err := w.ping(); err != nil {
		return err
	}
	return w.is(session.Ready)
}

// shutDownStopped ends a server that can react to nothing but SIGKILL.
func shutDownStopped(w *worker) error {
	if err := freeze(w.pid()); err != nil {
		return err
	}
	report, err := w.Shutdown(context.Background())
	if err != nil {
		return err
	}
	if report.LastStep != executor.StepKill || len(report.Survivors) > 0 {
		return fmt.Errorf("a stopped server ended by %v: %+v", report.LastStep, report)
	}
	if err := w.ended(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByShutdown}); err != nil {
		return err
	}
	return w.restart()
}

func killByPerson(w *worker) error {
	if err := w.Kill(); err != nil {
		return err
	}
	if err := w.ended(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByPerson}); err != nil {
		return err
	}
	return w.restart()
}

func closeStdin(w *worker) error {
	if err := w.CloseStdin(); err != nil {
		return err
	}
	if err := w.ended(executor.Exit{Kind: executor.ExitCode, By: executor.EndedByPerson}); err != nil {
		return err
	}
	return w.restart()
}

// flood lets the server send as fast as it can, before its response.
func flood(w *worker) error {
	count := 1 + w.rng.IntN(30_000)
	result, err := w.tool("flood", fmt.Sprintf(`{"count":%d,"bytes":%d}`, count, 140+w.rng.IntN(500)), session.CallOptions{Timeout: waitLimit})
	if err != nil {
		return err
	}
	if !bytes.Contains(result, fmt.Appendf(nil, "sent %d notifications", count)) {
		return fmt.Errorf("a flood of %d: %.300s", count, result)
	}
	return nil
}

func largeResult(w *worker) error {
	size := 1 + w.rng.IntN(6<<20)
	result, err := w.tool("big", fmt.Sprintf(`{"bytes":%d}`, size), session.CallOptions{Timeout: waitLimit})
	if err == nil && len(result) < size {
		err = fmt.Errorf("a text of %d bytes has %d", size, len(result))
	}
	return err
}

func cancelCall(w *worker) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var n uint64
	_, err := w.Request(ctx, "tools/call", slowCall, session.CallOptions{OnSent: func(sent uint64) { n = sent; cancel() }})
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a cancelled call: %w", orNone(err))
	}
	if err := w.requestIs(n, session.ReqCancelled); err != nil {
		return err
	}
	return w.ping()
}

// killWatchdog kills the parent of a local server.
func killWatchdog(w *worker) error {
	parent, err := parentOf(w.pid())
	if err != nil {
		return err
	}
	if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent)); err != nil || string(name) != "mcp-watchdog\n" {
		return fmt.Errorf("the parent of the server is %q: %w", name, orNone(err))
	}
	if err := unix.Kill(parent, unix.SIGKILL); err != nil {
		return err
	}
	if err := w.ended(executor.Exit{By: executor.EndedByWatchdog}); err != nil {
		return err
	}
	return w.restart()
}

// slowCall are the params of a call that takes longer than any fault.
var slowCall = []byte(`{"name":"slow","arguments":{"seconds":600,"steps":1}}`)

// pending starts a call, and returns how it ends.
func (w *worker) pending() (<-chan error, error) {
	sent, done := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := w.Request(context.Background(), "tools/call", slowCall, session.CallOptions{OnSent: func(uint64) { close(sent) }})
		done <- err
	}()
	select {
	case <-sent:
		return done, nil
	case err := <-done:
		return nil, err
	}
}

// ended waits for the end of the server, and checks it in the status and in the log.
func (w *worker) ended(want executor.Exit) error {
	select {
	case <-w.Done():
	case <-time.After(waitLimit):
		return fmt.Errorf("the server did not end: %+v", w.Status())
	}
	status := w.Status()
	if status.Process.Exit == nil {
		return fmt.Errorf("no exit: %+v", status)
	}
	got := *status.Process.Exit
	logged, err := w.lastExit()
	if err != nil {
		return err
	}
	for _, exit := range []executor.Exit{got, logged} {
		if exit.Kind != want.Kind && want.Kind != executor.ExitUnknown || exit.Signal != want.Signal && want.Kind != executor.ExitUnknown || exit.Code != want.Code || exit.By != want.By {
			return fmt.Errorf("the exit is %+v, and %+v in the log, not %+v", got, logged, want)
		}
	}
	if !eventually(func() bool { return w.is(session.Closed) == nil }) {
		return w.is(session.Closed)
	}
	return nil
}

// lastExit returns the last exit in the log.
func (w *worker) lastExit() (executor.Exit, error) {
	e, err := w.last(session.KindExited)
	if err != nil {
		return executor.Exit{}, err
	}
	var body session.ExitedBody
	err = e.DecodeBody(&body)
	return body.Exit(), err
}

// lastRows is how far back an entry is searched.
const lastRows = 200_000

// last returns the last entry of a kind.
func (w *worker) last(kind session.Kind) (session.Entry, error) {
	log := w.log.Load()
	rows := make([]session.Row, lastRows)
	rows = rows[:log.Rows(max(0, log.Len()-lastRows), rows)]
	for _, row := range slices.Backward(rows) {
		if row.Kind == kind {
			return log.Entry(row, 0)
		}
	}
	return session.Entry{}, fmt.Errorf("no %s entry", kind)
}

// requestIs checks the state of the request in an entry. The notification that
// cancels it may be written a moment after the call returned.
func (w *worker) requestIs(n uint64, want session.ReqState) error {
	var row session.Row
	if !eventually(func() bool {
		row, _ = session.RowAt(w.log.Load(), int(n-1))
		return row.State == want
	}) {
		return fmt.Errorf("request %d is %s, not %s", n, row.State, want)
	}
	return nil
}
