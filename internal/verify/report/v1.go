package report

import (
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
)

// A SmokeV1 is the document of smoke --json in version 1: see docs/reference/smoke.md and
// smoke.json.
type SmokeV1 struct {
	Version    int        `json:"mcpdbg_smoke"` // 1
	Tool       string     `json:"tool"`
	Started    time.Time  `json:"started"`
	DurationMS float64    `json:"duration_ms"`
	OK         bool       `json:"ok"`
	Seed       uint64     `json:"seed"`
	Scenario   string     `json:"scenario,omitempty"`
	Baseline   string     `json:"baseline,omitempty"`
	Checked    string     `json:"checked,omitempty"`
	RuleSet    string     `json:"rule_set,omitempty"`
	Targets    []TargetV1 `json:"targets"`
}

// A TargetV1 is a target of SmokeV1.
type TargetV1 struct {
	Host    string       `json:"host"`
	Place   string       `json:"place,omitempty"` // where a local server runs
	Server  string       `json:"server"`
	OK      bool         `json:"ok"`
	Verdict string       `json:"verdict"`
	Phase   verify.Phase `json:"phase"`
	Cause   verify.Cause `json:"cause,omitempty"`
	Code    string       `json:"code,omitempty"`
	Message string       `json:"message,omitempty"`
	Hint    string       `json:"hint,omitempty"`
	Said    []string     `json:"said,omitempty"`
	Exit    string       `json:"exit,omitempty"`
	ExitBy  string       `json:"exit_by,omitempty"`

	StartedMS  float64   `json:"started_ms"`
	DurationMS float64   `json:"duration_ms"` // including all waits
	Timings    timingsV1 `json:"timings_ms"`

	Attempts   int           `json:"attempts,omitempty"` // if more than one
	Protocol   string        `json:"protocol,omitempty"`
	Era        string        `json:"era,omitempty"`
	ServerInfo *serverInfoV1 `json:"server_info,omitempty"`
	verify.Offers

	Problems     []verify.Problem `json:"findings"`
	ProblemsMore int              `json:"findings_more,omitempty"`
	ProblemsBad  int              `json:"findings_bad,omitempty"`
	Errors       int              `json:"finding_errors,omitempty"`
	Warnings     int              `json:"finding_warnings,omitempty"`
	Remarks      int              `json:"finding_infos,omitempty"`
	Steps        []stepV1         `json:"steps,omitempty"` // of the scenario
	Drift        []surface.Change `json:"drift,omitempty"`
	Notices      []verify.Notice  `json:"notices,omitempty"`
	Orphans      []verify.Orphan  `json:"orphans"`
	Spared       []verify.Spared  `json:"spared,omitempty"`
	CannotTell   []string         `json:"cannot_tell,omitempty"`
	Recording    string           `json:"recording,omitempty"`
}

type timingsV1 struct {
	Wait      *float64 `json:"wait,omitempty"`
	Connect   *float64 `json:"connect,omitempty"`
	Auth      *float64 `json:"auth,omitempty"`
	Replaced  *float64 `json:"replaced,omitempty"`
	Start     *float64 `json:"start,omitempty"`
	Handshake *float64 `json:"handshake,omitempty"`
	List      *float64 `json:"list,omitempty"`
	Ping      *float64 `json:"ping,omitempty"`
	Scenario  *float64 `json:"scenario,omitempty"`
	Shutdown  *float64 `json:"shutdown,omitempty"`
}

type serverInfoV1 struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type stepV1 struct {
	Name       string        `json:"name"`
	Line       int           `json:"line"`
	Status     verify.Status `json:"status"`
	DurationMS float64       `json:"duration_ms"`
	N          uint64        `json:"n,omitempty"`
	Problems   []string      `json:"problems,omitempty"`
}

func smokeV1(r *verify.Report) SmokeV1 {
	doc := SmokeV1{
		Version: 1, Tool: r.Tool, Started: r.Started, DurationMS: r.DurationMS, OK: r.OK, Seed: r.Seed, Scenario: r.Scenario,
		Baseline: r.Baseline, Checked: r.Checked, RuleSet: r.RuleSet, Targets: make([]TargetV1, len(r.Targets)),
	}
	for i := range r.Targets {
		doc.Targets[i] = targetV1(&r.Targets[i])
	}
	return doc
}

func targetV1(r *verify.Result) TargetV1 {
	server := r.First()
	t := TargetV1{
		Host: r.Host, Place: r.Place, Server: r.Server, OK: r.OK, Verdict: r.Verdict(), Phase: r.Phase, Cause: r.Cause, Code: r.Code, Message: r.Message,
		Hint: r.Hint, Said: r.Said, Exit: r.Exit, ExitBy: r.ExitBy, StartedMS: r.StartedMS, DurationMS: r.DurationMS + r.WaitedMS(),
		Timings: timingsV1{
			Connect: r.Took("connect"), Auth: r.Took("auth"), Replaced: r.Took("replaced"), Start: r.Took("start"), Handshake: r.Took("handshake"),
			List: r.Took("list"), Ping: r.Took("ping"), Scenario: r.Took("scenario"), Shutdown: r.Took("shutdown"),
		},
		Protocol: server.Protocol, Era: server.Era, Offers: r.Offers,
		Problems: []verify.Problem{}, ProblemsMore: r.ProblemsMore, ProblemsBad: r.ProblemsBad,
		Errors: r.Errors, Warnings: r.Warnings, Remarks: r.Remarks, Drift: r.Drift, Notices: r.Notices,
		Orphans: append([]verify.Orphan{}, r.Orphans...), Spared: r.Spared, CannotTell: r.CannotTell, Recording: r.Recording(),
	}
	if r.WaitMS > 0 {
		t.Timings.Wait = &r.WaitMS
	}
	if n := len(r.Attempts); n > 0 {
		t.Attempts = n + 1
	}
	if server.String() != "" {
		t.ServerInfo = &serverInfoV1{server.Name, server.Version}
	}
	for i := range r.Problems {
		t.Problems = append(t.Problems, r.Problems[i].Problem)
	}
	for _, s := range r.ScenarioSteps() {
		t.Steps = append(t.Steps, stepV1{s.Subject, s.Line, s.Status, s.DurationMS, s.N, s.Problems})
	}
	return t
}

// A CheckV1 is the document of check --json in version 1: see docs/reference/check.md and
// check.json.
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

func checkV1(r *verify.Report) CheckV1 {
	doc := CheckV1{
		Version: 1, Tool: r.Tool, RuleSet: r.RuleSet, Checked: r.Checked, Started: r.Started, DurationMS: r.DurationMS, OK: r.OK,
		Stopped: r.Stopped, FailOn: r.FailOn.String(), Seed: r.Seed, Targets: make([]CheckTargetV1, len(r.Targets)), Stale: r.Stale, Expired: r.Expired,
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		one := CheckTargetV1{
			Server: t.Server, Source: t.Source, OK: t.OK, Hint: t.Hint, Said: t.Said, Servers: t.Servers,
			Steps: []CheckStepV1{}, Problems: append([]verify.ProcessProblem{}, t.Problems...),
			More: t.ProblemsMore, Partial: t.Partial, Recordings: t.Recordings, DurationMS: t.DurationMS,
		}
		for _, s := range t.Steps {
			if s.Name != verify.StepExpect { // which version 1 does not have
				one.Steps = append(one.Steps, CheckStepV1{s.Name, s.Era, s.Subject, s.Status, s.Severity, s.Reason, s.Process, s.N, s.DurationMS, s.Accepted})
			}
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
