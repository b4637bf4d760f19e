package report

import "fmt"

// Check returns what misses its goal by more than the noise: the ratio, and the
// memory, which hardly depends on the machine. A case that was not measured
// misses nothing.
func (r Result) Check() []string {
	if r.Missing != "" {
		return nil
	}
	var missed []string
	g, ratio := r.Goal, r.Ratio
	if g.AtMost > 0 && ratio.Value*(1-ratio.Noise) > g.AtMost {
		missed = append(missed, fmt.Sprintf("%s: %s of %s, at most %s", r.ID, times(ratio.Value), r.Peer, times(g.AtMost)))
	}
	if g.AtLeast > 0 && ratio.Value*(1+ratio.Noise) < g.AtLeast {
		missed = append(missed, fmt.Sprintf("%s: %s the speed of %s, at least %s", r.ID, times(ratio.Value), r.Peer, times(g.AtLeast)))
	}
	if g.Memory > 0 && r.Ours.Memory > g.Memory {
		missed = append(missed, fmt.Sprintf("%s: %s MiB, at most %s MiB", r.ID, number(r.Ours.Memory), number(g.Memory)))
	}
	return missed
}

// These report whether a goal is reached, whatever the noise is, or absent.

func (r Result) ratioMet() bool {
	g := r.Goal
	return (g.AtMost == 0 || r.Ratio.Value <= g.AtMost) && (g.AtLeast == 0 || r.Ratio.Value >= g.AtLeast)
}

func (r Result) memoryMet() bool { return r.Goal.Memory == 0 || r.Ours.Memory <= r.Goal.Memory }

func (r Result) timeMet() bool {
	return (r.Goal.Wall == 0 || r.Ours.Wall.Median <= r.Goal.Wall) && (r.Goal.Rate == 0 || r.Rate() >= r.Goal.Rate)
}

// Tolerance is the part by which a ratio may be worse than in an earlier run.
const Tolerance = 0.3

// Regressions returns what is worse than in an earlier run by more than the
// tolerance and the noise of both: the ratio of CPU times, the memory, and the
// ratio of times. Cases that only one of the runs has do not count.
func (r Run) Regressions(before Run) map[string][]string {
	worse := map[string][]string{}
	for _, now := range r.Results {
		was, found := before.find(now.ID)
		if !found || was.Missing != "" || now.Missing != "" {
			continue
		}
		if found := regressions(was, now); found != nil {
			worse[now.ID] = found
		}
	}
	return worse
}

func regressions(was, now Result) []string {
	var worse []string
	compare := func(name string, before, after, noise float64) {
		if before > 0 && after > before*(1+Tolerance+noise) {
			worse = append(worse, fmt.Sprintf("%s: %s %s, was %s (+%.0f %%)", now.ID, name, number(after), number(before), 100*(after/before-1)))
		}
	}
	compare("ratio of CPU times", was.CPU.Value, now.CPU.Value, was.CPU.Noise+now.CPU.Noise)
	compare("memory in MiB", was.Ours.Memory, now.Ours.Memory, 0)
	before, after := was.Ratio.Value, now.Ratio.Value
	if now.Speed && before > 0 && after > 0 {
		before, after = 1/before, 1/after
	}
	compare("ratio of times", before, after, was.Ratio.Noise+now.Ratio.Noise)
	return worse
}
