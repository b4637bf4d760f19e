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

// An attempt is a step that was taken to end a process.
type attempt struct {
	step executor.Step
	by   executor.EndedBy
	at   time.Time
}

const (
	// maxAttempts is how many attempts are kept; a person may try often.
	maxAttempts = 16
	// signalActs is how long after a signal an exit may be its effect.
	signalActs = time.Minute
	// brokenWait is how long the shutdown sequence waits for the exit of a server
	// that has closed its stdin: it has most likely ended just now.
	brokenWait = 250 * time.Millisecond
)

// trying records a step before it is taken, so that an exit that it causes can
// be told from one that it does not. A process that has ended by then did not end
// of it.
func (r *run) trying(step executor.Step, by executor.EndedBy) *attempt {
	if r.proc.Info().Exit != nil {
		return nil
	}
	a := &attempt{step, by, time.Now()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.attempts) == maxAttempts {
		r.attempts = slices.Delete(r.attempts, 0, 1)
	}
	r.attempts = append(r.attempts, a)
	return a
}

// tried settles an attempt with what came of it. One that did not reach the leader
// is withdrawn: the leader had ended, or the step could not be taken. Where the wait
// for a reply was cut short, the step may have been taken.
func (r *run) tried(a *attempt, report executor.StopReport, err error) {
	unknown := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if report.Running && err == nil || unknown {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts = slices.DeleteFunc(r.attempts, func(known *attempt) bool { return known == a })
}

// resolve completes an exit with the party that ended the process.
func (r *run) resolve(exit executor.Exit) executor.Exit {
	r.mu.Lock()
	defer r.mu.Unlock()
	if exit.By == executor.EndedUnknown {
		exit.By = endedBy(exit, time.Now(), r.attempts)
	}
	return exit
}

// endedBy names the party that ended a process, given the attempts to end it.
// A signal is explained by an attempt that sent it, an exit code by any attempt:
// servers end with a code of theirs when stdin ends, or when they handle a signal.
// The last attempt that explains the exit counts, as those before had not been
// enough. A signal that was sent long ago was not.
func endedBy(exit executor.Exit, now time.Time, attempts []*attempt) executor.EndedBy {
	for _, a := range slices.Backward(attempts) {
		recent := a.step == executor.StepCloseStdin || now.Sub(a.at) < signalActs
		explains := exit.Kind == executor.ExitCode || exit.Kind == executor.ExitSignal && exit.Signal == a.step.String()
		if recent && explains {
			return a.by
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

// crashes are the signals that a process gets for what it did itself.
var crashes = []string{"SEGV", "BUS", "ILL", "FPE", "ABRT", "IOT", "TRAP", "SYS", "STKFLT", "EMT", "XCPU", "XFSZ", "PIPE", "ALRM", "VTALRM", "PROF"}

func isCrash(signal string) bool { return slices.Contains(crashes, signal) }

// settleBroken waits for the exit of a process that has closed its stdin, so that
// an exit on its own is not taken for one that the shutdown sequence caused.
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

// explain adds to a write that failed how the server ended, if it did: its exit may
// be told later than the end of its stdin.
func (r *run) explain(err error) error {
	var failed *WriteError
	if !errors.As(err, &failed) || errors.Is(err, ErrEnded) || lostOf(err) != nil {
		return err
	}
	r.settleBroken()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.exit == nil {
		return err
	}
	return &WriteError{Status: failed.Status, Err: &EndedError{*r.exit}}
}

// DescribeExit returns the exit status of a process in a few words, such as
// "exit code 3". DescribeEnd adds who ended it.
func DescribeExit(exit executor.Exit) string {
	switch exit.Kind {
	case executor.ExitCode:
		return fmt.Sprintf("exit code %d", exit.Code)
	case executor.ExitSignal:
		if exit.Core {
			return "signal " + exit.Signal + ", core dumped"
		}
		return "signal " + exit.Signal
	default:
		return "how it ended is not known"
	}
}

// DescribeEnd returns how a process ended and who ended it, as far as is known.
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
	case executor.EndedByUs:
		return status + " (shutdown sequence)"
	case executor.EndedByPerson:
		return status + " (on request)"
	case executor.EndedByServer:
		if exit.Kind == executor.ExitSignal {
			return status + " (crash)"
		}
	}
	return status
}

// AdviceEnd says what may have ended a process, or what to try; "" where that is
// plain.
func AdviceEnd(exit executor.Exit) string {
	switch exit.By {
	case executor.EndedBySignal:
		if exit.Signal == executor.StepKill.String() {
			return "the kernel's OOM killer sends KILL when memory runs out: look into its log (dmesg)"
		}
		return "another program, or a person, may have sent it"
	case executor.EndedByLease:
		return "a restart starts it again; --ssh-lease gives a paused or disconnected mcpdbg longer"
	case executor.EndedByGuard:
		return "a restart starts it again"
	case executor.EndedByWatchdog:
		return "the watchdog (mcp-watchdog) has to live as long as its server"
	}
	return ""
}

// Outside reports whether the guard or the watchdog ended a process: what keeps it
// from outliving mcpdbg. That is not the server's fault.
func Outside(by executor.EndedBy) bool {
	return by == executor.EndedByLease || by == executor.EndedByGuard || by == executor.EndedByWatchdog
}

// An EndedError is the end of a process, for what was pending: an ErrEnded.
type EndedError struct{ Exit executor.Exit }

// Error says how the server ended and who ended it.
func (e *EndedError) Error() string {
	if by := e.Exit.By; Outside(by) || by == executor.EndedBySignal {
		return "server " + DescribeEnd(e.Exit)
	}
	return ErrEnded.Error() + ": " + DescribeEnd(e.Exit)
}

// Is reports whether target is ErrEnded.
func (e *EndedError) Is(target error) bool { return target == ErrEnded }

// Reach reports whether the guard on a host ended the server because it had lost
// the contact with us.
func (e *EndedError) Reach() bool { return lostContact(e.Exit.By) }

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

// Exit returns the exit that b tells of.
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
