package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// terminateTimeout bounds the last step of every ending.
const terminateTimeout = 10 * time.Second

// maxNamed is how many of those that a server left behind an entry names.
const maxNamed = 10

// ShutdownReport is what an ending needed.
type ShutdownReport struct {
	Needed    executor.Step         // the last step before the process ended; 0 if none ran
	Exit      *executor.Exit        // nil if it is not known
	Survivors []executor.Descendant // that could not be killed
	// Left is whom the server left behind: they were alive executor.SettleTime
	// after its own end, however that came, and were killed by us. So were
	// those of endings before this one that nobody was given a report of: a failed
	// Open's, a Restart's. It is empty where an executor cannot tell (a plain
	// launch over SSH, a lost connection), and for a server that had ended more
	// than executor.Retention before.
	Left []executor.Descendant
	// Spared are the processes that were left running on request: Command.Leave
	// names them.
	Spared []executor.Descendant
	// CannotTell says what the ending may have left without a trace, in a sentence
	// each, such as "container state: cannot tell (started through docker)". It is
	// empty where all is known.
	CannotTell []string
	// Killed tells that a process before this one, which a Restart ended, did not
	// end itself and took KILL.
	Killed bool
	Lost   *executor.LostError // the connection was lost: nothing more can be done from here
}

// Shutdown ends the process by the ladder: close stdin, Grace, TERM to the
// group, Grace, KILL to all that is left. Each step is an entry. It returns as
// soon as the process is gone; descendants that it left behind are killed too.
// When ctx ends, the ladder goes on with KILL at once.
func (s *Session) Shutdown(ctx context.Context) (ShutdownReport, error) {
	s.life.Lock()
	defer s.life.Unlock()
	return s.handOver(s.shutdown(ctx, executor.EndedByUs))
}

// handOver adds to a report what only its reader is told.
func (s *Session) handOver(report ShutdownReport, err error) (ShutdownReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	report.Left, s.left = s.left, nil
	report.Spared, s.spared = s.spared, nil
	report.CannotTell, s.cannotTell = s.cannotTell, nil
	report.Killed, s.killedOne = s.killedOne, false
	report.Left = slices.DeleteFunc(report.Left, func(d executor.Descendant) bool { return holds(report.Survivors, d) })
	return report, err
}

// leaves notes whom a step reached though the leader had ended.
func (s *Session) leaves(step executor.StopReport) {
	if step.Running {
		return
	}
	found := s.conceal(step.Signalled)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range found {
		if !holds(s.left, d) {
			s.left = append(s.left, d)
		}
	}
}

func holds(list []executor.Descendant, d executor.Descendant) bool {
	return slices.ContainsFunc(list, func(known executor.Descendant) bool { return known.PID == d.PID })
}

// shutdown is Shutdown on behalf of by.
func (s *Session) shutdown(ctx context.Context, by executor.EndedBy) (ShutdownReport, error) {
	r, err := s.current()
	if err != nil {
		return ShutdownReport{}, nil // nothing to end
	}
	var report ShutdownReport
	defer s.ladderEnds()
	r.settleBroken()
	if !r.over() {
		s.setState(Stopping, StateBody{})
	}
	r.engine.Do(func() { s.lookForContainers(ctx, r) })
	report.Needed = s.descend(ctx, r, by, executor.StepCloseStdin, executor.StepTerm)
	survivors, err := s.terminate(r, by)
	if r.killed.Load() {
		report.Needed = executor.StepKill
	}
	report.Survivors = s.conceal(survivors)
	report.Lost = r.lost()
	r.mu.Lock()
	report.Exit = r.exit
	r.mu.Unlock()
	return report, err
}

// terminate kills the remaining processes of a run, on behalf of by, and waits for
// its last entry. Processes behind a lost connection are out of reach, which is not an
// error of the shutdown.
func (s *Session) terminate(r *run, by executor.EndedBy) ([]executor.Descendant, error) {
	if r.lost() != nil {
		r.postmen.Wait()
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), terminateTimeout)
	defer cancel()
	wasOver := r.over()
	begin := time.Now()
	if !wasOver {
		r.killed.Store(true)
		s.stepBegins(executor.StepKill, begin, terminateTimeout)
	}
	a := r.trying(executor.StepKill, by)
	rep, err := r.proc.Terminate(ctx)
	r.tried(a, rep, err)
	s.leaves(rep)
	s.remains(rep)
	if !wasOver || len(rep.Signalled) > 0 || err != nil {
		s.phase(executor.StepKill.String(), s.killed(rep), time.Since(begin), err)
	}
	if err != nil && r.lost() == nil {
		return rep.Survivors, fmt.Errorf("terminate %s: %w", r.proc.ID(), err)
	}
	if !waitFor(ctx, r.done, terminateTimeout, nil) {
		return rep.Survivors, fmt.Errorf("terminate %s: its streams did not end", r.proc.ID())
	}
	r.postmen.Wait()
	return rep.Survivors, nil
}

// killed says how many were killed, and who they were if the leader was none.
func (s *Session) killed(rep executor.StopReport) string {
	text := fmt.Sprintf("%d killed", len(rep.Signalled))
	if rep.Running || len(rep.Signalled) == 0 {
		return text
	}
	var names []string
	for _, d := range s.conceal(rep.Signalled[:min(len(rep.Signalled), maxNamed)]) {
		names = append(names, strings.TrimSpace(fmt.Sprintf("pid %d %s", d.PID, d.Command)))
	}
	if more := len(rep.Signalled) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return text + ", left behind: " + strings.Join(names, ", ")
}

// Kill ends the process at once, on behalf of a person: leader, group and tree. It
// does not wait for
// a ladder or a handshake that is under way, but ends it.
func (s *Session) Kill() error {
	r, err := s.current()
	if err != nil {
		return err
	}
	defer s.ladderEnds()
	_, err = s.terminate(r, executor.EndedByPerson)
	return err
}

// Stop takes one step against the process, on behalf of a person, and leaves it at
// that. It waits for nothing, also not for a ladder that is under way.
func (s *Session) Stop(ctx context.Context, step executor.Step, scope executor.Scope) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	begin := time.Now()
	report, err := r.stop(ctx, executor.EndedByPerson, step, scope)
	s.phase(step.String(), found(report), time.Since(begin), err)
	return err
}

// Restart ends the process by the ladder, waits until it is closed, and opens
// a new one, with a new id and a sequence from 1, in the same session.
func (s *Session) Restart(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	report, err := s.shutdown(ctx, executor.EndedByUs)
	if err != nil {
		return err
	}
	if report.Needed == executor.StepKill && (report.Exit == nil || report.Exit.Kind != executor.ExitCode) {
		s.mu.Lock()
		s.killedOne = true
		s.mu.Unlock()
	}
	return s.open(ctx)
}

// Close ends the process by the ladder, unless it has ended, and the session
// for good. The log stays open. It is safe to call it twice.
func (s *Session) Close(ctx context.Context) (ShutdownReport, error) {
	s.life.Lock()
	defer s.life.Unlock()
	report, err := s.handOver(s.shutdown(ctx, executor.EndedByUs))
	if err != nil {
		return report, err // may be tried again
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return report, nil
}
