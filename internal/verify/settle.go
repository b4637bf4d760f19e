package verify

import (
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// An Outcome is how a target ended.
type Outcome string

// The outcomes.
const (
	OutcomePassed    Outcome = "passed"
	OutcomeFailed    Outcome = "failed"
	OutcomeFlaky     Outcome = "flaky"     // passed only at another attempt or repetition
	OutcomeTolerated Outcome = "tolerated" // failed, and an accepted target covers it
	OutcomeSkipped   Outcome = "skipped"   // by the hosts file
	OutcomeStopped   Outcome = "stopped"   // never begun
	OutcomeCancelled Outcome = "cancelled" // neither passed nor failed
)

// A Side is where the reason of a failure is.
type Side string

// The sides.
const (
	SideHost   Side = "host" // nothing is known about the server
	SideServer Side = "server"
)

// A Plan identifies all targets of a run, of which this may be a shard.
type Plan struct {
	Hash    string   `json:"hash,omitempty"` // of the sorted ids and the number of shards
	Targets int      `json:"targets"`
	Shard   *Shard   `json:"shard,omitempty"`
	IDs     []string `json:"ids,omitempty"`     // of the whole plan, in the report of a shard
	Limited bool     `json:"limited,omitempty"` // by --limit
}

// Part reports whether targets of the plan are missing from the run.
func (p *Plan) Part() bool { return p.Shard != nil || p.Limited }

// A Shard is a part of a plan.
type Shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`
}

// Counts are the numbers of targets by Outcome, and of failures by Side and Cause.
type Counts struct {
	Passed    int           `json:"passed"`
	Failed    int           `json:"failed"`
	Flaky     int           `json:"flaky"`
	Tolerated int           `json:"tolerated"`
	Skipped   int           `json:"skipped"`
	Stopped   int           `json:"stopped"`
	Cancelled int           `json:"cancelled"`
	BySide    map[Side]int  `json:"by_side,omitempty"`
	ByCause   map[Cause]int `json:"by_cause,omitempty"`
}

// An Expectation is one of --expect or mcp_expect, and whether the run meets it.
type Expectation struct {
	Expect  string `json:"expect"`
	OK      bool   `json:"ok"`
	Value   string `json:"value,omitempty"` // measured
	Samples int    `json:"samples,omitempty"`
	// NotChecked is the reason if nothing can be said.
	NotChecked string `json:"not_checked,omitempty"`
}

// Repeats are the runs of one target by --repeat.
type Repeats struct {
	Passed int `json:"passed"`
	Of     int `json:"of"`
}

func (r *Repeats) mixed() bool { return r != nil && r.Passed > 0 && r.Passed < r.Of }

// A Tolerance is why a failed target does not fail the run.
type Tolerance struct {
	Owner   string `json:"owner"`
	Reason  string `json:"reason"`
	Expires string `json:"expires"` // a date
}

// Settle fills in what follows from the results of the targets: outcomes, counts,
// failures and the exit code.
func (r *Report) Settle() {
	r.Counts, r.Failures = Counts{BySide: map[Side]int{}, ByCause: map[Cause]int{}}, nil
	for i := range r.Targets {
		t := &r.Targets[i]
		if t.Outcome == "" {
			t.Decide(nil, time.Time{})
		}
		switch t.Outcome {
		case OutcomePassed:
			r.Counts.Passed++
		case OutcomeFlaky:
			r.Counts.Flaky++
		case OutcomeTolerated:
			r.Counts.Tolerated++
		case OutcomeSkipped:
			r.Counts.Skipped++
		case OutcomeStopped:
			r.Counts.Stopped++
		case OutcomeCancelled:
			r.Counts.Cancelled++
		default:
			r.Counts.Failed++
			r.Counts.BySide[t.Side]++
			r.Counts.ByCause[t.Cause]++
			r.Failures = append(r.Failures, t.ID)
		}
	}
	r.Exit = r.exitCode()
	r.OK = r.Exit == exitOK
}

// Decide sets the outcome and the side, and whether accepted targets, which may be nil,
// cover the failure. A target that was skipped or never begun stays so.
func (r *Result) Decide(accepted *AcceptedFile, now time.Time) {
	if r.ID == "" {
		r.ID = strings.TrimSuffix(r.Server+"@"+r.Where(), "@")
	}
	failed := !r.OK && r.Cause != "" && r.Cause != CauseCancelled
	switch {
	case !failed:
		r.Side = ""
	case r.Side == "":
		r.Side = SideOf(r.Phase, r.Cause, r.Code)
	}
	if r.OK {
		r.Debug = ""
	}
	r.Tolerated = nil
	a := accepted.target(r.ID)
	switch {
	case r.Outcome == OutcomeSkipped || r.Outcome == OutcomeStopped:
	case r.OK && (len(r.Attempts) > 0 || r.Repeats.mixed()):
		r.Outcome = OutcomeFlaky
	case r.OK:
		r.Outcome = OutcomePassed
	case r.Cause == CauseCancelled && r.Phase == PhaseWait:
		r.Outcome = OutcomeStopped
	case r.Cause == CauseCancelled:
		r.Outcome = OutcomeCancelled
	case a != nil && failed && a.covers(r.Cause) && !expired(a.Expires, now):
		r.Outcome = OutcomeTolerated
		r.Tolerated = &Tolerance{Owner: a.Owner, Reason: a.Reason, Expires: a.Expires.Format(dateFormat)}
	default:
		r.Outcome = OutcomeFailed
	}
}

// SideOf returns whose failure it is. The host's are those before the command is known to
// run, unless it is the command that is missing or cannot be executed there.
func SideOf(phase Phase, cause Cause, code string) Side {
	switch cause {
	case CauseResolve, CauseConnect, CauseHostKey, CauseAuth, CauseLinkLost, CauseWatchdog, CauseStart:
		return SideHost
	case CauseExec:
		switch executor.StartCode(code) {
		case executor.StartNoMarker, executor.StartNoShell, executor.ChanLimit, executor.ExecRefused:
			return SideHost
		}
	case CauseTimeout:
		switch phase {
		case PhaseWait, PhaseResolve, PhaseConnect, PhaseHostKey, PhaseAuth, PhaseStart:
			return SideHost
		}
	}
	return SideServer
}

// idAlphabet has no characters that are easily confused.
const idAlphabet = "23456789abcdefghjkmnpqrstuvwxyz"

// NewID returns the id of a run, such as 20261124T020000Z-k3x9c2. random has at least six
// random bytes.
func NewID(started time.Time, random []byte) string {
	id := started.UTC().AppendFormat(nil, "20060102T150405Z-")
	for _, b := range random[:6] {
		id = append(id, idAlphabet[int(b)%len(idAlphabet)])
	}
	return string(id)
}
