package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"mcpdbg/internal/smoke"
	"mcpdbg/internal/smoke/report"
	"mcpdbg/ui/grid"
)

// errStopped is why the targets of a run that the person ended are cancelled.
var errStopped = errors.New("the run was stopped")

// onScreen shows the run while it goes on, until the person leaves it, and then
// prints what it all came to. screen is what a signal ends, ctx also what ends
// the run alone.
func (r *smokeRun) onScreen(screen, ctx context.Context, o *smokeOutputs) (*smoke.Report, error) {
	source := &gridSource{smokeBoard: r.board, phases: r.phases(), said: r.said(o)}
	var result *smoke.Report
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, failure = r.do(ctx)
	}()
	err := r.app.gridScreen(screen, r.fleet, source, r.title(), func() { r.stop(errStopped) })
	r.stop(errStopped) // of a run that is over nothing is left to be stopped
	<-done
	if err = errors.Join(err, failure); err == nil || isSignal(err) {
		err = errors.Join(err, report.Summary(r.app.stdout, result))
	}
	r.tellFiles()
	return result, err
}

func isSignal(err error) bool {
	_, ok := errors.AsType[*signalError](err)
	return ok
}

// title says what is tested.
func (r *smokeRun) title() string {
	var names []string
	for i := range r.fleet.servers {
		names = append(names, r.fleet.servers[i].name)
	}
	return strings.Join(names, ", ")
}

// said is what the screen says of the whole run once it is over.
func (r *smokeRun) said(o *smokeOutputs) []grid.Fact {
	var facts []grid.Fact
	if folder := r.fleet.shelf(); folder != "" {
		facts = append(facts, grid.Fact{Label: "recordings", Text: folder})
	}
	if names := o.reports(); names != nil {
		facts = append(facts, grid.Fact{Label: "reports", Text: strings.Join(names, ", ")})
	}
	return facts
}

// gridPhases are the phases of targets on this machine, and elsewhere.
type gridPhases struct{ here, there []string }

func (r *smokeRun) phases() gridPhases {
	here := []smoke.Phase{smoke.PhaseStart, smoke.PhaseHandshake, smoke.PhaseList}
	if r.opts.Scenario != nil {
		here = append(here, smoke.PhaseScenario)
	}
	here = append(here, smoke.PhaseShutdown)
	if r.opts.Baseline != nil {
		here = append(here, smoke.PhaseBaseline)
	}
	var p gridPhases
	p.here = phaseNames(here)
	p.there = append(phaseNames([]smoke.Phase{smoke.PhaseResolve, smoke.PhaseConnect, smoke.PhaseHostKey, smoke.PhaseAuth}), p.here...)
	return p
}

func phaseNames(phases []smoke.Phase) []string {
	names := make([]string, len(phases))
	for i, phase := range phases {
		names[i] = string(phase)
	}
	return names
}

// A gridSource is a board as the screen shows it. It implements grid.Source.
type gridSource struct {
	*smokeBoard
	phases gridPhases
	said   []grid.Fact
}

// Len implements grid.Source.
func (s *gridSource) Len() int { return len(s.targets) }

// Row implements grid.Source.
func (s *gridSource) Row(target int) grid.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, one := &s.rows[target], s.targets[target]
	row := grid.Row{
		Host: one.Host, Server: one.Server, Phases: s.phases.there, Attempt: at.attempt, Recording: at.recording,
	}
	if one.Host == smoke.Local {
		row.Phases = s.phases.here
	}
	switch {
	case at.result != nil:
		doneRow(&row, at)
	case at.phase != "":
		row.State, row.Phase, row.FailedIn = grid.Running, string(at.phase), string(at.failed)
		row.Before = string(at.before)
		row.Took, row.InPhase = time.Since(at.began), time.Since(at.entered)
	}
	return row
}

// doneRow is the row of a target that is done.
func doneRow(row *grid.Row, at *boardRow) {
	r := at.result
	row.Took = at.ended.Sub(at.began)
	switch {
	case r.OK:
		row.State, row.Message = grid.Passed, report.Text(r)
		return
	case r.Cause == smoke.CauseCancelled:
		row.State = grid.Cancelled
	default:
		row.State, row.Cause = grid.Failed, string(r.Cause)
	}
	row.Message = withoutPlace(r.Message)
	if r.Phase != smoke.PhaseDone { // after all phases, its log was found wanting
		row.Phase = string(r.Phase)
	}
}

// withoutPlace is the message of a failed start without where that was: the row
// says so, and what went wrong may be all that it has room for.
func withoutPlace(message string) string {
	if rest, ok := strings.CutPrefix(message, "start on "); ok {
		if _, what, ok := strings.Cut(rest, ": "); ok {
			return what
		}
	}
	return strings.TrimPrefix(message, "start: ")
}

// About implements grid.Source.
func (s *gridSource) About(target int) []grid.Fact {
	s.mu.Lock()
	r := s.rows[target].result
	s.mu.Unlock()
	if r == nil {
		return nil
	}
	var facts []grid.Fact
	for _, fact := range report.About(r) {
		facts = append(facts, grid.Fact(fact))
	}
	return facts
}

// Totals implements grid.Source.
func (s *gridSource) Totals() grid.Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := grid.Totals{
		Waiting: s.stages[waits], Connecting: s.stages[reaches], Running: s.stages[runs], Passed: s.counts.Passed, Failed: s.counts.Failed,
		Cancelled: s.counts.Cancelled, Newest: s.newest(), Took: time.Since(s.began), Over: !s.ended.IsZero(),
	}
	if t.Over {
		t.Took, t.Said = s.ended.Sub(s.began), s.said
	}
	for _, cause := range s.failures() {
		t.Causes = append(t.Causes, grid.Count{Name: string(cause), N: s.causes[cause]})
	}
	return t
}
