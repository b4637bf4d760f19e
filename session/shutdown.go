package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

const (
	// NoteCannotTell is the code of notes about processes that may have leaked
	// without a trace.
	NoteCannotTell = "end.cannot-tell"
	// NoteUnset is the code of the note about a token in a config file that the
	// server got in place of the value of a variable.
	NoteUnset = "config.unset"
)

const (
	// terminateTimeout bounds the last step of every shutdown.
	terminateTimeout = 10 * time.Second
	maxNamed         = 10  // leaked processes that an entry names
	maxSpared        = 100 // spared processes that are remembered
	// bytes of a command line that names a leaked process
	maxNamedCommand = 200
)

// ShutdownReport describes what a shutdown did and found.
type ShutdownReport struct {
	LastStep  executor.Step         // the last step before the process ended; 0 if no process was running
	Exit      *executor.Exit        // nil if unknown
	Survivors []executor.Descendant // that could not be killed
	// Leaked lists the leaked processes: they were alive executor.SettleTime after the
	// exit of the server and were killed by us. It includes those of earlier shutdowns
	// without a report: of a failed Open, of a Restart. It is empty if the executor
	// cannot tell (a plain launch over SSH, a lost connection), and for a server that
	// exited more than executor.Retention before.
	Leaked []executor.Descendant
	// Unseen lists leaked processes that were not seen to end.
	Unseen []executor.Descendant
	// Spared are the processes that were left running on request: Command.Leave
	// names them.
	Spared []executor.Descendant
	// CannotTell lists what the shutdown may have missed, one sentence each; empty if
	// everything is known.
	CannotTell []string
	// Killed reports whether an earlier process, ended by a Restart, did not exit by
	// itself and was killed with KILL.
	Killed bool
	Lost   *executor.LostError // the connection was lost: nothing more can be done
}

// A shutdown ends the processes of a session and keeps what the next report has.
// Its fields are guarded by Session.mu.
type shutdown struct {
	s    *Session
	step ShutdownStep
	skip chan<- struct{} // ends the wait of the step; nil without one

	// All shutdowns since the last report:
	leaked          []executor.Descendant
	spared          []executor.Descendant
	cannotTell      []string
	killedByRestart bool
}

// Shutdown ends the process by the shutdown sequence: close stdin, wait for
// Grace, send TERM to the group, wait for Grace, send KILL to all remaining
// processes. Each step is logged. Shutdown returns as soon as the process is
// gone; leaked processes are killed too. When ctx ends, the sequence goes on
// with KILL at once.
func (s *Session) Shutdown(ctx context.Context) (ShutdownReport, error) {
	s.life.Lock()
	defer s.life.Unlock()
	return s.shutdown.handOver(s.shutdown.run(ctx, executor.EndedByShutdown))
}

// handOver moves what all shutdowns since the last report found into report.
func (x *shutdown) handOver(report ShutdownReport, err error) (ShutdownReport, error) {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	report.Leaked, x.leaked = x.leaked, nil
	report.Spared, x.spared = x.spared, nil
	report.CannotTell, x.cannotTell = x.cannotTell, nil
	report.Killed, x.killedByRestart = x.killedByRestart, false
	report.Leaked = slices.DeleteFunc(report.Leaked, func(d executor.Descendant) bool { return holds(report.Survivors, d) })
	if report.Lost != nil {
		report.Leaked, report.Unseen = nil, report.Leaked
	}
	return report, err
}

func (x *shutdown) recordLeaked(step executor.StopReport) {
	if step.Running {
		return
	}
	found := x.concealNames(step.Signalled)
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	for _, d := range found {
		if !holds(x.leaked, d) {
			x.leaked = append(x.leaked, d)
		}
	}
}

func holds(list []executor.Descendant, d executor.Descendant) bool {
	return slices.ContainsFunc(list, func(known executor.Descendant) bool { return known.PID == d.PID })
}

// run is like Shutdown, on behalf of by.
func (x *shutdown) run(ctx context.Context, by executor.EndedBy) (ShutdownReport, error) {
	r, err := x.s.current()
	if err != nil {
		return ShutdownReport{}, nil // nothing to end
	}
	var report ShutdownReport
	defer x.clearStep()
	r.settleBroken()
	if !r.over() {
		x.s.setState(Stopping, StateBody{})
	}
	r.engine.Do(func() { x.lookForContainers(ctx, r) })
	report.LastStep = x.takeSteps(ctx, r, by, executor.StepCloseStdin, executor.StepTerm)
	survivors, err := x.terminate(r, by)
	if r.killed.Load() {
		report.LastStep = executor.StepKill
	}
	report.Survivors = x.concealNames(survivors)
	report.Lost = r.lost()
	r.mu.Lock()
	report.Exit = r.exit
	r.mu.Unlock()
	return report, err
}

