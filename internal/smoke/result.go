package smoke

import (
	"time"

	"mcpdbg/internal/smoke/inventory"
)

// A Phase is a step of a target's run.
type Phase string

// The phases, in their order. A local target begins with PhaseStart.
const (
	PhaseWait      Phase = "wait" // for its turn
	PhaseResolve   Phase = "resolve"
	PhaseConnect   Phase = "connect"
	PhaseHostKey   Phase = "host-key"
	PhaseAuth      Phase = "auth"
	PhaseStart     Phase = "start" // from the open connection to the running process
	PhaseHandshake Phase = "handshake"
	PhaseList      Phase = "list" // everything there is, and ping
	PhaseScenario  Phase = "scenario"
	PhaseShutdown  Phase = "shutdown"
	PhaseBaseline  Phase = "baseline"
	PhaseDone      Phase = "done"
)

// A Cause is the class of a failure.
type Cause string

// The causes.
const (
	CauseResolve   Cause = "resolve"   // the name of the host, or its configuration
	CauseConnect   Cause = "connect"   // the host was not reached
	CauseHostKey   Cause = "host-key"  // it is not known, or another one
	CauseAuth      Cause = "auth"      // no login
	CauseExec      Cause = "exec"      // the host does not execute the command: not there, not executable, refused
	CauseStart     Cause = "start"     // it could not be started
	CauseHandshake Cause = "handshake" // it did not take the handshake, or ended in it
	CauseProtocol  Cause = "protocol"  // an error answer, or findings
	CauseScenario  Cause = "scenario"  // a step of the scenario failed
	CauseDrift     Cause = "drift"     // it is not what the baseline is
	CauseTimeout   Cause = "timeout"   // a phase behind the login, or the whole target, took too long
	CauseLinkLost  Cause = "link-lost" // the connection was lost, or the guard on the host ended the server for that
	CauseWatchdog  Cause = "watchdog"  // the local watchdog was ended from outside, and the server with it
	CauseShutdown  Cause = "shutdown"  // it did not end when it was asked to
	CauseOrphan    Cause = "orphan"    // it left processes behind
	CauseCancelled Cause = "cancelled" // a person, or --fail-fast, ended the run before it was done
)

// A Report is what a run found out: the JSON document of mcpdbg smoke. Its
// members are described in docs/smoke.md; schema.json says the same.
type Report struct {
	Version    int       `json:"mcpdbg_smoke"` // 1
	Tool       string    `json:"tool"`
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	OK         bool      `json:"ok"`
	Seed       uint64    `json:"seed"`
	Scenario   string    `json:"scenario,omitempty"` // its name
	Baseline   string    `json:"baseline,omitempty"` // what was compared with
	Checked    string    `json:"checked,omitempty"`  // what findings are about: lint.Checked
	Targets    []Result  `json:"targets"`            // in the order in which they were given
}

