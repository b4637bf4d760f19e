package report

import (
	"time"

	"mcpdbg/internal/verify"
)

// A CheckV1 is the document of check --json in version 1: see docs/reference/check.md and
// schema.json.
type CheckV1 struct {
	Version    int             `json:"mcpdbg_check"` // 1
	Tool       string          `json:"tool"`
	RuleSet    string          `json:"rule_set"`
	Checked    string          `json:"checked"`
	Started    time.Time       `json:"started"`
	DurationMS float64         `json:"duration_ms"`
	OK         bool            `json:"ok"`
	Stopped    bool            `json:"stopped,omitempty"`
	FailOn     string          `json:"fail_on"`
	Seed       uint64          `json:"seed"`
	Targets    []CheckTargetV1 `json:"targets"`
	Stale      []verify.Entry  `json:"baseline_stale,omitempty"`
	Expired    []verify.Entry  `json:"baseline_expired,omitempty"`
}

// A CheckTargetV1 is a target of CheckV1.
type CheckTargetV1 struct {
	Server     string                  `json:"server"`
	Host       string                  `json:"host,omitempty"` // "" for this machine
	Source     string                  `json:"source,omitempty"`
	OK         bool                    `json:"ok"`
	Error      string                  `json:"error,omitempty"` // why the server could not be checked
	Hint       string                  `json:"hint,omitempty"`
	Said       []string                `json:"said,omitempty"`
	Servers    []verify.Server         `json:"servers,omitempty"`
	Steps      []CheckStepV1           `json:"steps"`
	Problems   []verify.ProcessProblem `json:"problems"`
	More       int                     `json:"problems_more,omitempty"`
	Partial    []string                `json:"partial,omitempty"`
	Recordings []string                `json:"recordings,omitempty"`
	DurationMS float64                 `json:"duration_ms"`
}

// A CheckStepV1 is a step of CheckV1.
type CheckStepV1 struct {
	Name       string        `json:"name"`
	Era        string        `json:"era,omitempty"`
	Subject    string        `json:"subject,omitempty"`
	Status     verify.Status `json:"status"`
	Severity   string        `json:"severity,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Process    int           `json:"process,omitempty"`
	N          uint64        `json:"n,omitempty"`
	DurationMS float64       `json:"duration_ms"`
	Accepted   bool          `json:"accepted,omitempty"`
}

// V1 returns the document of version 1.
func V1(r *verify.Report) CheckV1 {
	doc := CheckV1{
		Version: 1, Tool: r.Tool, RuleSet: r.RuleSet, Checked: r.Checked, Started: r.Started, DurationMS: r.DurationMS, OK: r.OK,
		Stopped: r.Stopped, FailOn: r.FailOn.String(), Seed: r.Seed, Targets: make([]CheckTargetV1, len(r.Targets)), Stale: r.Stale, Expired: r.Expired,
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		one := CheckTargetV1{
			Server: t.Server, Source: t.Source, OK: t.OK, Hint: t.Hint, Said: t.Said, Servers: t.Servers,
			Steps: make([]CheckStepV1, len(t.Steps)), Problems: append([]verify.ProcessProblem{}, t.Problems...),
			More: t.ProblemsMore, Partial: t.Partial, Recordings: t.Recordings, DurationMS: t.DurationMS,
		}
		for j, s := range t.Steps {
			one.Steps[j] = CheckStepV1{s.Name, s.Era, s.Subject, s.Status, s.Severity, s.Reason, s.Process, s.N, s.DurationMS, s.Accepted}
		}
		if t.Remote() {
			one.Host = t.Host
		}
		if t.Unchecked() {
			one.Error = t.Message
		}
		doc.Targets[i] = one
	}
	return doc
}