// terminate kills the remaining processes of a run, on behalf of by, and waits for its
// last entry. That it cannot reach processes behind a lost connection is not an error.
func (x *shutdown) terminate(r *run, by executor.EndedBy) ([]executor.Descendant, error) {
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
		x.beginStep(executor.StepKill, begin, terminateTimeout)
	}
	a := r.beginAttempt(executor.StepKill, by)
	rep, err := r.proc.Terminate(ctx)
	r.endAttempt(a, rep, err)
	x.recordLeaked(rep)
	x.recordRemains(rep)
	if !wasOver || len(rep.Signalled) > 0 || err != nil {
		x.s.phase(executor.StepKill.String(), x.killed(rep), time.Since(begin), err)
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

// killed describes how many processes were killed, with their names if they were leaked.
func (x *shutdown) killed(rep executor.StopReport) string {
	text := fmt.Sprintf("%d killed", len(rep.Signalled))
	if rep.Running || len(rep.Signalled) == 0 {
		return text
	}
	var names []string
	for _, d := range x.concealNames(rep.Signalled[:min(len(rep.Signalled), maxNamed)]) {
		names = append(names, strings.TrimSpace(fmt.Sprintf("pid %d %s", d.PID, d.Command)))
	}
	if more := len(rep.Signalled) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return text + ", leaked: " + strings.Join(names, ", ")
}

func (x *shutdown) concealNames(procs []executor.Descendant) []executor.Descendant {
	procs = x.s.conceal(procs)
	for i := range procs {
		procs[i].Command = wording.ClipValid(procs[i].Command, maxNamedCommand, wording.Dots)
	}
	return procs
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
	defer s.shutdown.clearStep()
	_, err = s.shutdown.terminate(r, executor.EndedByPerson)
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
	report, err := s.shutdown.run(ctx, executor.EndedByShutdown)
	if err != nil {
		return err
	}
	if report.LastStep == executor.StepKill && (report.Exit == nil || report.Exit.Kind != executor.ExitCode) {
		s.mu.Lock()
		s.shutdown.killedByRestart = true
		s.mu.Unlock()
	}
	return s.open(ctx)
}

// Close ends the process by the shutdown sequence, unless it has ended, and
// closes the session. The log stays open. It is safe to call it twice.
func (s *Session) Close(ctx context.Context) (ShutdownReport, error) {
	s.life.Lock()
	defer s.life.Unlock()
	report, err := s.shutdown.handOver(s.shutdown.run(ctx, executor.EndedByShutdown))
	if err != nil {
		return report, err // the caller may retry
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return report, nil
}

func (x *shutdown) recordRemains(rep executor.StopReport) {
	if len(rep.Spared) > 0 {
		spared := x.concealNames(rep.Spared)
		x.s.mu.Lock()
		var added []executor.Descendant
		for _, d := range spared {
			if !holds(x.spared, d) && len(x.spared) < maxSpared {
				x.spared, added = append(x.spared, d), append(added, d)
			}
		}
		x.s.mu.Unlock()
		if len(added) > 0 {
			x.s.append(NewEntry(KindProc, 0, ProcBody{Spared: true, Tree: procInfos(added)}))
		}
	}
	for _, reason := range rep.CannotTell {
		x.addCannotTell("leaked processes: cannot tell (" + reason + ")")
	}
}

// addCannotTell logs and remembers it once.
func (x *shutdown) addCannotTell(text string) {
	x.s.mu.Lock()
	known := slices.Contains(x.cannotTell, text)
	if !known {
		x.cannotTell = append(x.cannotTell, text)
	}
	x.s.mu.Unlock()
	if !known {
		x.s.append(NewEntry(KindNote, 0, NoteBody{Text: text, Code: NoteCannotTell}))
	}
}

// Outcome returns one line about which step ended the server, or how it had
// ended before.
func (r *ShutdownReport) Outcome() string {
	how := map[executor.Step]string{
		executor.StepCloseStdin: "when its stdin was closed",
		executor.StepInterrupt:  "after INT",
		executor.StepTerm:       "after TERM",
		executor.StepKill:       "after KILL",
	}[r.LastStep]
	if r.LastStep == executor.StepKill && r.Exit != nil && r.Exit.Kind == executor.ExitCode {
		how = "" // it had exited before: KILL went to other processes
	}
	switch {
	case r.Exit == nil && how == "":
		return "the server had ended"
	case r.Exit == nil:
		return "the server ended " + how
	case r.Exit.By == executor.EndedByShutdown && how != "":
		return fmt.Sprintf("the server ended %s: %s", how, DescribeExit(*r.Exit))
	}
	if EndedFromOutside(r.Exit.By) || r.Exit.By == executor.EndedBySignal {
		return "the server was " + DescribeEnd(*r.Exit)
	}
	return "the server ended: " + DescribeEnd(*r.Exit)
}

// ProcessLines returns a line for each process that the shutdown found besides the
// server (leaked processes that were killed or could not be killed, and
// processes left running on request), and for each thing that it cannot tell.
func (r *ShutdownReport) ProcessLines() []string {
	var lines []string
	add := func(what string, list []executor.Descendant) {
		for _, d := range list {
			lines = append(lines, fmt.Sprintf("%s: pid %d %s", what, d.PID, d.Command))
		}
	}
	add("leaked process (killed)", r.Leaked)
	add("leaked process (connection lost: cannot tell whether it ended)", r.Unseen)
	for _, d := range r.Survivors {
		lines = append(lines, fmt.Sprintf("leaked process (still alive): pid %d %s (kill -9 %d)", d.PID, d.Command, d.PID))
	}
	add("left running (--leave)", r.Spared)
	return append(lines, r.CannotTell...)
}
