package expect

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/history"
	"mcpdbg/internal/wording"
)

// Limits of a comparison with the history.
const (
	lastRuns    = 20 // whose passed ones are compared
	leastRuns   = 5
	leastGrowth = 20 // milliseconds: less is noise
)

// Run checks the expectations of a settled run. The series may be nil.
func Run(all []*Expect, r *verify.Report, s *history.Series) []verify.Expectation {
	var results []verify.Expectation
	for _, e := range all {
		results = append(results, e.check(r, s, ""))
	}
	return results
}

// Target checks the expectations of one target of a settled run, and returns a step for
// each.
func Target(all []*Expect, r *verify.Report, target int, s *history.Series) []verify.Step {
	one := *r
	one.Targets = r.Targets[target : target+1]
	var steps []verify.Step
	for _, e := range all {
		result := e.check(&one, s, one.Targets[0].ID)
		step := verify.Step{Name: verify.StepExpect, Subject: e.text, Status: verify.Passed}
		switch {
		case result.NotChecked != "":
			step.Status, step.Reason = verify.NotChecked, result.NotChecked
		case !result.OK:
			step.Status, step.Severity, step.Reason = verify.Failed, "error", "measured: "+result.Value
		}
		steps = append(steps, step)
	}
	return steps
}

func (e *Expect) check(r *verify.Report, s *history.Series, target string) verify.Expectation {
	result := verify.Expectation{Expect: e.text}
	switch e.kind {
	case ofWord:
		e.checkWords(r, &result)
		return result
	case ofShare:
		e.checkShare(r, s, &result)
		return result
	}
	values := e.values(r)
	result.Samples = len(values)
	figure, ok := e.figure(values)
	switch least := map[string]int{"p95": 20, "p99": 100}[e.stat]; {
	case len(values) < max(least, 1) && least > 0:
		result.NotChecked = fmt.Sprintf("%s of %d required for %s", wording.Plural(len(values), "sample"), least, e.stat)
		return result
	case !ok:
		result.NotChecked = "no samples"
		return result
	}
	limit := e.value
	result.Value = e.format(figure)
	if e.past {
		e.checkPast(r, s, target, figure, &result)
		return result
	}
	result.OK = e.holds(figure, limit)
	return result
}

// values are sorted.
func (e *Expect) values(r *verify.Report) []float64 {
	if e.kind == ofTime && e.metric == history.Total || slices.Contains(history.Phases, e.metric) {
		return history.Of(r).Times(e.metric)
	}
	var all []float64
	for i := range r.Targets {
		all = append(all, e.valuesOf(&r.Targets[i])...)
	}
	slices.Sort(all)
	return all
}

func (e *Expect) valuesOf(t *verify.Result) []float64 {
	if e.kind == ofCount {
		n := map[string]*int{"tools": t.Offers.Tools, "resources": t.Offers.Resources, "templates": t.Offers.Templates, "prompts": t.Offers.Prompts}[e.metric]
		if n == nil {
			return nil
		}
		return []float64{float64(*n)}
	}
	step, subject := verify.StepCall, e.name
	if list, ok := strings.CutSuffix(e.metric, "/list"); ok {
		step, subject = verify.StepList, list
	}
	var all []float64
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Name == step && s.Subject != "" && (subject == "" || s.Subject == subject) && s.Status == verify.Passed {
			all = append(all, s.DurationMS)
		}
	}
	return all
}

// figure returns the statistic, or without one the worst value.
func (e *Expect) figure(sorted []float64) (float64, bool) {
	if len(sorted) == 0 {
		return 0, false
	}
	switch e.stat {
	case "avg":
		sum := 0.0
		for _, v := range sorted {
			sum += v
		}
		return sum / float64(len(sorted)), true
	case "":
		return e.worst(sorted), true
	}
	return history.Rank(sorted, stats[e.stat]), true
}

