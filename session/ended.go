package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// An Attempt is a step that a party took to end a process.
type Attempt struct {
	Step executor.Step
	By   executor.EndedBy
	At   time.Time
}

const (
	maxAttempts = 16
	// signalActs is how long after a signal an exit may be its effect.
	signalActs = time.Minute
	// brokenWait is how long the shutdown sequence waits for the exit of a server that
	// has closed its stdin.
	brokenWait = 250 * time.Millisecond
)

// beginAttempt records a step before it is taken, to distinguish the exit that it causes.
// A process that had exited before did not exit because of it.
func (r *run) beginAttempt(step executor.Step, by executor.EndedBy) *Attempt {
	if r.proc.Info().Exit != nil {
		return nil
	}
	a := &Attempt{step, by, time.Now()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.attempts) == maxAttempts {
		r.attempts = slices.Delete(r.attempts, 0, 1)
	}
	r.attempts = append(r.attempts, a)
	return a
}

// endAttempt settles an attempt. One that did not reach the leader is removed: the leader
// had exited, or the step failed. If the wait for a reply was cut short, the step may
// have been taken.
func (r *run) endAttempt(a *Attempt, report executor.StopReport, err error) {
	unknown := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if report.Running && err == nil || unknown {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts = slices.DeleteFunc(r.attempts, func(known *Attempt) bool { return known == a })
}

func (r *run) resolve(exit executor.Exit) executor.Exit {
	r.mu.Lock()
	defer r.mu.Unlock()
	if exit.By == executor.EndedUnknown {
		exit.By = EndedBy(exit, time.Now(), r.attempts)
	}
	return exit
}

// EndedBy names the party that ended a process, given the attempts to end it. A
// signal is explained by an attempt that sent it, an exit code by any attempt:
// servers exit with their own code when stdin ends or when they handle a
// signal. The last attempt that explains the exit counts, as the earlier ones
// had no effect. Neither had a signal that was sent long ago.
func EndedBy(exit executor.Exit, now time.Time, attempts []*Attempt) executor.EndedBy {
	for _, a := range slices.Backward(attempts) {
		recent := a.Step == executor.StepCloseStdin || now.Sub(a.At) < signalActs
		explains := exit.Kind == executor.ExitCode || exit.Kind == executor.ExitSignal && exit.Signal == a.Step.String()
		if recent && explains {
			return a.By
		}
	}
	switch {
	case exit.Kind == executor.ExitCode, exit.Kind == executor.ExitSignal && isCrash(exit.Signal):
		return executor.EndedByServer
	case exit.Kind == executor.ExitSignal:
		return executor.EndedBySignal
	}
	return executor.EndedUnknown
}

// crashes are the signals that a process causes itself.
var crashes = []string{"SEGV", "BUS", "ILL", "FPE", "ABRT", "IOT", "TRAP", "SYS", "STKFLT", "EMT", "XCPU", "XFSZ", "PIPE", "ALRM", "VTALRM", "PROF"}

func isCrash(signal string) bool { return slices.Contains(crashes, signal) }

// settleBroken waits for the exit of a process that has closed its stdin, so that it is
// not attributed to the shutdown sequence.
func (r *run) settleBroken() {
	if !r.broken.Load() {
		return
	}
	timer := time.NewTimer(brokenWait)
	defer timer.Stop()
	select {
	case <-r.exited:
	case <-timer.C:
	}
}

// explain adds the server's exit or the loss of its connection, if any, to the error of a
// failed write: they may be reported later.
func (r *run) explain(err error) error {
	var failed *WriteError
	if !errors.As(err, &failed) || errors.Is(err, ErrEnded) || lostOf(err) != nil {
		return err
	}
	r.settleBroken()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case lostOf(r.failure) != nil:
		return &WriteError{Status: failed.Status, Err: r.failure}
	case r.exit != nil:
		return &WriteError{Status: failed.Status, Err: &EndedError{*r.exit}}
	}
	return err
}

