package report

import (
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
)

// A SmokeV1 is the document of smoke --json in version 1: see docs/reference/smoke.md and
// schema.json.
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
		Host: r.Host, Server: r.Server, OK: r.OK, Verdict: r.Outcome(), Phase: r.Phase, Cause: r.Cause, Code: r.Code, Message: r.Message,
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
