package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A Goal is for a case. Zero values do not count.
type Goal struct {
	// AtMost limits mcpdbg's time, in times of the peer's.
	AtMost float64 `json:"at_most,omitempty"`
	// AtLeast is the least speed as a part of the peer's; the ratio is then that of
	// speeds.
	AtLeast float64 `json:"at_least,omitempty"`
	// Memory in MiB, Wall in ms and Rate in MB per second of CPU time are goals of mcpdbg
	// alone. Check ignores Wall and Rate, which depend on the machine.
	Memory float64 `json:"memory_mib,omitempty"`
	Wall   float64 `json:"wall_ms,omitempty"`
	Rate   float64 `json:"mb_per_cpu_s,omitempty"`
}

// A Result is a case: mcpdbg and a peer in alternating rounds.
type Result struct {
	ID   string `json:"id"`
	What string `json:"what"`
	Peer string `json:"peer"`
	// Missing is why it was not measured, and what to install.
	Missing string `json:"missing,omitempty"`

	Rounds int    `json:"rounds,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"` // per run, read or written; 0 if that does not matter
	Ours   Series `json:"mcpdbg"`
	Peers  Series `json:"peers"`
	Ratio  Ratio  `json:"ratio"`     // of speeds if Goal.AtLeast or Speed is set, else of times
	CPU    Ratio  `json:"cpu_ratio"` // of CPU times, always mcpdbg by peer
	Speed  bool   `json:"speed,omitempty"`
	Goal   Goal   `json:"goal"`
}

// NewResult takes samples in the order of the rounds.
func NewResult(r Result, ours, peers []Sample) Result {
	r.Rounds = min(len(ours), len(peers))
	r.Ours, r.Peers = seriesOf(ours), seriesOf(peers)
	r.Speed = r.Speed || r.Goal.AtLeast > 0
	if r.Speed {
		r.Ratio = pairwise(peers, ours, Sample.wall)
	} else {
		r.Ratio = pairwise(ours, peers, Sample.wall)
	}
	r.CPU = pairwise(ours, peers, Sample.cpu)
	return r
}

// Rate is in MB per second of CPU time of mcpdbg, or 0.
func (r Result) Rate() float64 {
	if r.Bytes == 0 || r.Ours.CPU.Median == 0 {
		return 0
	}
	return float64(r.Bytes) / 1e6 / (r.Ours.CPU.Median / 1e3)
}

// A Run is one run of all cases.
type Run struct {
	Date    string   `json:"date"`
	Machine string   `json:"machine"`
	Program string   `json:"program"` // its version
	Results []Result `json:"results"`
}

func (r Run) find(id string) (Result, bool) {
	for _, result := range r.Results {
		if result.ID == id {
			return result, true
		}
	}
	return Result{}, false
}

// A Report is the committed file: the full form for the documents, and the short form for
// comparison with later runs.
type Report struct {
	Full  Run `json:"full"`
	Short Run `json:"short"`
}

// Read returns an empty report without a file.
func Read(path string) (Report, error) {
	var r Report
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("read %s: not a report: %w", path, err)
	}
	return r, nil
}

// Write writes a report.
func (r Report) Write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// Update replaces the results of the cases in next, and keeps the others: --run measures
// some cases only. Results of cases that are not in order are dropped.
func (r Run) Update(next Run, order []string) Run {
	merged := Run{Date: next.Date, Machine: next.Machine, Program: next.Program}
	for _, id := range order {
		result, found := next.find(id)
		if !found {
			result, found = r.find(id)
		}
		if found {
			merged.Results = append(merged.Results, result)
		}
	}
	return merged
}

// Check returns what misses its goal by more than the noise: the ratio, and the memory,
// which hardly depends on the machine. Unmeasured cases miss nothing.
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

// tolerance is how much worse a ratio may be than in an earlier run.
const tolerance = 0.3

// Regressions returns what is worse than earlier by more than the tolerance and the noise
// of both: the ratio of CPU times, the memory, and the ratio of times. Cases of only one
// run do not count.
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
		if before > 0 && after > before*(1+tolerance+noise) {
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
