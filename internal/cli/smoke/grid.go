package smoke

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/tui"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
	"mcpdbg/session/via"
	"mcpdbg/ui/widget/grid"
)

var errStopped = errors.New("the run was stopped")

// onScreen shows the run until the user leaves it, and then prints the summary. A signal
// ends screen; ctx also ends when only the run is stopped.
func (r *smokeRun) onScreen(screen, ctx context.Context, o *smokeOutputs) (*verify.Report, error) {
	source := &gridSource{progress: r.progress, phases: r.phases(), endFacts: r.endFacts(o)}
	var result *verify.Report
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, failure = r.do(ctx)
	}()
	err := tui.ShowGrid(screen, r.env, source, tui.Grid{Title: r.title(), Stop: func() { r.stop(errStopped) }, At: r.fleet.at})
	r.stop(errStopped) // no effect after the end of the run
	<-done
	if err = errors.Join(err, failure); err == nil || console.IsSignal(err) {
		err = errors.Join(err, report.Summary(r.env.Stdout, result))
	}
	r.printFiles()
	return result, err
}

func (r *smokeRun) title() string {
	var names []string
	for i := range r.fleet.servers {
		if name := r.fleet.servers[i].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	title := strings.Join(names, ", ")
	if place := via.Place(r.fleet.flags.Via); place != "" {
		title += " (" + place + ")"
	}
	return title
}

func (r *smokeRun) endFacts(o *smokeOutputs) []grid.Fact {
	var facts []grid.Fact
	if folder := r.fleet.recordingsFolder(); folder != "" {
		facts = append(facts, grid.Fact{Label: "recordings", Text: folder})
	}
	if names := o.reports(); names != nil {
		facts = append(facts, grid.Fact{Label: "reports", Text: strings.Join(names, ", ")})
	}
	return facts
}

type gridPhases struct{ here, there []string }

func (r *smokeRun) phases() gridPhases {
	here := []verify.Phase{verify.PhaseStart, verify.PhaseHandshake, verify.PhaseList}
	if r.opts.Scenario != nil {
		here = append(here, verify.PhaseScenario)
	}
	here = append(here, verify.PhaseShutdown)
	if r.opts.Baseline != nil {
		here = append(here, verify.PhaseBaseline)
	}
	var p gridPhases
	p.here = phaseNames(here)
	p.there = append(phaseNames([]verify.Phase{verify.PhaseResolve, verify.PhaseConnect, verify.PhaseHostKey, verify.PhaseAuth}), p.here...)
	return p
}

func phaseNames(phases []verify.Phase) []string {
	names := make([]string, len(phases))
	for i, phase := range phases {
		names[i] = string(phase)
	}
	return names
}

// A gridSource adapts a run's progress to grid.Source.
type gridSource struct {
	progress *progress
	phases   gridPhases
	endFacts []grid.Fact
}

// Changed implements grid.Source.
func (s *gridSource) Changed() <-chan struct{} { return s.progress.Changed() }

// Len implements grid.Source.
func (s *gridSource) Len() int { return len(s.progress.Targets()) }

// Row implements grid.Source.
func (s *gridSource) Row(target int) grid.Row {
	at, one := s.progress.Target(target), s.progress.Targets()[target]
	row := grid.Row{
		Host: cmp.Or(one.Place, one.Host), Server: one.Server, Phases: s.phases.there, Attempt: at.Attempt, Recording: at.Recording,
	}
	if one.Host == verify.Local {
		row.Phases = s.phases.here
	}
	switch {
	case at.Result != nil:
		doneRow(&row, &at)
	case at.Phase != "":
		row.State, row.Phase, row.FailedIn = grid.Running, string(at.Phase), string(at.Failed)
		row.Before = string(at.Before)
		row.Took, row.InPhase = at.Own(time.Now()), time.Since(at.Entered)
	}
	return row
}

func doneRow(row *grid.Row, at *progressRow) {
	r := at.Result
	row.Took = time.Duration(r.DurationMS * float64(time.Millisecond))
	switch {
	case r.Outcome == verify.OutcomeSkipped:
		row.State, row.Message = grid.Skipped, r.Message
		return
	case r.Outcome == verify.OutcomeTolerated:
		row.State, row.Message = grid.Tolerated, report.OneLine(r)
		if r.Phase != verify.PhaseDone {
			row.Phase = string(r.Phase)
		}
		return
	case r.OK:
		row.State, row.Message = grid.Passed, report.OneLine(r)
		if r.Verdict() == verify.VerdictDoubtful {
			row.State = grid.Unsure
		}
		return
	case r.Cause == verify.CauseCancelled:
		row.State = grid.Cancelled
	default:
		row.State, row.Cause = grid.Failed, string(r.Cause)
	}
	row.Message = withoutPlace(r.Message)
	if r.Phase != verify.PhaseDone { // else its log failed the checks
		row.Phase = string(r.Phase)
	}
}

// withoutPlace removes the host: the row shows it, and has little room.
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
	r := s.progress.Target(target).Result
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
	all := s.progress.Totals()
	t := grid.Totals{
		Waiting: all.Waiting, Connecting: all.Connecting, Running: all.Running,
		Passed: all.Counts.Passed - all.Counts.Doubtful, Unsure: all.Counts.Doubtful,
		Failed: all.Counts.Failed, Cancelled: all.Counts.Cancelled + all.Counts.Stopped,
		Tolerated: all.Counts.Tolerated, Skipped: all.Counts.Skipped,
		Newest: all.Newest, Took: time.Since(all.Began), Over: !all.Ended.IsZero(), OK: all.Passed,
	}
	if t.Over {
		t.Took, t.Facts = all.Ended.Sub(all.Began), s.endFacts
	}
	for _, cause := range all.Causes {
		t.Causes = append(t.Causes, grid.Count{Name: string(cause.Cause), N: cause.N})
	}
	return t
}
