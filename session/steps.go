package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

// ShutdownStep is the current step of the shutdown sequence.
type ShutdownStep struct {
	Step  executor.Step // 0: no shutdown is running
	Since time.Time     // when the step was taken
	Until time.Time     // when the next step follows, unless the process is gone before
}

// takeSteps takes steps until the process is gone or ctx is done, and returns the last
// step taken.
func (x *shutdown) takeSteps(ctx context.Context, r *run, by executor.EndedBy, steps ...executor.Step) executor.Step {
	var taken executor.Step
	for _, step := range steps {
		if r.over() || ctx.Err() != nil {
			break
		}
		taken = step
		x.takeStep(ctx, r, by, step, Grace)
	}
	return taken
}

// takeStep takes one step and waits until the process is gone, ctx is done, the grace is
// over, or a person skips the wait.
func (x *shutdown) takeStep(ctx context.Context, r *run, by executor.EndedBy, step executor.Step, grace time.Duration) (gone bool) {
	begin := time.Now()
	skipWait := x.beginStep(step, begin, grace)
	report, err := r.stop(ctx, by, step, executor.ScopeGroup)
	x.recordLeaked(report)
	gone = waitFor(ctx, r.done, grace, skipWait)
	took := time.Since(begin)
	x.s.phase(step.String(), stepDetail(gone, r, took, report), took, err)
	return gone
}

func (r *run) stop(ctx context.Context, by executor.EndedBy, step executor.Step, scope executor.Scope) (executor.StopReport, error) {
	a := r.beginAttempt(step, by)
	report, err := r.proc.Stop(ctx, step, scope)
	r.endAttempt(a, report, err)
	return report, err
}

func stepDetail(gone bool, r *run, waited time.Duration, report executor.StopReport) string {
	switch {
	case gone:
		return found(report)
	case r.hasExited():
		return wording.Join(" ", found(report), "ended, but another process holds its streams")
	default:
		return wording.Join(" ", found(report), "still running after "+micros(waited.Microseconds()))
	}
}

// found is "" if the step was sent to the leader only.
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

// beginStep shows a step in Status. A message on the returned channel ends the wait for
// it.
func (x *shutdown) beginStep(step executor.Step, begin time.Time, grace time.Duration) <-chan struct{} {
	skipWait := make(chan struct{}, 1)
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.step = ShutdownStep{Step: step, Since: begin, Until: begin.Add(grace)}
	x.skip = skipWait
	return skipWait
}

func (x *shutdown) clearStep() {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.step, x.skip = ShutdownStep{}, nil
}

// Escalate is for a key that is pressed until the process is gone. If no
// shutdown is running, it starts one, like Shutdown. Otherwise it makes the
// running shutdown take its next step at once and returns with began false: the
// caller that started the shutdown gets the report. It cancels a running start
// or handshake, which starts the shutdown sequence too.
func (s *Session) Escalate(ctx context.Context) (report ShutdownReport, began bool, err error) {
	if s.shutdown.skipWait() {
		return ShutdownReport{}, false, nil
	}
	if !s.life.TryLock() { // a shutdown or a start has just begun or ended
		return ShutdownReport{}, false, nil
	}
	defer s.life.Unlock()
	report, err = s.shutdown.handOver(s.shutdown.run(ctx, executor.EndedByPerson))
	return report, true, err
}

// skipWait skips the wait of a running shutdown or start and reports whether there is
// one.
func (x *shutdown) skipWait() bool {
	x.s.mu.Lock()
	step, skipWait, giveUp := x.step.Step, x.skip, x.s.cancelOpen
	x.s.mu.Unlock()
	ending := step == executor.StepKill || skipWait != nil
	if ending && giveUp != nil { // no other process takes the place of the one that ends
		giveUp()
	}
	switch {
	case step == executor.StepKill: // there is no further step
	case skipWait != nil:
		x.s.Act(ActEscalate, "does not wait for "+step.String(), 0)
		select {
		case skipWait <- struct{}{}:
		default: // pressed twice
		}
	case giveUp != nil:
		x.s.Act(ActEscalate, "gives up the start", 0)
		giveUp()
	default:
		return false
	}
	return true
}

// waitFor reports whether done is closed in time. A message on skipWait ends the wait.
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
