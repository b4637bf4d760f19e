package verify

import (
	"cmp"
	"crypto/rand"
	"strings"
	"time"

	"mcpdbg/internal/verify/surface"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
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
	CauseResolve   Cause = "resolve"    // unknown host name, or invalid configuration
	CauseConnect   Cause = "connect"    // the host could not be reached
	CauseHostKey   Cause = "host-key"   // the host key is unknown or has changed
	CauseAuth      Cause = "auth"       // login failed
	CauseExec      Cause = "exec"       // command not found, not executable, or refused
	CauseStart     Cause = "start"      // the process could not be started
	CauseHandshake Cause = "handshake"  // handshake failed, or the server ended during it
	CauseProtocol  Cause = "protocol"   // an error response, or problems
	CauseScenario  Cause = "scenario"   // a step of the scenario failed
	CauseDrift     Cause = "drift"      // the server differs from the baseline
	CauseTimeout   Cause = "timeout"    // a phase after the login, or the whole target, took too long
	CauseLinkLost  Cause = "link-lost"  // connection lost, or the guard on the host ended the server for that reason
	CauseWatchdog  Cause = "watchdog"   // the local watchdog was killed, and the server with it
	CauseShutdown  Cause = "shutdown"   // the server did not exit when asked to
	CauseOrphan    Cause = "orphan"     // the server leaked processes
	CauseUnread    Cause = "unreadable" // the recording
	CauseCancelled Cause = "cancelled"  // by a person or --fail-fast
)

var causes = []Cause{
	CauseResolve, CauseConnect, CauseHostKey, CauseAuth, CauseExec, CauseStart, CauseHandshake, CauseProtocol, CauseScenario,
	CauseDrift, CauseTimeout, CauseLinkLost, CauseWatchdog, CauseShutdown, CauseOrphan,
}

// A Report is the result of a run, made by every command that tests servers.
type Report struct {
	Version    int       `json:"mcpdbg_report"` // 2
	Tool       string    `json:"tool"`
	Command    string    `json:"command"`        // smoke or check
	Name       string    `json:"name,omitempty"` // of what is tested
	ID         string    `json:"id"`             // see NewID
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	OK         bool      `json:"ok"`
	Exit       int       `json:"exit"`
	Stopped    bool      `json:"stopped,omitempty"` // before all steps: then it is not OK
	FailOn     FailOn    `json:"fail_on"`
	Seed       uint64    `json:"seed"`
	Scenario   string    `json:"scenario,omitempty"` // name
	Baseline   string    `json:"baseline,omitempty"` // name of the baseline
	Checked    string    `json:"checked,omitempty"`  // the scope of the problems: rule.Checked
	RuleSet    string    `json:"rule_set,omitempty"` // version of the rules: rule.Set
	Plan       Plan      `json:"plan"`
	Counts     Counts    `json:"counts"`
	Failures   []string  `json:"failures,omitempty"` // ids of the targets that count as failed
	// Expectations are those on the whole run.
	Expectations []Expectation `json:"expectations,omitempty"`
	// Again is the command line that runs only the targets that failed; "" if all did, or it is
	// not known.
	Again   string   `json:"again,omitempty"`
	Targets []Result `json:"targets"` // in the given order
	// Stale accepted problems are no longer found, Expired ones are found and no longer
	// accepted.
	Stale   []Entry `json:"accepted_stale,omitempty"`
	Expired []Entry `json:"accepted_expired,omitempty"`
}

// An Entry is an accepted problem.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Server      string `json:"server,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Expires     string `json:"expires,omitempty"` // a date
}

// A Target is one server on one host.
type Target struct {
	ID     string // SERVER@HOST
	Host   string // as given, or Local
	Place  string // where it runs on Local, such as docker web; "" for the machine itself
	Server string
	Source string   // the file that its problems are reported for
	At     string   // file:line of the host; "" if no file names it
	Groups []string // of the host, sorted
	Skip   string   // why it is not run; "" for a target that is
}

