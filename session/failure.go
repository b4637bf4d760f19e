package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
)

// Reason is why a session could not be opened.
type Reason string

// The reasons.
const (
	ReasonStart   Reason = "start"     // no process
	ReasonExited  Reason = "exited"    // it ended before it answered
	ReasonTimeout Reason = "timeout"   // it did not answer in time
	ReasonRefused Reason = "refused"   // it answered with an error
	ReasonVersion Reason = "version"   // no revision in common
	ReasonEcho    Reason = "echo"      // it sends back what it receives
	ReasonLost    Reason = "lost"      // the connection to its host was lost
	ReasonCancel  Reason = "cancelled" // we gave up
	ReasonOther   Reason = "other"
)

// bufferedWait is how long a server that did not answer in time may still write after its
// stdin was closed: such responses were stuck in a buffer.
const bufferedWait = 500 * time.Millisecond

// An OpenError describes why a session could not be opened, with all evidence
// of the cause. No reachable process is left running. Stderr, Stray, Waiting
// and Said are untrusted text.
type OpenError struct {
	Reason  Reason
	Code    executor.StartCode // of a failed start or a lost connection
	Program string
	// Elapsed is how long the server ran, with ReasonExited; otherwise the time
	// spent of StartupTimeout, without prompts and queueing.
	Elapsed time.Duration
	Exit    *executor.Exit // with ReasonExited, if it ended without a signal of ours
	Stderr  []string       // its last lines
	Stray   []string       // the first stdout lines that were not JSON-RPC messages
	Waiting int            // stdout bytes without a newline
	Said    string         // last words of the other side of a connection
	SaidBy  executor.Speaker
	Hint    string // what to try; may span several lines
	Err     error
}

// Error returns what happened in one line, without Stderr, Stray and Hint.
func (e *OpenError) Error() string {
	after := e.Elapsed.Round(time.Millisecond)
	switch e.Reason {
	case ReasonStart:
		return e.Err.Error()
	case ReasonExited:
		if e.Exit == nil {
			return fmt.Sprintf("%s did not accept the handshake: %v, after %v", e.Program, e.Err, after)
		}
		return fmt.Sprintf("%s ended before it answered the handshake: %s, after %v", e.Program, DescribeEnd(*e.Exit), after)
	case ReasonTimeout:
		if start := startOf(e.Err); start != nil {
			return fmt.Sprintf("timed out %s after %v", e.starting(start), after)
		}
		return fmt.Sprintf("timed out handshaking with %s after %v", e.Program, after)
	case ReasonRefused:
		return fmt.Sprintf("%s refused the handshake: %v", e.Program, e.Err)
	case ReasonEcho:
		return fmt.Sprintf("%s: %v", e.Program, ErrEcho)
	case ReasonLost:
		return fmt.Sprintf("handshake with %s: %v", e.Program, lostOf(e.Err))
	case ReasonVersion:
		return fmt.Sprintf("no protocol version in common with %s: %v", e.Program, e.Err)
	default:
		return fmt.Sprintf("handshake with %s: %v", e.Program, e.Err)
	}
}

func (e *OpenError) starting(start *executor.StartError) string {
	if e.Unreachable() {
		return fmt.Sprintf("reaching %s (%s)", start.Where(), start.Phase)
	}
	return fmt.Sprintf("starting %s (%s)", e.Program, start.Phase)
}

// phaseLaunch is the phase of a start over SSH after the connection is
// established.
const phaseLaunch = "start"

// Unreachable reports whether the host could not be reached, verified or logged in
// to, including timeouts, or contact with it was lost. Otherwise the server
// could not be started or did not answer.
func (e *OpenError) Unreachable() bool {
	start := startOf(e.Err)
	tooLate := start != nil && start.Code == executor.StartCancelled && e.Reason == ReasonTimeout
	guarded := e.Exit != nil && lostContact(e.Exit.By)
	return e.Code.Unreachable() || guarded || tooLate && start.Hop != "" && start.Phase != phaseLaunch
}

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

