package history

import (
	"cmp"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"mcpdbg/internal/verify"
)

// Limits of what counts as a change.
const (
	recentRuns  = 5
	leastGrowth = 20  // in milliseconds: less is noise
	leastFactor = 1.5 // of the earlier median
	leastFlips  = 3   // a single outage has two
)

// A Trend compares the runs of a series.
type Trend struct {
	Version int      `json:"mcpdbg_history"`   // 1
	Name    string   `json:"name"`             // of the folder
	Targets int      `json:"targets"`          // of all runs
	Runs    []Run    `json:"runs"`             // the oldest first
	Slower  []Slower `json:"slower,omitempty"` // the largest factor first
	Flaky   []Flaky  `json:"flaky,omitempty"`
	// Strips has the outcomes of each target, a letter for each run, with a limit.
	Strips map[string]string `json:"strips,omitempty"`
	Notes  []string          `json:"notes,omitempty"` // about runs that were not read
}

// A Run is a line of a Trend.
type Run struct {
	ID      string            `json:"id"`
	Started time.Time         `json:"started"`
	OK      bool              `json:"ok"`
	Passed  int               `json:"passed"`
	Failed  int               `json:"failed"`
	Flaky   int               `json:"flaky"`
	Host    int               `json:"host"` // of Failed: by their host
	Phases  map[string]Figure `json:"phases_ms"`
}

// A Figure has percentiles of the targets of a run, in milliseconds.
type Figure struct {
	P50     float64 `json:"p50"`
	P95     float64 `json:"p95"`
	Samples int     `json:"samples"`
}

// A Slower is a target with a phase whose median grew.
type Slower struct {
	ID      string  `json:"id"`
	Phase   string  `json:"phase"`
	Before  float64 `json:"before_ms"`
	Now     float64 `json:"now_ms"`
	Recent  int     `json:"runs"` // of Now
	Earlier int     `json:"runs_before"`
}

// A Flaky is a target whose outcome changes without a change of its server's version.
type Flaky struct {
	ID      string       `json:"id"`
	Changes int          `json:"changes"`  // of the outcome
	Retried int          `json:"retried"`  // runs that passed only at another attempt
	Runs    int          `json:"runs"`     // with a result
	Last    time.Time    `json:"last"`     // failure, or other attempt
	Cause   verify.Cause `json:"cause"`    // of the last failure, if any
	Phase   verify.Phase `json:"in_phase"` // of the last failure, if any
}

// Trend compares the runs. With limit it is about the targets whose id limit accepts, and
// has their strips.
func (s *Series) Trend(limit func(id string) bool) *Trend {
	t := &Trend{Version: 1, Name: filepath.Base(s.folder), Runs: []Run{}, Notes: s.Notes}
	runs := s.Runs
	if limit != nil {
		runs, t.Strips = limited(runs, limit), map[string]string{}
	}
	ids := map[string]bool{}
	index := make([]map[string]*Target, len(runs))
	for i, d := range runs {
		t.Runs = append(t.Runs, runOf(d))
		index[i] = d.byID()
		for id := range index[i] {
			ids[id] = true
		}
	}
	t.Targets = len(ids)
	for id := range ids {
		course := newCourse(id, runs, index)
		t.Slower = append(t.Slower, course.slower()...)
		if flaky := course.flaky(); flaky != nil {
			t.Flaky = append(t.Flaky, *flaky)
		}
		if limit != nil {
			t.Strips[id] = course.strip()
		}
	}
	t.sort()
	return t
}

func (t *Trend) sort() {
	sort.Slice(t.Slower, func(i, j int) bool {
		a, b := &t.Slower[i], &t.Slower[j]
		return cmp.Or(cmp.Compare(b.Now*a.Before, a.Now*b.Before), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Phase, b.Phase)) < 0
	})
	sort.Slice(t.Flaky, func(i, j int) bool {
		a, b := &t.Flaky[i], &t.Flaky[j]
		return cmp.Or(b.Changes+b.Retried-a.Changes-a.Retried, cmp.Compare(a.ID, b.ID)) < 0
	})
}

