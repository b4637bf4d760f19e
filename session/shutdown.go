package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// terminateTimeout bounds the last step of every shutdown.
const terminateTimeout = 10 * time.Second

// maxNamed is how many leaked processes an entry names.
const maxNamed = 10

// ShutdownReport describes what a shutdown did and found.
type ShutdownReport struct {
	LastStep  executor.Step         // the last step before the process ended; 0 if no process was running
	Exit      *executor.Exit        // nil if unknown
	Survivors []executor.Descendant // that could not be killed
	// Leaked lists the leaked processes of the server: they were alive
	// executor.SettleTime after its exit, for whatever reason, and were killed
	// by us. It includes those of earlier shutdowns without a report: of a
	// failed Open, of a Restart. It is empty if the executor cannot tell (a
	// plain launch over SSH, a lost connection), and for a server that exited
	// more than executor.Retention before.
	Leaked []executor.Descendant
	// Unseen lists leaked processes that were not seen to end, because the
	// connection was lost.
	Unseen []executor.Descendant
	// Spared are the processes that were left running on request: Command.Leave
	// names them.
	Spared []executor.Descendant
	// CannotTell lists what the shutdown may have missed, one sentence each,
	// such as "container state: cannot tell (started through docker)". It is
	// empty if everything is known.
	CannotTell []string
	// Killed reports whether an earlier process, ended by a Restart, did not
	// exit by itself and was killed with KILL.
	Killed bool
	Lost   *executor.LostError // the connection was lost: nothing more can be done
}

// Shutdown ends the process by the shutdown sequence: close stdin, wait for
// Grace, send TERM to the group, wait for Grace, send KILL to all remaining
// processes. Each step is logged. Shutdown returns as soon as the process is
// gone; leaked processes are killed too. When ctx ends, the sequence goes on
// with KILL at once.
func (s *Session) Shutdown(ctx context.Context) (ShutdownReport, error) {
	s.life.Lock()
	defer s.life.Unlock()
	return s.handOver(s.shutdown(ctx, executor.EndedByShutdown))
}

// handOver moves the problems of all shutdowns since the last report into
// report.
func (s *Session) handOver(report ShutdownReport, err error) (ShutdownReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	report.Leaked, s.leaked = s.leaked, nil
	report.Spared, s.spared = s.spared, nil
	report.CannotTell, s.cannotTell = s.cannotTell, nil
	report.Killed, s.killedOne = s.killedOne, false
	report.Leaked = slices.DeleteFunc(report.Leaked, func(d executor.Descendant) bool { return holds(report.Survivors, d) })
	if report.Lost != nil {
		report.Leaked, report.Unseen = nil, report.Leaked
	}
	return report, err
}

// recordLeaked records the processes that a step reached after the leader had exited.
func (s *Session) recordLeaked(step executor.StopReport) {
	if step.Running {
		return
	}
	found := s.concealNames(step.Signalled)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range found {
		if !holds(s.leaked, d) {
			s.leaked = append(s.leaked, d)
		}
	}
}

func holds(list []executor.Descendant, d executor.Descendant) bool {
	return slices.ContainsFunc(list, func(known executor.Descendant) bool { return known.PID == d.PID })
}

// shutdown is like Shutdown on behalf of by.
func (s *Session) shutdown(ctx context.Context, by executor.EndedBy) (ShutdownReport, error) {
	r, err := s.current()
	if err != nil {
		return ShutdownReport{}, nil // nothing to end
	}
	var report ShutdownReport
	defer s.clearEnding()
	r.settleBroken()
	if !r.over() {
		s.setState(Stopping, StateBody{})
	}
	r.engine.Do(func() { s.lookForContainers(ctx, r) })
	report.LastStep = s.takeSteps(ctx, r, by, executor.StepCloseStdin, executor.StepTerm)
	survivors, err := s.terminate(r, by)
	if r.killed.Load() {
		report.LastStep = executor.StepKill
	}
	report.Survivors = s.concealNames(survivors)
	report.Lost = r.lost()
	r.mu.Lock()
	report.Exit = r.exit
	r.mu.Unlock()
	return report, err
}

// terminate kills the remaining processes of a run, on behalf of by, and waits
// for its last entry. Processes behind a lost connection cannot be reached,
// which is not an error of the shutdown.
func (s *Session) terminate(r *run, by executor.EndedBy) ([]executor.Descendant, error) {
	if r.lost() != nil {
		r.senders.Wait()
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), terminateTimeout)
	defer cancel()
	wasOver := r.over()
	begin := time.Now()
	if !wasOver {
		r.killed.Store(true)
		s.beginStep(executor.StepKill, begin, terminateTimeout)
	}
	a := r.beginAttempt(executor.StepKill, by)
	rep, err := r.proc.Terminate(ctx)
	r.endAttempt(a, rep, err)
	s.recordLeaked(rep)
	s.recordRemains(rep)
	if !wasOver || len(rep.Signalled) > 0 || err != nil {
		s.phase(executor.StepKill.String(), s.killed(rep), time.Since(begin), err)
	}
	if err != nil && r.lost() == nil {
		return rep.Survivors, fmt.Errorf("terminate %s: %w", r.proc.ID(), err)
	}
	if !waitFor(ctx, r.done, terminateTimeout, nil) {
		return rep.Survivors, fmt.Errorf("terminate %s: its streams did not close", r.proc.ID())
	}
	r.senders.Wait()
	return rep.Survivors, nil
}

// killed describes how many processes were killed, with their names if the
// leader had exited before.
func (s *Session) killed(rep executor.StopReport) string {
	text := fmt.Sprintf("%d killed", len(rep.Signalled))
	if rep.Running || len(rep.Signalled) == 0 {
		return text
	}
	var names []string
	for _, d := range s.concealNames(rep.Signalled[:min(len(rep.Signalled), maxNamed)]) {
		names = append(names, strings.TrimSpace(fmt.Sprintf("pid %d %s", d.PID, d.Command)))
	}
	if more := len(rep.Signalled) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return text + ", leaked: " + strings.Join(names, ", ")
}

// Kill ends the process at once, on behalf of a person: leader, group and tree.
// It does not wait for a running shutdown or handshake but ends it.
func (s *Session) Kill() error {
	r, err := s.current()
	if err != nil {
		return err
	}
	s.mu.Lock()
	giveUp := s.cancelOpen
	s.mu.Unlock()
	if giveUp != nil { // no other process takes its place
		giveUp()
	}
	defer s.clearEnding()
	_, err = s.terminate(r, executor.EndedByPerson)
	return err
}

// Stop takes a single step against the process, on behalf of a person. It does
// not wait, not even for a running shutdown.
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

// Restart ends the process by the shutdown sequence, waits until it is closed,
// and opens a new one, with a new id and a sequence from 1, in the same
// session.
func (s *Session) Restart(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	report, err := s.shutdown(ctx, executor.EndedByShutdown)
	if err != nil {
		return err
	}
	if report.LastStep == executor.StepKill && (report.Exit == nil || report.Exit.Kind != executor.ExitCode) {
		s.mu.Lock()
		s.killedOne = true
		s.mu.Unlock()
	}
	return s.open(ctx)
}

// Close ends the process by the shutdown sequence, unless it has ended, and
// closes the session. The log stays open. It is safe to call it twice.
func (s *Session) Close(ctx context.Context) (ShutdownReport, error) {
	s.life.Lock()
	defer s.life.Unlock()
	report, err := s.handOver(s.shutdown(ctx, executor.EndedByShutdown))
	if err != nil {
		return report, err // the caller may retry
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return report, nil
}
