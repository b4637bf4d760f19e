package smoke

import (
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session/diagnosis"
)

// A Phase is a step in the run of a target.
type Phase string

// The phases, in order. A local target begins with PhaseStart.
const (
	PhaseWait      Phase = "wait" // for its turn
	PhaseResolve   Phase = "resolve"
	PhaseConnect   Phase = "connect"
	PhaseHostKey   Phase = "host-key"
	PhaseAuth      Phase = "auth"
	PhaseStart     Phase = "start" // from the open connection to the running process
	PhaseHandshake Phase = "handshake"
	PhaseList      Phase = "list" // all lists, and ping
	PhaseScenario  Phase = "scenario"
	PhaseShutdown  Phase = "shutdown"
	PhaseBaseline  Phase = "baseline"
	PhaseDone      Phase = "done"
)

// A Cause is the class of a failure.
type Cause string

// The causes.
const (
	CauseResolve   Cause = "resolve"   // unknown host name, or invalid configuration
	CauseConnect   Cause = "connect"   // the host could not be reached
	CauseHostKey   Cause = "host-key"  // the host key is unknown or has changed
	CauseAuth      Cause = "auth"      // login failed
	CauseExec      Cause = "exec"      // command not found, not executable, or refused
	CauseStart     Cause = "start"     // the process could not be started
	CauseHandshake Cause = "handshake" // handshake failed, or the server ended during it
	CauseProtocol  Cause = "protocol"  // an error response, or problems
	CauseScenario  Cause = "scenario"  // a step of the scenario failed
	CauseDrift     Cause = "drift"     // the server differs from the baseline
	CauseTimeout   Cause = "timeout"   // a phase after the login, or the whole target, took too long
	CauseLinkLost  Cause = "link-lost" // connection lost, or the guard on the host ended the server for that reason
	CauseWatchdog  Cause = "watchdog"  // the local watchdog was killed, and the server with it
	CauseShutdown  Cause = "shutdown"  // the server did not exit when asked to
	CauseOrphan    Cause = "orphan"    // the server leaked processes
	CauseCancelled Cause = "cancelled" // by a person or --fail-fast
)

// A Report is the JSON document of mcpdbg smoke; see docs/reference/smoke.md and
// schema.json.
type Report struct {
	Version    int       `json:"mcpdbg_smoke"` // 1
	Tool       string    `json:"tool"`
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	OK         bool      `json:"ok"`
	Seed       uint64    `json:"seed"`
	Scenario   string    `json:"scenario,omitempty"` // name
	Baseline   string    `json:"baseline,omitempty"` // name of the baseline
	Checked    string    `json:"checked,omitempty"`  // the scope of the problems: rule.Checked
	RuleSet    string    `json:"rule_set,omitempty"` // version of the rules: rule.Set
	Targets    []Result  `json:"targets"`            // in the given order
}

