// Package history keeps a digest of each run in a folder, and compares runs: since when a
// target fails, what became slower, and what is flaky. A folder is a series.
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

// Total is the name of the whole duration of a target, without waiting.
const Total = "total"

// Phases are the times of a digest, in its order.
var Phases = []string{Total, "connect", "auth", "start", "handshake", "list", "ping", "scenario", "shutdown"}

// Limits of a digest.
const (
	maxID      = 76 // bytes of a target's id, so that a target needs at most 250 bytes
	maxVersion = 20
	maxFile    = 16 << 20
	maxTargets = 20_000
	maxText    = 1024 // bytes of any text that is read
)

// A Digest is a run in a series.
type Digest struct {
	Version    int       `json:"mcpdbg_digest"` // 1
	ID         string    `json:"id"`            // as verify.NewID
	Name       string    `json:"name,omitempty"`
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	OK         bool      `json:"ok"`
	Targets    []Target  `json:"targets"`
}

// A Target is a target of a Digest.
type Target struct {
	ID      string         `json:"id"` // keyOf that of the report
	Outcome verify.Outcome `json:"o"`
	Side    verify.Side    `json:"side,omitempty"`
	Cause   verify.Cause   `json:"cause,omitempty"`
	Phase   verify.Phase   `json:"in,omitempty"` // of a failure
	Server  string         `json:"v,omitempty"`  // version
	MS      []float64      `json:"ms,omitempty"` // by Phases; -1 if not completed
}

// keyOf returns the id of a target in a digest: a long one is shortened, with a hash.
func keyOf(id string) string {
	id = termsafe.Line(id)
	if len(id) <= maxID {
		return id
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, id) // never fails
	return fmt.Sprintf("%s#%016x", wording.Cut(id, maxID-17), h.Sum64())
}

// Of makes the digest of a settled report.
func Of(r *verify.Report) *Digest {
	d := &Digest{
		Version: 1, ID: r.ID, Name: wording.Clip(termsafe.Line(r.Name), maxText, wording.Ellipsis), Started: r.Started.UTC(), DurationMS: r.DurationMS,
		OK: r.OK, Targets: make([]Target, len(r.Targets)),
	}
	for i := range r.Targets {
		d.Targets[i] = targetOf(&r.Targets[i])
	}
	return d
}

func targetOf(r *verify.Result) Target {
	server := r.First()
	t := Target{ID: keyOf(r.ID), Outcome: r.Outcome, Side: r.Side, Cause: r.Cause, Server: wording.Cut(termsafe.Line(server.Version), maxVersion)}
	if t.Failed() {
		t.Phase = r.Phase
	}
	last := 0
	t.MS = make([]float64, len(Phases))
	for i, phase := range Phases {
		t.MS[i] = -1
		if ms, ok := completed(r, phase); ok {
			t.MS[i], last = rounded(ms), i+1
		}
	}
	t.MS = t.MS[:last]
	return t
}

// completed excludes steps that failed: when they ended is not how long they take.
func completed(r *verify.Result, phase string) (float64, bool) {
	if phase == Total {
		return r.DurationMS, r.OK
	}
	at := slices.IndexFunc(r.Steps, func(s verify.Step) bool {
		return s.Name == phase && s.Subject == "" && s.Status == verify.Passed
	})
	if at < 0 {
		return 0, false
	}
	return r.Steps[at].DurationMS, true
}

// Four digits are enough to compare.
func rounded(ms float64) float64 {
	if ms >= 100 {
		return math.Round(ms)
	}
	return math.Round(10*ms) / 10
}

// Failed reports whether the target failed, tolerated or not.
func (t *Target) Failed() bool {
	return t.Outcome == verify.OutcomeFailed || t.Outcome == verify.OutcomeTolerated
}

// Known reports whether the run has a result for the target.
func (t *Target) Known() bool {
	return t.Failed() || t.Outcome == verify.OutcomePassed || t.Outcome == verify.OutcomeFlaky
}

// Took returns the time of one of Phases in milliseconds, if it was completed.
func (t *Target) Took(phase string) (float64, bool) {
	i := slices.Index(Phases, phase)
	if i < 0 || i >= len(t.MS) || t.MS[i] < 0 {
		return 0, false
	}
	return t.MS[i], true
}

// Target returns a target by the id of the report, or nil.
func (d *Digest) Target(id string) *Target {
	key := keyOf(id)
	for i := range d.Targets {
		if d.Targets[i].ID == key {
			return &d.Targets[i]
		}
	}
	return nil
}

// Times returns the times of a phase, sorted.
func (d *Digest) Times(phase string) []float64 {
	var all []float64
	for i := range d.Targets {
		if ms, ok := d.Targets[i].Took(phase); ok {
			all = append(all, ms)
		}
	}
	slices.Sort(all)
	return all
}

// Rank returns a percentile of sorted values by nearest rank. There must be a value.
func Rank(sorted []float64, percent int) float64 {
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}

// Median returns the median of values by nearest rank, 0 without any.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return Rank(slices.Sorted(slices.Values(values)), 50)
}

// marker begins each digest.
const marker = `{"mcpdbg_digest":1,`

// write writes a line for each target, after one for the run.
func (d *Digest) write(w io.Writer) error {
	head := *d
	head.Targets = nil
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	text = append(bytes.TrimSuffix(text, []byte("null}")), '[')
	for i := range d.Targets {
		line, err := json.Marshal(&d.Targets[i])
		if err != nil {
			return err
		}
		text = append(append(text, separators[min(i, 1)]...), line...)
	}
	_, err = w.Write(append(text, "]}\n"...))
	return err
}

var separators = [2]string{"\n", ",\n"}

// read reads a digest of untrusted bytes.
func read(r io.Reader) (*Digest, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxFile:
		return nil, fmt.Errorf("larger than %d bytes", maxFile)
	}
	var d Digest
	if err := framing.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	return &d, d.check()
}

func (d *Digest) check() error {
	switch {
	case d.Version == 0:
		return errors.New("not a digest of a run")
	case d.Version != 1:
		return fmt.Errorf("unsupported version %d (supported: 1)", d.Version)
	case !isID(d.ID):
		return fmt.Errorf("invalid id %.40q", d.ID)
	case len(d.Targets) > maxTargets:
		return fmt.Errorf("more than %d targets", maxTargets)
	case len(d.Name) > maxText:
		return errors.New("the name is too long")
	}
	for i := range d.Targets {
		t := &d.Targets[i]
		if len(t.ID)+len(t.Outcome)+len(t.Side)+len(t.Cause)+len(t.Phase)+len(t.Server) > maxText || len(t.MS) > len(Phases) {
			return fmt.Errorf("target %d is too long", i+1)
		}
	}
	return nil
}

// isID reports whether a text is an id that verify.NewID makes. Only such a one is part
// of a path.
func isID(id string) bool {
	date, random, ok := strings.Cut(id, "-")
	if _, err := time.Parse("20060102T150405Z", date); err != nil || !ok || len(random) != 6 {
		return false
	}
	return strings.Trim(random, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