const checkCommand = "check"

// NewReport returns a report of a command without targets.
func NewReport(command string, started time.Time) *Report {
	random := make([]byte, 6)
	_, _ = rand.Read(random) // it never fails
	return &Report{Version: 2, ID: NewID(started, random), Command: command, RuleSet: rule.Set, Checked: rule.Checked, Started: started, Targets: []Result{}}
}

// Local is the host name of this machine.
const Local = "local"

// A Result is the result of one target, a server on a host. Texts may come from hosts and
// servers: make them safe before printing.
type Result struct {
	ID         string   `json:"id"`              // SERVER@HOST, unique in a run
	Host       string   `json:"host,omitempty"`  // as given, or Local; "" for a recording
	Place      string   `json:"place,omitempty"` // where it runs on Local, such as docker web
	Server     string   `json:"server"`          // name, or the path of a recording
	HostGroups []string `json:"groups,omitempty"`
	At         string   `json:"at,omitempty"`     // file:line of the host
	Source     string   `json:"source,omitempty"` // the file that problems are reported for
	OK         bool     `json:"ok"`
	Outcome    Outcome  `json:"outcome"`         // see Settle
	Side       Side     `json:"side,omitempty"`  // of a failure
	Phase      Phase    `json:"phase"`           // PhaseDone, or the phase that failed
	Cause      Cause    `json:"cause,omitempty"` // of a failure: the first problem
	// Code is more specific than Cause, such as net.refused
	// (executor.StartCode) or exited (session.Reason).
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"` // in one line
	Hint    string `json:"hint,omitempty"`    // what to try; may have several lines
	// Said are the last lines of the server's stderr, or the message of the host,
	// ProxyCommand or ssh program.
	Said []string `json:"said,omitempty"`
	Exit string   `json:"exit_status,omitempty"` // exit status of the server
	// ExitBy is what ended it, as spelled in recordings (executor.EndedBy).
	ExitBy string `json:"ended_by,omitempty"`

	StartedMS  float64 `json:"started_ms"`        // since the start of the run
	DurationMS float64 `json:"duration_ms"`       // of the last attempt, without any wait
	WaitMS     float64 `json:"wait_ms,omitempty"` // for its turn, and between attempts

	Attempts  []Attempt  `json:"attempts,omitempty"` // the earlier ones
	Repeats   *Repeats   `json:"repeats,omitempty"`
	Tolerated *Tolerance `json:"tolerated,omitempty"`
	// Since is the start of the first of the Runs consecutive runs in which the target
	// failed, this one included. Both are zero without a history.
	Since   *time.Time `json:"since,omitempty"`
	Runs    int        `json:"runs,omitempty"`
	Servers []Server   `json:"servers,omitempty"` // one for each handshake
	Offers  Offers     `json:"offers"`

	Steps    []Step           `json:"steps,omitempty"`
	Problems []ProcessProblem `json:"problems,omitempty"` // sorted by severity
	// ProblemsMore is the number of kinds beyond Problems.
	ProblemsMore int `json:"problems_more,omitempty"`
	// ProblemsBad is the number of kinds that fail the target.
	ProblemsBad int `json:"problems_bad,omitempty"`
	// Number of occurrences of all kinds.
	Errors   int `json:"errors,omitempty"`
	Warnings int `json:"warnings,omitempty"`
	Remarks  int `json:"infos,omitempty"`
	// Count counts what follows from one cause, and a flood, once.
	Count   diagnosis.Count  `json:"-"`
	Drift   []surface.Change `json:"drift,omitempty"`
	Notices []Notice         `json:"notices,omitempty"`
	Orphans []Orphan         `json:"leaked,omitempty"`
	Spared  []Spared         `json:"spared,omitempty"`
	// CannotTell describes leftovers that cannot be detected, and an unknown end, a
	// sentence each. A passed target with any is marked wherever it is shown.
	CannotTell []string `json:"cannot_tell,omitempty"`
	Partial    []string `json:"partial,omitempty"`    // not checked by the rules, a sentence each
	Recordings []string `json:"recordings,omitempty"` // paths, of the processes in order
	// Debug is the command line that opens the server in the interface, if it did not pass.
	Debug string `json:"debug,omitempty"`

	failure error // of SetFailure
}