// A Result is the result of one target. Texts may come from hosts and servers: make them
// safe before printing.
type Result struct {
	Host   string `json:"host"`   // as given; "local" is this machine
	Server string `json:"server"` // name
	OK     bool   `json:"ok"`
	// Verdict is set in documents only: see Outcome.
	Verdict string `json:"verdict"`
	Phase   Phase  `json:"phase"`           // PhaseDone, or the phase that failed
	Cause   Cause  `json:"cause,omitempty"` // of a failure: the first problem
	// Code is more specific than Cause, such as net.refused
	// (executor.StartCode) or exited (session.Reason).
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"` // in one line
	Hint    string `json:"hint,omitempty"`    // what to try; may have several lines
	// Said are the last lines of the server's stderr, or the message of the host,
	// ProxyCommand or ssh program.
	Said []string `json:"said,omitempty"`
	Exit string   `json:"exit,omitempty"` // exit status of the server
	// ExitBy is what ended it, as spelled in recordings (executor.EndedBy).
	ExitBy string `json:"exit_by,omitempty"`

	StartedMS  float64 `json:"started_ms"`  // since the start of the run
	DurationMS float64 `json:"duration_ms"` // including all waits
	Timings    Timings `json:"timings_ms"`
	// apartMS is the part of DurationMS for earlier attempts and the wait for the
	// baseline host.
	apartMS float64

	Attempts   int         `json:"attempts,omitempty"` // number of attempts, if more than one
	Protocol   string      `json:"protocol,omitempty"`
	Era        string      `json:"era,omitempty"`
	ServerInfo *ServerInfo `json:"server_info,omitempty"`
	Tools      *int        `json:"tools,omitempty"` // nil: not requested, or not supported by the server
	Resources  *int        `json:"resources,omitempty"`
	Templates  *int        `json:"templates,omitempty"`
	Prompts    *int        `json:"prompts,omitempty"`

	Problems []Problem `json:"findings"` // at most MaxFindings, sorted by severity
	// ProblemsMore is the number of kinds beyond Problems.
	ProblemsMore int `json:"findings_more,omitempty"`
	// ProblemsBad is the number of kinds that fail the target by
	// Options.FailOn.
	ProblemsBad int `json:"findings_bad,omitempty"`
	// Number of occurrences of all kinds: errors and warnings are problems.
	Errors   int `json:"finding_errors,omitempty"`
	Warnings int `json:"finding_warnings,omitempty"`
	Remarks  int `json:"finding_infos,omitempty"`
	// Count counts what follows from one cause, and a flood, once.
	Count   diagnosis.Count `json:"-"`
	Steps   []Step          `json:"steps,omitempty"` // of the scenario
	Drift   []Change        `json:"drift,omitempty"`
	Notices []Notice        `json:"notices,omitempty"`
	Orphans []Orphan        `json:"orphans"`
	Spared  []Spared        `json:"spared,omitempty"`
	// CannotTell describes leftovers that cannot be detected, and an unknown end, a
	// sentence each. A passed target with any is marked wherever it is shown.
	CannotTell []string `json:"cannot_tell,omitempty"`
	Recording  string   `json:"recording,omitempty"` // path
}

// The outcomes of a target.
const (
	Passed    = "ok"
	Doubtful  = "ok?" // passed, with unknown facts in Result.CannotTell
	Failed    = "failed"
	Cancelled = "cancelled" // neither passed nor failed
)

// Outcome returns how the target ended, in a word.
func (r *Result) Outcome() string {
	switch {
	case r.OK && len(r.CannotTell) > 0:
		return Doubtful
	case r.OK:
		return Passed
	case r.Cause == CauseCancelled:
		return Cancelled
	}
	return Failed
}

// OwnMS returns the duration of the last attempt without any wait.
func (r *Result) OwnMS() float64 { return max(r.DurationMS-r.WaitedMS(), 0) }

// WaitedMS returns the part of the duration that was not the target's own.
func (r *Result) WaitedMS() float64 {
	waited := r.apartMS
	if r.Timings.Wait != nil {
		waited += *r.Timings.Wait
	}
	return waited
}

// Timings are the durations of the phases in milliseconds; nil: not reached. Wait is for
// the turn and between attempts, apart from the others. Connect includes resolve and host
// key. Ping is one round trip.
type Timings struct {
	Wait      *float64 `json:"wait,omitempty"`
	Connect   *float64 `json:"connect,omitempty"`
	Auth      *float64 `json:"auth,omitempty"`
	Replaced  *float64 `json:"replaced,omitempty"` // of processes before it, see session.Session.Open
	Start     *float64 `json:"start,omitempty"`
	Handshake *float64 `json:"handshake,omitempty"`
	List      *float64 `json:"list,omitempty"`
	Ping      *float64 `json:"ping,omitempty"`
	Scenario  *float64 `json:"scenario,omitempty"`
	Shutdown  *float64 `json:"shutdown,omitempty"`
}

// ServerInfo is the self-description of the server.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Problem is a problem of the log.
type Problem = verify.Problem

// A Step is the result of a step of the scenario.
type Step struct {
	Name       string   `json:"name"`
	Line       int      `json:"line"`
	Status     string   `json:"status"` // passed, failed, skipped
	DurationMS float64  `json:"duration_ms"`
	N          uint64   `json:"n,omitempty"` // entry that it sent or waited for
	Problems   []string `json:"problems,omitempty"`
}

// A Change is a difference from the baseline.
type Change = surface.Change

// A Notice is worth knowing but not a failure, such as output of a shell's startup files
// (executor.Notice).
type Notice struct {
	Code string `json:"code"`
	Text string `json:"text"`
	Said string `json:"said,omitempty"`
	Hint string `json:"hint,omitempty"` // what to try
}

// An Orphan is a process that the server leaked. Alive: it could not be killed.
type Orphan struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Alive   bool   `json:"alive"`
}

// A Spared process was left running because --leave names it.
type Spared struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}