func (e *Expect) worst(sorted []float64) float64 {
	for _, v := range sorted {
		if (e.op == "=" || e.op == "!=") && !e.holds(v, e.value) {
			return v
		}
	}
	if strings.HasPrefix(e.op, ">") {
		return sorted[0]
	}
	return sorted[len(sorted)-1]
}

func (e *Expect) holds(value, limit float64) bool {
	switch e.op {
	case "<":
		return value < limit
	case "<=":
		return value <= limit
	case ">":
		return value > limit
	case ">=":
		return value >= limit
	case "=":
		return value == limit
	}
	return value != limit
}

func (e *Expect) format(value float64) string {
	switch {
	case e.kind == ofTime:
		return wording.Took(int64(value * 1000))
	case e.kind == ofShare && (e.whole || e.past):
		return strconv.FormatFloat(100*value, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// checkPast compares with the median of the same figure of the passed runs among the last.
func (e *Expect) checkPast(r *verify.Report, s *history.Series, target string, figure float64, result *verify.Expectation) {
	var figures []float64
	if s != nil {
		for _, d := range s.Before(r, lastRuns) {
			if value, ok := e.earlier(d, target); ok {
				figures = append(figures, value)
			}
		}
	}
	median := history.Median(figures)
	switch {
	case len(figures) < leastRuns:
		result.NotChecked = fmt.Sprintf("%s of %d passed runs required in the history", strconv.Itoa(len(figures)), leastRuns)
		return
	case e.holds(figure, e.value*median):
		result.OK = true
	case e.kind == ofTime && figure-median < leastGrowth && figure > median:
		result.NotChecked = fmt.Sprintf("grew by %s only, from %s", e.format(figure-median), e.format(median))
		return
	}
	result.Value += fmt.Sprintf(", median of %d passed runs %s", len(figures), e.format(median))
	if median > 0 {
		result.Value += fmt.Sprintf(", %.1fx", figure/median)
	}
}

func (e *Expect) earlier(d *history.Digest, target string) (float64, bool) {
	if target != "" {
		t := d.Target(target)
		if t == nil || t.Outcome != verify.OutcomePassed {
			return 0, false
		}
		return t.Took(e.metric)
	}
	if !d.OK {
		return 0, false
	}
	if e.kind == ofShare {
		share, of := e.share(d)
		return share / max(of, 1), of > 0
	}
	return e.figure(d.Times(e.metric))
}

// share returns the number of targets, and of those with a result.
func (e *Expect) share(d *history.Digest) (n, of float64) {
	for i := range d.Targets {
		t := &d.Targets[i]
		if !t.Known() {
			continue
		}
		of++
		if e.metric == "failed" && t.Failed() || e.metric == "host" && t.Failed() && t.Side == verify.SideHost || e.metric == "flaky" && t.Outcome == verify.OutcomeFlaky {
			n++
		}
	}
	return n, of
}

func (e *Expect) checkShare(r *verify.Report, s *history.Series, result *verify.Expectation) {
	n, of := e.share(history.Of(r))
	result.Samples = int(of)
	if of == 0 {
		result.NotChecked = "no samples"
		return
	}
	if e.whole || e.past {
		n /= of
	}
	result.Value = e.format(n)
	if e.past {
		e.checkPast(r, s, "", n, result)
		return
	}
	result.OK = e.holds(n, e.value)
}

// checkWords checks each handshake.
func (e *Expect) checkWords(r *verify.Report, result *verify.Expectation) {
	result.OK = true
	for i := range r.Targets {
		t := &r.Targets[i]
		server := t.First()
		word := map[string]string{"version": server.Version, "server": server.Name, "protocol": server.Protocol, "era": server.Era}[e.metric]
		if len(t.Servers) == 0 {
			continue
		}
		result.Samples++
		matches, _ := path.Match(e.glob, word) // valid: Parse checked it
		if !result.OK {
			continue
		}
		result.Value = word
		if result.OK = matches == (e.op == "="); !result.OK && len(r.Targets) > 1 {
			result.Value += " on " + t.ID
		}
	}
	if result.Samples == 0 {
		result.OK, result.NotChecked = false, "no samples"
	}
}