func (s *Session) openFailed(ctx context.Context, err error) error {
	failure := &OpenError{Reason: reasonOf(ctx, err), Elapsed: executor.Elapsed(ctx), Err: err}
	if len(s.cfg.Command.Argv) > 0 {
		failure.Program = s.cfg.Command.Argv[0]
	}
	if start := startOf(err); start != nil {
		failure.notStarted(start)
		if advice := diagnosis.AdviceInstall(s.cfg.Command.Argv); advice != "" && start.Code == executor.StartNotFound {
			failure.Hint = strings.TrimSuffix(advice+"\n"+start.Hint, "\n")
		}
		if start.Code == executor.StartCancelled && errors.Is(context.Cause(ctx), ErrTimeout) {
			failure.Reason = ReasonTimeout
			failure.Hint = "raise --startup-timeout"
		}
		return failure
	}
	r, currentErr := s.current()
	if currentErr != nil {
		return failure
	}
	if failure.Reason == ReasonExited {
		failure.Elapsed = time.Since(r.began)
	}
	evidence := s.shutdown.endFailed(r, failure.Reason)
	failure.Waiting = evidence.waiting
	failure.Stderr, failure.Stray = r.lines.lines()
	if failure.Reason == ReasonExited {
		failure.Exit = evidence.exit
	}
	if failure.Exit != nil && failure.Exit.Start != nil {
		failure.Reason, failure.Err = ReasonStart, failure.Exit.Start
		failure.notStarted(failure.Exit.Start)
		s.Note(failure.Error(), failure.Hint)
		return failure
	}
	if lost := lostOf(err); lost != nil {
		failure.Code, failure.Said, failure.SaidBy, failure.Hint = lost.Code, lost.Said, lost.SaidBy, LostHint(lost)
	} else {
		failure.Hint = strings.Join(hints(s, r, failure, evidence), "\n")
	}
	s.Note(failure.Error(), failure.Hint)
	return failure
}

func (e *OpenError) notStarted(start *executor.StartError) {
	e.Code, e.Said, e.SaidBy, e.Hint = start.Code, start.Said, start.SaidBy, start.Hint
}

func reasonOf(ctx context.Context, err error) Reason {
	var refused *handshakeError
	switch {
	case startOf(err) != nil:
		return ReasonStart
	case lostOf(err) != nil:
		return ReasonLost
	case errors.Is(err, ErrEcho):
		return ReasonEcho
	case errors.As(err, &refused):
		return refused.reason
	case errors.Is(err, ErrTimeout), errors.Is(context.Cause(ctx), ErrTimeout):
		return ReasonTimeout
	case errors.Is(err, ErrEnded), errors.As(err, new(*WriteError)):
		return ReasonExited
	case errors.Is(err, context.Canceled):
		return ReasonCancel
	default:
		return ReasonOther
	}
}

type evidence struct {
	waiting  int  // bytes without a newline
	silent   bool // no stdout at all before its stdin was closed
	buffered bool // messages came only then
	exit     *executor.Exit
}

// endFailed ends a process whose handshake failed by the shutdown sequence; Kill cuts
// that short. After a timeout the wait after close-stdin is short, only to see whether
// responses were buffered.
func (x *shutdown) endFailed(r *run, reason Reason) evidence {
	before := x.s.log.Stats()
	ev := evidence{silent: before.BytesIn == 0, waiting: r.waiting()}
	defer x.clearStep()
	r.settleBroken()
	r.engine.Do(func() { x.lookForContainers(context.Background(), r) })
	if reason == ReasonTimeout {
		x.takeStep(context.Background(), r, executor.EndedByShutdown, executor.StepCloseStdin, bufferedWait)
		ev.buffered = ev.waiting == 0 && x.s.log.Stats().In > before.In
	} else {
		x.takeSteps(context.Background(), r, executor.EndedByShutdown, executor.StepCloseStdin)
	}
	r.mu.Lock()
	ev.exit = r.exit
	r.mu.Unlock()
	x.takeSteps(context.Background(), r, executor.EndedByShutdown, executor.StepTerm)
	_, _ = x.terminate(r, executor.EndedByShutdown) // survivors are logged
	return ev
}
