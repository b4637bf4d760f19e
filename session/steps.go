package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// ShutdownStep is the current step of the shutdown sequence.
type ShutdownStep struct {
	Step  executor.Step // 0: no shutdown is running
	Since time.Time     // when the step was taken
	Until time.Time     // when the next step follows, unless the process is gone before
}

// takeSteps takes steps of the shutdown sequence, on behalf of by, until the
// process is gone or ctx is done, and returns the last step taken.
func (s *Session) takeSteps(ctx context.Context, r *run, by executor.EndedBy, steps ...executor.Step) executor.Step {
	var taken executor.Step
	for _, step := range steps {
		if r.over() || ctx.Err() != nil {
			break
		}
		taken = step
		s.takeStep(ctx, r, by, step, Grace)
	}
	return taken
}

// takeStep takes one step and waits until the process is gone, ctx is done, the
// grace is over, or a person skips the wait.
func (s *Session) takeStep(ctx context.Context, r *run, by executor.EndedBy, step executor.Step, grace time.Duration) (gone bool) {
	begin := time.Now()
	skipWait := s.beginStep(step, begin, grace)
	report, err := r.stop(ctx, by, step, executor.ScopeGroup)
	s.recordLeaked(report)
	gone = waitFor(ctx, r.done, grace, skipWait)
	took := time.Since(begin)
	s.phase(step.String(), stepDetail(gone, r, took, report), took, err)
	return gone
}

// stop takes one step on behalf of by.
func (r *run) stop(ctx context.Context, by executor.EndedBy, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	a := r.beginAttempt(step, by)
	report, err := r.proc.Stop(ctx, step, scope)
	r.endAttempt(a, report, err)
	return report, err
}

// stepDetail describes which processes a step was sent to and whether they are
// gone.
func stepDetail(gone bool, r *run, waited time.Duration, report executor.StopReport) string {
	switch {
	case gone:
		return found(report)
	case r.hasExited():
		return joinWords(found(report), "ended, but another process holds its streams")
	default:
		return joinWords(found(report), "still running after "+micros(waited.Microseconds()))
	}
}

// found lists the processes that a step was sent to, if it was more than the
// leader.
func found(report executor.StopReport) string {
	if len(report.Signalled) < 2 {
		return ""
	}
	names := make([]string, len(report.Signalled))
	for i, d := range report.Signalled {
		names[i] = fmt.Sprint(d.PID)
	}
	return "sent to " + strings.Join(names, ", ") + ";"
}

// beginStep shows a step in Status. A message on the returned channel ends the
// wait for it.
func (s *Session) beginStep(step executor.Step, begin time.Time, grace time.Duration) <-chan struct{} {
	skipWait := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = ShutdownStep{Step: step, Since: begin, Until: begin.Add(grace)}
	s.skipWait = skipWait
	return skipWait
}

// clearEnding removes the step from Status.
func (s *Session) clearEnding() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending, s.skipWait = ShutdownStep{}, nil
}

// Escalate is for a key that is pressed until the process is gone. If no
// shutdown is running, it starts one, like Shutdown. Otherwise it makes the
// running shutdown take its next step at once and returns with began false: the
// caller that started the shutdown gets the report. It cancels a running start
// or handshake, which starts the shutdown sequence too.
func (s *Session) Escalate(ctx context.Context) (report ShutdownReport, began bool, err error) {
	if s.skipCurrentWait() {
		return ShutdownReport{}, false, nil
	}
	if !s.life.TryLock() { // a shutdown or a start has just begun or ended
		return ShutdownReport{}, false, nil
	}
	defer s.life.Unlock()
	report, err = s.handOver(s.shutdown(ctx, executor.EndedByPerson))
	return report, true, err
}

// skipCurrentWait skips the wait of a running shutdown or start and reports whether
// there is one.
func (s *Session) skipCurrentWait() bool {
	s.mu.Lock()
	step, skipWait, giveUp := s.ending.Step, s.skipWait, s.cancelOpen
	s.mu.Unlock()
	ending := step == executor.StepKill || skipWait != nil
	if ending && giveUp != nil { // no other process takes the place of the one that ends
		giveUp()
	}
	switch {
	case step == executor.StepKill: // there is no further step
	case skipWait != nil:
		s.Act(ActEscalate, "does not wait for "+step.String(), 0)
		select {
		case skipWait <- struct{}{}:
		default: // pressed twice
		}
	case giveUp != nil:
		s.Act(ActEscalate, "gives up the start", 0)
		giveUp()
	default:
		return false
	}
	return true
}

// waitFor waits until done is closed and reports whether it was. A message on
// skipWait ends the wait.
func waitFor(ctx context.Context, done <-chan struct{}, limit time.Duration, skipWait <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	case <-timer.C:
	case <-skipWait:
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