// A Result is what became of one target. Texts may hold what a host or a server
// said: they are to be made safe before a terminal sees them.
type Result struct {
	Host   string `json:"host"`   // as it was named; "local" is this machine
	Server string `json:"server"` // its name
	OK     bool   `json:"ok"`
	Phase  Phase  `json:"phase"`           // PhaseDone, or that which failed
	Cause  Cause  `json:"cause,omitempty"` // of a failure: the first
	// Code is what says more exactly than Cause what failed, such as
	// net.refused (executor.StartCode) or exited (session.Reason).
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"` // what happened, in one line
	Hint    string `json:"hint,omitempty"`    // what to try; may have several lines
	// Said are the last lines of the server's stderr, or what the host said, or the
	// ProxyCommand or ssh program on the way to it.
	Said []string `json:"said,omitempty"`
	Exit string   `json:"exit,omitempty"` // how the server ended
	// ExitBy is who ended it, as recordings spell it (executor.EndedBy).
	ExitBy string `json:"exit_by,omitempty"`

	StartedMS  float64     `json:"started_ms"`  // since the start of the run
	DurationMS float64     `json:"duration_ms"` // with all that it waited for
	Timings    Timings     `json:"timings_ms"`
	Attempts   int         `json:"attempts,omitempty"` // how often it was begun, if more than once
	Protocol   string      `json:"protocol,omitempty"`
	Era        string      `json:"era,omitempty"`
	ServerInfo *ServerInfo `json:"server_info,omitempty"`
	Tools      *int        `json:"tools,omitempty"` // nil: it was not asked, or has no such list
	Resources  *int        `json:"resources,omitempty"`
	Templates  *int        `json:"templates,omitempty"`
	Prompts    *int        `json:"prompts,omitempty"`

	Findings []Finding `json:"findings"` // at most MaxFindings, the worst first
	// FindingsMore is how many kinds there are beyond Findings.
	FindingsMore int `json:"findings_more,omitempty"`
	// FindingsBad is how many kinds there are for which Options.FailOn fails it.
	FindingsBad int `json:"findings_bad,omitempty"`
	// How often something was found, of all kinds: errors and warnings are problems.
	Errors   int      `json:"finding_errors,omitempty"`
	Warnings int      `json:"finding_warnings,omitempty"`
	Remarks  int      `json:"finding_infos,omitempty"`
	Steps    []Step   `json:"steps,omitempty"` // of the scenario
	Drift    []Change `json:"drift,omitempty"`
	Notices  []Notice `json:"notices,omitempty"`
	Orphans  []Orphan `json:"orphans"`
	Spared   []Spared `json:"spared,omitempty"`
	// CannotTell says what may be left without a trace, in a sentence each. A target
	// that passed with any is marked wherever it is shown.
	CannotTell []string `json:"cannot_tell,omitempty"`
	Recording  string   `json:"recording,omitempty"` // path
}

// Timings are how long phases took, in milliseconds; nil: it did not come to
// that. Wait is for its turn and between attempts, and in none of the others.
// Connect has name and host key too. Ping is one round trip.
type Timings struct {
	Wait      *float64 `json:"wait,omitempty"`
	Connect   *float64 `json:"connect,omitempty"`
	Auth      *float64 `json:"auth,omitempty"`
	Start     *float64 `json:"start,omitempty"`
	Handshake *float64 `json:"handshake,omitempty"`
	List      *float64 `json:"list,omitempty"`
	Ping      *float64 `json:"ping,omitempty"`
	Scenario  *float64 `json:"scenario,omitempty"`
	Shutdown  *float64 `json:"shutdown,omitempty"`
}

// ServerInfo is what the server calls itself.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Finding is one of session/lint, as in the other documents of the program.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Count    int    `json:"count"`
	N        uint64 `json:"n"`
	Seq      uint64 `json:"seq,omitempty"`
	T        int64  `json:"t"` // microseconds since the recording's start
	Title    string `json:"title"`
	Detail   string `json:"detail,omitempty"`
	Breaks   string `json:"breaks,omitempty"`
}

// A Step is what became of a step of the scenario.
type Step struct {
	Name       string   `json:"name"`
	Line       int      `json:"line"`
	Status     string   `json:"status"` // passed, failed, skipped
	DurationMS float64  `json:"duration_ms"`
	N          uint64   `json:"n,omitempty"` // entry of what it sent or waited for
	Problems   []string `json:"problems,omitempty"`
}

// A Change is one way in which a server is not what the baseline is.
type Change = inventory.Change

// A Notice is what is worth knowing though it is no failure, such as noise of a
// shell's startup files (executor.Notice).
type Notice struct {
	Code string `json:"code"`
	Text string `json:"text"`
	Said string `json:"said,omitempty"`
	Hint string `json:"hint,omitempty"` // what to try
}

// An Orphan is a process that the server left behind. Alive: it could not be
// killed either.
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