// DescribeExit returns the exit status of a process in a few words, such as
// "exit code 3", or why it is unknown. DescribeEnd adds who ended it.
func DescribeExit(exit executor.Exit) string {
	switch exit.Kind {
	case executor.ExitCode:
		if exit.Why != "" && !EndedFromOutside(exit.By) {
			return fmt.Sprintf("%d (%s)", exit.Code, exit.Why)
		}
		return fmt.Sprintf("exit code %d", exit.Code)
	case executor.ExitSignal:
		if exit.Core {
			return "signal " + exit.Signal + ", core dumped"
		}
		return "signal " + exit.Signal
	}
	if exit.Why != "" && !EndedFromOutside(exit.By) {
		return exit.Why
	}
	return "exit status unknown"
}

// EndUnknown returns why it is unknown how a process ended, or "" if that is known.
func EndUnknown(exit *executor.Exit) string {
	if exit == nil || exit.Kind != executor.ExitUnknown || EndedFromOutside(exit.By) {
		return ""
	}
	return DescribeExit(*exit)
}

// DescribeEnd returns how a process ended and who ended it, as far as known.
func DescribeEnd(exit executor.Exit) string {
	status := DescribeExit(exit)
	switch exit.By {
	case executor.EndedByLease:
		return "ended by the guard: " + cmp.Or(exit.Why, "its lease expired")
	case executor.EndedByGuard:
		return "ended by the guard: " + cmp.Or(exit.Why, "its channel closed")
	case executor.EndedByWatchdog:
		return "ended with the watchdog: " + cmp.Or(strings.TrimPrefix(exit.Why, "watchdog "), "killed from outside")
	case executor.EndedBySignal:
		return "killed by " + status + " that mcpdbg did not send (sender unknown)"
	case executor.EndedByShutdown:
		return status + " (shutdown sequence)"
	case executor.EndedByPerson:
		return status + " (on request)"
	case executor.EndedByClient:
		return status + " (the client ended it)"
	case executor.EndedByServer:
		if exit.Kind == executor.ExitSignal {
			return status + " (crash)"
		}
	}
	return status
}

// EndedFromOutside reports whether the guard or the watchdog ended a process: not the
// server's fault.
func EndedFromOutside(by executor.EndedBy) bool {
	return by == executor.EndedByLease || by == executor.EndedByGuard || by == executor.EndedByWatchdog
}

// An EndedError is the error of pending calls when the process has ended. It is
// an ErrEnded.
type EndedError struct{ Exit executor.Exit }

// Error returns how the server ended and who ended it.
func (e *EndedError) Error() string {
	if by := e.Exit.By; EndedFromOutside(by) || by == executor.EndedBySignal {
		return "server " + DescribeEnd(e.Exit)
	}
	return ErrEnded.Error() + ": " + DescribeEnd(e.Exit)
}

// Is reports whether target is ErrEnded.
func (e *EndedError) Is(target error) bool { return target == ErrEnded }

// LostContact reports whether the guard on a host ended the server because it had
// lost contact with mcpdbg.
func (e *EndedError) LostContact() bool { return lostContact(e.Exit.By) }

func lostContact(by executor.EndedBy) bool {
	return by == executor.EndedByLease || by == executor.EndedByGuard
}

func exitedBody(exit executor.Exit) ExitedBody {
	b := ExitedBody{Signal: exit.Signal, Core: exit.Core, Why: exit.Why}
	if exit.By != executor.EndedUnknown {
		b.By = exit.By.String()
	}
	if exit.Kind == executor.ExitCode {
		b.Code = &exit.Code
	}
	return b
}

// Exit returns the exit that b describes.
func (b *ExitedBody) Exit() executor.Exit {
	exit := executor.Exit{Signal: b.Signal, Core: b.Core, By: executor.ParseEndedBy(b.By), Why: b.Why}
	switch {
	case b.Signal != "":
		exit.Kind = executor.ExitSignal
	case b.Code != nil:
		exit.Kind, exit.Code = executor.ExitCode, *b.Code
	}
	return exit
}