// SetFailure records why a server could not be checked, or a recording not be read.
func (r *Result) SetFailure(err error, cause Cause) {
	r.failure, r.Cause, r.Message = err, cause, err.Error()
}

// Failure returns the error of SetFailure.
func (r *Result) Failure() error { return r.failure }

// Unchecked reports whether nothing is known about the server of a check.
func (r *Result) Unchecked() bool { return r.Cause != "" && r.Cause != CauseProtocol }

// Where returns the host, or the place that is reached from this machine.
func (r *Result) Where() string { return cmp.Or(r.Place, r.Host) }

// Remote reports whether it is on another host.
func (r *Result) Remote() bool { return r.Host != "" && r.Host != Local }

// An Attempt is one that failed before the last.
type Attempt struct {
	Cause      Cause   `json:"cause"`
	Code       string  `json:"code"`
	Message    string  `json:"message"`
	DurationMS float64 `json:"duration_ms"` // without any wait
}

// A Server is its self-description in a handshake.
type Server struct {
	Era      string `json:"era"`
	Protocol string `json:"protocol"`
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
}

// String returns the name and version.
func (s *Server) String() string { return strings.TrimSpace(s.Name + " " + s.Version) }

// Offers counts what a server lists; nil: not requested, or not supported by the server.
type Offers struct {
	Tools     *int `json:"tools,omitempty"`
	Resources *int `json:"resources,omitempty"`
	Templates *int `json:"templates,omitempty"`
	Prompts   *int `json:"prompts,omitempty"`
}

// First returns what the first handshake said, empty without one.
func (r *Result) First() Server {
	if len(r.Servers) == 0 {
		return Server{}
	}
	return r.Servers[0]
}

// Recording returns the first recording, or "".
func (r *Result) Recording() string {
	if len(r.Recordings) == 0 {
		return ""
	}
	return r.Recordings[0]
}

// The verdicts about a target.
const (
	VerdictPassed    = "ok"
	VerdictDoubtful  = "ok?" // passed, with unknown facts in Result.CannotTell
	VerdictFailed    = "failed"
	VerdictCancelled = "cancelled" // neither passed nor failed
)

// Verdict returns how the target ended, in a word.
func (r *Result) Verdict() string {
	switch {
	case r.OK && len(r.CannotTell) > 0:
		return VerdictDoubtful
	case r.OK:
		return VerdictPassed
	case r.Cause == CauseCancelled:
		return VerdictCancelled
	}
	return VerdictFailed
}

// WaitedMS returns the time that was not the target's own: of waits, earlier attempts, and
// the comparison with a baseline.
func (r *Result) WaitedMS() float64 {
	waited := r.WaitMS
	for i := range r.Attempts {
		if r.Repeats != nil {
			break // they are parts of the result
		}
		waited += r.Attempts[i].DurationMS
	}
	if ms := r.Took(string(PhaseBaseline)); ms != nil {
		waited += *ms
	}
	return waited
}

// Took returns the duration in milliseconds of the step with a name and no subject, or
// nil if it was not reached.
func (r *Result) Took(name string) *float64 {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Name == name && s.Subject == "" && (s.Status == Passed || s.DurationMS > 0) {
			return &s.DurationMS
		}
	}
	return nil
}

// ScenarioSteps returns the steps of the scenario.
func (r *Result) ScenarioSteps() []Step {
	var all []Step
	for _, s := range r.Steps {
		if s.Name == string(PhaseScenario) && s.Subject != "" {
			all = append(all, s)
		}
	}
	return all
}

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
