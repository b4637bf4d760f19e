package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// Ending is the step of the shutdown ladder that is under way.
type Ending struct {
	Step  executor.Step // 0: no ladder is under way
	Since time.Time     // when the step was taken
	Until time.Time     // when the next one is, unless the process is gone before
}

// descend takes steps of the ladder, on behalf of by, until the process is gone or
// ctx over, and returns the last one.
func (s *Session) descend(ctx context.Context, r *run, by executor.EndedBy, steps ...executor.Step) executor.Step {
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

// takeStep takes one step and waits for what it does: until the process is
// gone, ctx or the grace is over, or a person does not want to wait any more.
func (s *Session) takeStep(ctx context.Context, r *run, by executor.EndedBy, step executor.Step, grace time.Duration) (gone bool) {
	begin := time.Now()
	hurry := s.stepBegins(step, begin, grace)
	report, err := r.stop(ctx, by, step, executor.ScopeGroup)
	s.leaves(report)
	gone = waitFor(ctx, r.done, grace, hurry)
	took := time.Since(begin)
	s.phase(step.String(), stepDetail(gone, r, took, report), took, err)
	return gone
}

// stop takes one step on behalf of by.
func (r *run) stop(ctx context.Context, by executor.EndedBy, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	a := r.trying(step, by)
	report, err := r.proc.Stop(ctx, step, scope)
	r.tried(a, report, err)
	return report, err
}

// stepDetail says whom a step was sent to, and what is left of the process.
func stepDetail(gone bool, r *run, waited time.Duration, report executor.StopReport) string {
	switch {
	case gone:
		return found(report)
	case r.hasExited():
		return joinWords(found(report), "ended, but a descendant holds its streams")
	default:
		return joinWords(found(report), fmt.Sprintf("still running after %v", waited.Round(time.Millisecond)))
	}
}

// found says whom a step was sent to, if it was more than the leader.
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

// stepBegins shows a step in Status. What it returns tells that the wait for it
// is to end.
func (s *Session) stepBegins(step executor.Step, begin time.Time, grace time.Duration) <-chan struct{} {
	hurry := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = Ending{Step: step, Since: begin, Until: begin.Add(grace)}
	s.hurry = hurry
	return hurry
}

// ladderEnds takes the ladder out of Status.
func (s *Session) ladderEnds() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending, s.hurry = Ending{}, nil
}

// Escalate is for a key that is pressed until the process is gone. Without an
// ending under way it begins one, and is Shutdown. With one it has the ladder
// take its next step at once, whoever began it, and returns: began is false,
// and who began it gets the report. A start or handshake under way it gives up,
// which begins the ladder too.
func (s *Session) Escalate(ctx context.Context) (report ShutdownReport, began bool, err error) {
	if s.hurryUp() {
		return ShutdownReport{}, false, nil
	}
	if !s.life.TryLock() { // an ending or a start is just about to begin, or over
		return ShutdownReport{}, false, nil
	}
	defer s.life.Unlock()
	report, err = s.handOver(s.shutdown(ctx, executor.EndedByPerson))
	return report, true, err
}

// hurryUp shortens what is under way, and tells whether anything is.
func (s *Session) hurryUp() bool {
	s.mu.Lock()
	step, hurry, giveUp := s.ending.Step, s.hurry, s.giveUpOpen
	s.mu.Unlock()
	switch {
	case step == executor.StepKill: // there is nothing harder
	case hurry != nil:
		s.Act(ActEscalate, "does not wait for "+step.String(), 0)
		select {
		case hurry <- struct{}{}:
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

// waitFor waits until done is closed and tells whether it was. A message on
// hurry ends the wait.
func waitFor(ctx context.Context, done <-chan struct{}, limit time.Duration, hurry <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	case <-timer.C:
	case <-hurry:
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
