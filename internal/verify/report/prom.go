package report

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/verify"
)

// gauges are all metrics, in the order of the file. A node exporter refuses files whose
// help texts for a metric differ, so that they never change.
var gauges = [][2]string{
	{"mcpdbg_target_passed", "1 if the target passed, 0 if it failed; missing if the server was not reached."},
	{"mcpdbg_target_reached", "1 if the server was reached, 0 if its host failed."},
	{"mcpdbg_target_failure", "1 for the side and cause of a failure."},
	{"mcpdbg_target_phase_seconds", "Duration of a completed phase."},
	{"mcpdbg_target_problems", "Number of problems by severity."},
	{"mcpdbg_target_tolerated", "1 if an accepted target covers the failure."},
	{"mcpdbg_run_timestamp_seconds", "End of the run in seconds since 1970."},
	{"mcpdbg_run_duration_seconds", "Duration of the run."},
	{"mcpdbg_run_targets", "Number of targets by outcome."},
	{"mcpdbg_expectation_met", "1 if the run meets the expectation, 0 if not; missing if not checked."},
}

// prom has the samples of each metric.
type prom struct {
	run     string
	samples map[string][]string
	written map[string]bool // names with labels: a repeated one makes the file invalid
}

// Prom writes gauges for the text files of a Prometheus node exporter, which may belong to
// another user: a file gets the mode 0644. run names the series of runs.
func Prom(w io.Writer, r *verify.Report, run string) error {
	if f, ok := w.(interface{ Chmod(fs.FileMode) error }); ok {
		if err := f.Chmod(0o644); err != nil {
			return err
		}
	}
	p := &prom{run: run, samples: map[string][]string{}, written: map[string]bool{}}
	for i := range r.Targets {
		p.target(&r.Targets[i])
	}
	p.whole(r)
	var b strings.Builder
	for _, gauge := range gauges {
		if samples := p.samples[gauge[0]]; samples != nil {
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s", gauge[0], gauge[1], gauge[0], strings.Join(samples, ""))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *prom) target(t *verify.Result) {
	add := func(name string, value float64, labels ...string) {
		p.add(name, value, append([]string{"server", t.Server, "host", t.Host}, labels...)...)
	}
	failed := t.Outcome == verify.OutcomeFailed || t.Outcome == verify.OutcomeTolerated
	if !failed && !t.OK {
		return // nothing is known
	}
	reached := t.Side != verify.SideHost
	add("mcpdbg_target_reached", number(reached))
	if reached {
		add("mcpdbg_target_passed", number(t.OK))
	}
	if failed {
		add("mcpdbg_target_failure", 1, "side", string(t.Side), "cause", string(t.Cause))
	}
	if t.Outcome == verify.OutcomeTolerated {
		add("mcpdbg_target_tolerated", 1)
	}
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Status == verify.Passed && s.Subject == "" && slices.Contains(phases, s.Name) {
			add("mcpdbg_target_phase_seconds", s.DurationMS/1000, "phase", s.Name)
		}
	}
	if reached {
		add("mcpdbg_target_problems", float64(t.Errors), "severity", "error")
		add("mcpdbg_target_problems", float64(t.Warnings), "severity", "warning")
		add("mcpdbg_target_problems", float64(t.Remarks), "severity", "info")
	}
}

func (p *prom) whole(r *verify.Report) {
	p.add("mcpdbg_run_timestamp_seconds", float64(r.Started.UnixMilli())/1000+r.DurationMS/1000)
	p.add("mcpdbg_run_duration_seconds", r.DurationMS/1000)
	c := &r.Counts
	outcomes := map[verify.Outcome]int{
		verify.OutcomePassed: c.Passed, verify.OutcomeFailed: c.Failed, verify.OutcomeFlaky: c.Flaky, verify.OutcomeTolerated: c.Tolerated,
		verify.OutcomeSkipped: c.Skipped, verify.OutcomeStopped: c.Stopped, verify.OutcomeCancelled: c.Cancelled,
	}
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		p.add("mcpdbg_run_targets", float64(outcomes[outcome]), "outcome", string(outcome))
	}
	for _, e := range r.Expectations {
		if e.NotChecked == "" {
			p.add("mcpdbg_expectation_met", number(e.OK), "expect", e.Expect)
		}
	}
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (p *prom) add(name string, value float64, labels ...string) {
	labels = append(labels, "run", p.run)
	var pairs []string
	for i := 0; i < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+escapeLabel.Replace(visible(labels[i+1]))+`"`)
	}
	key := name + "{" + strings.Join(pairs, ",") + "}"
	if !p.written[key] {
		p.written[key] = true
		p.samples[name] = append(p.samples[name], key+" "+strconv.FormatFloat(value, 'g', -1, 64)+"\n")
	}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