func limited(runs []*Digest, limit func(id string) bool) []*Digest {
	all := make([]*Digest, len(runs))
	for i, d := range runs {
		one := *d
		one.Targets = slices.DeleteFunc(slices.Clone(d.Targets), func(t Target) bool { return !limit(t.ID) })
		all[i] = &one
	}
	return all
}

func runOf(d *Digest) Run {
	r := Run{ID: d.ID, Started: d.Started, OK: d.OK, Phases: map[string]Figure{}}
	for i := range d.Targets {
		switch t := &d.Targets[i]; {
		case t.Outcome == verify.OutcomePassed:
			r.Passed++
		case t.Outcome == verify.OutcomeFlaky:
			r.Flaky++
		case t.Failed():
			r.Failed++
			if t.Side == verify.SideHost {
				r.Host++
			}
		}
	}
	for _, phase := range Phases {
		if times := d.Times(phase); len(times) > 0 {
			r.Phases[phase] = Figure{P50: Rank(times, 50), P95: Rank(times, 95), Samples: len(times)}
		}
	}
	return r
}

// p95 returns that of the handshakes, which every server has, of each run with any.
func (t *Trend) p95() []float64 {
	var all []float64
	for i := range t.Runs {
		if f, ok := t.Runs[i].Phases["handshake"]; ok {
			all = append(all, f.P95)
		}
	}
	return all
}

// A course is a target in all runs, in which it may be nil.
type course struct {
	id   string
	runs []*Digest
	at   []*Target
}

func newCourse(id string, runs []*Digest, index []map[string]*Target) *course {
	c := &course{id: id, runs: runs, at: make([]*Target, len(runs))}
	for i := range runs {
		c.at[i] = index[i][id]
	}
	return c
}

// slower compares medians of the last runs with those of at least as many earlier ones.
func (c *course) slower() []Slower {
	var all []Slower
	for _, phase := range Phases[1:] {
		var times []float64
		for _, t := range c.at {
			if t != nil {
				if ms, ok := t.Took(phase); ok {
					times = append(times, ms)
				}
			}
		}
		cut := len(times) - recentRuns
		if cut < recentRuns {
			continue
		}
		before, now := Median(times[:cut]), Median(times[cut:])
		if now >= leastFactor*before && now-before >= leastGrowth {
			all = append(all, Slower{ID: c.id, Phase: phase, Before: before, Now: now, Recent: recentRuns, Earlier: cut})
		}
	}
	return all
}

// flaky returns nil for a target that is not flaky. A failed target may have no version,
// which is then that of its last handshake.
func (c *course) flaky() *Flaky {
	f := Flaky{ID: c.id}
	var before *Target
	version := ""
	for i, t := range c.at {
		if t == nil || !t.Known() {
			continue
		}
		f.Runs++
		same := version == "" || t.Server == "" || t.Server == version
		if before != nil && before.Failed() != t.Failed() && same {
			f.Changes++
		}
		if t.Server != "" {
			version = t.Server
		}
		before = t
		switch {
		case t.Failed():
			f.Last, f.Cause, f.Phase = c.runs[i].Started, t.Cause, t.Phase
		case t.Outcome == verify.OutcomeFlaky:
			f.Retried++
			f.Last, f.Cause, f.Phase = c.runs[i].Started, "", ""
		}
	}
	if f.Changes < leastFlips && f.Retried == 0 {
		return nil
	}
	return &f
}

func (c *course) strip() string {
	letters := make([]byte, len(c.at))
	for i, t := range c.at {
		letters[i] = '-'
		if t != nil && t.Known() {
			letters[i] = letterOf[t.Outcome]
		}
	}
	return string(letters)
}

var letterOf = map[verify.Outcome]byte{
	verify.OutcomePassed: '.', verify.OutcomeFailed: 'F', verify.OutcomeFlaky: 'f', verify.OutcomeTolerated: 't',
}
