package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session/diagnosis"
)

var update = flag.Bool("update", false, "write the golden files")

func ptr[T any](v T) *T { return &v }

// times returns the phases of a target: names, each followed by milliseconds.
func times(all ...any) []verify.Step {
	var steps []verify.Step
	for i := 0; i < len(all); i += 2 {
		steps = append(steps, verify.Step{Name: all[i].(string), Status: verify.Passed, DurationMS: all[i+1].(float64)})
	}
	return steps
}

// ofScenario returns a step of the scenario.
func ofScenario(name string, line int, status verify.Status, ms float64, n uint64) verify.Step {
	return verify.Step{Name: "scenario", Subject: name, Line: line, Status: status, DurationMS: ms, N: n}
}

// sample returns a report with a target of every kind.
func sample() *verify.Report {
	passed := func(host string, connect *float64) verify.Result {
		r := verify.Result{
			Host: host, Server: "notes", OK: true, Phase: verify.PhaseDone, StartedMS: 1.5, DurationMS: 812.25, Exit: "exit code 0",
			Servers: []verify.Server{{Protocol: "2025-11-25", Era: "legacy", Name: "notes-server", Version: "1.4.2"}},
			Offers:  verify.Offers{Tools: ptr(12), Resources: ptr(0), Templates: ptr(2), Prompts: ptr(1)}, Recordings: []string{"/var/rec/" + host + ".jsonl"},
			Steps: append(times("start", 80.0, "handshake", 95.5, "list", 12.0, "ping", 0.75, "scenario", 300.0, "shutdown", 41.0),
				ofScenario("list notes", 4, verify.Passed, 10, 12), ofScenario("add a note", 9, verify.Passed, 290, 16)),
		}
		if connect != nil {
			r.Steps = append(times("connect", *connect, "auth", 33.0), r.Steps...)
		}
		return r
	}
	broken := func(host string, phase verify.Phase, cause verify.Cause, code, message, hint string) verify.Result {
		return verify.Result{
			Host: host, Server: "notes", Phase: phase, Cause: cause, Code: code, Message: message, Hint: hint, StartedMS: 2, DurationMS: 10004,
			Recordings: []string{"/var/rec/" + host + ".jsonl"},
		}
	}
	quiet := passed("web-01", ptr(12.5))
	quiet.Notices = []verify.Notice{{Code: "run.noise", Text: "startup files print 23 bytes", Said: "Welcome to \x1b[1mweb-01\x1b[0m", Hint: "print nothing there"}}
	quiet.Problems = []verify.ProcessProblem{{Problem: verify.Problem{ID: "RPC09", Severity: "warning", Count: 2, N: 14, Seq: 5, T: 1200, Title: "an unknown member", Detail: `"x"`}}}

	quiet.Warnings, quiet.Count, quiet.ExitBy = 2, diagnosis.Count{Warnings: 1}, "shutdown"
	quiet.Spared = []verify.Spared{{PID: 31, Command: "adb -L tcp:5037\x1b"}}
	quiet.CannotTell = []string{"leaked processes: cannot tell (cannot see processes here)"}

	lateA := broken("web-02", verify.PhaseConnect, verify.CauseConnect, "net.timeout", "start on web-02:22: no answer from 10.0.0.2:22 within 10.0s", "check the port, a VPN, a jump host")
	lateB := broken("web-03", verify.PhaseConnect, verify.CauseConnect, "net.timeout", "start on web-03:22: no answer from 10.0.0.3:22 within 10.1s", "check the port, a VPN, a jump host")
	lateB.Attempts = make([]verify.Attempt, 2)
	key := broken("web-04", verify.PhaseHostKey, verify.CauseHostKey, "hostkey.changed", "the key of web-04 is another one than in ~/.ssh/known_hosts:12", "ssh-keygen -R web-04\nif you know why it changed")
	key.Steps = times("connect", 11.0)
	login := broken("web-05", verify.PhaseAuth, verify.CauseAuth, "auth.denied", "login as me denied; tried publickey (1 key)", "check the user name")
	login.Steps = times("connect", 9.0)
	absent := broken("web-06", verify.PhaseStart, verify.CauseExec, "start.notfound", "notes: command not found on PATH (/usr/bin:/bin)", "")
	absent.Steps = times("connect", 9.0, "auth", 20.0)
	dies := broken("web-07", verify.PhaseHandshake, verify.CauseHandshake, "exited", "it ended before it answered the handshake: exit code 3", "add -e API_KEY=VALUE")
	dies.Said, dies.Exit = []string{"Traceback (most recent call last):", "KeyError: 'API_KEY' # \\ ]]> <b>"}, "exit code 3"
	dies.Steps = times("connect", 9.0, "auth", 20.0, "start", 30.0, "handshake", 102.0, "shutdown", 0.5)
	step := passed("web-08", ptr(10.0))
	step.OK, step.Phase, step.Cause, step.Code, step.Message = false, verify.PhaseScenario, verify.CauseScenario, "expect", `step "add a note" (line 9): the result has no member id`
	last := &step.Steps[len(step.Steps)-1]
	last.Status, last.Problems = verify.Failed, []string{"/id: missing", "took 290 ms, allowed are 100 ms"}
	step.Steps = append(step.Steps, ofScenario("remove it", 15, verify.Skipped, 0, 0))
	drift := passed("web-09", ptr(10.0))
	drift.OK, drift.Phase, drift.Cause, drift.Code, drift.Message = false, verify.PhaseBaseline, verify.CauseDrift, "drift", "differs from web-01: server version changed (and 3 more)"
	drift.Drift = []surface.Change{
		{What: "server", Name: "version", Change: "changed", From: `"1.4.2"`, To: `"1.3.0"`},
		{What: "tool", Name: "export", Change: "removed"},
		{What: "tool", Name: "add", Change: "changed", Pointer: "/inputSchema/properties/tags/maxItems", From: "10"},
		{What: "tool", Name: "add", Change: "more", Count: 7},
	}
	left := passed("web-10", ptr(10.0))
	left.OK, left.Phase, left.Cause, left.Code, left.Message = false, verify.PhaseShutdown, verify.CauseOrphan, "shutdown.orphan", "leaked child process (killed): 4711 node worker.js"
	left.Orphans = []verify.Orphan{{PID: 4711, Command: "node worker.js"}, {PID: 4712, Command: "node worker.js --two", Alive: true}}
	noise := passed("web-11", ptr(10.0))
	noise.OK, noise.Phase, noise.Cause, noise.Code, noise.Message = false, verify.PhaseDone, verify.CauseProtocol, "FRM01", "error FRM01 at entry 9: noise on stdout"
	noise.Problems = []verify.ProcessProblem{{Problem: verify.Problem{ID: "FRM01", Severity: "error", Count: 3, N: 9, Seq: 2, T: 3500, Title: "noise on stdout", Detail: `"Server\u001b running"`, Breaks: "Claude Desktop"}}}
	noise.ProblemsMore, noise.ProblemsBad, noise.Errors, noise.Remarks = 2, 3, 5, 1
	never := broken("web-12", verify.PhaseWait, verify.CauseCancelled, "cancelled", "not started: interrupted", "")
	never.Recordings, never.DurationMS = nil, 0
	return &verify.Report{
		Version: 1, Tool: "mcpdbg 0.1.0", Started: time.Date(2026, 11, 21, 10, 0, 0, 123_000_000, time.UTC), DurationMS: 12345.678, Seed: 42,
		Scenario: "notes", Baseline: "web-01", Checked: "framing; message contents not checked",
		Targets: []verify.Result{
			passed(verify.Local, nil), quiet, lateA, lateB, key, login, absent, dies, step, drift, left, noise, never,
		},
	}
}

// empty returns a minimal report.
func empty() *verify.Report {
	return &verify.Report{Targets: []verify.Result{{}, {OK: true}}}
}

// written returns what a writer writes.
func written(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b))
	return b.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func asHTML(t testing.TB, r *verify.Report) []byte {
	return written(t, func(w io.Writer) error { return HTML(w, r) })
}

func TestHTMLGolden(t *testing.T) {
	page := asHTML(t, sample())
	_, body, _ := bytes.Cut(page, []byte("<body>"))
	body, _, _ = bytes.Cut(body, []byte("<script>"))
	golden(t, "smoke.html", body)
	asHTML(t, empty())
	asHTML(t, &verify.Report{})
}

// TestPagePolicy checks that the page may run its own script and style, and
// load nothing.
func TestPagePolicy(t *testing.T) {
	page := string(asHTML(t, sample()))
	policy := html.UnescapeString(regexp.MustCompile(`Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	for what, element := range map[string]string{"script-src": "script", "style-src": "style"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
		require.Len(t, found, 1, element)
		sum := sha256.Sum256([]byte(found[0][1]))
		require.Contains(t, policy, what+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	require.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
	require.NotRegexp(t, `(?i)\s(src|href|style|on\w+)=`, page)
}

func TestPageHoldsTextOnly(t *testing.T) {
	const evil = `</td></script><script>alert(1)</script><img src=x onerror=alert(2)>" onload="x {{.}} javascript:`
	page := string(asHTML(t, filled(evil)))
	require.Equal(t, 1, strings.Count(page, "<script>"))
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, `" onload`)
}

// TestPageSortsAndFilters checks that a click on a title sorts ascending, then
// descending, then not at all, and that the search works.
func TestPageSortsAndFilters(t *testing.T) {
	node := need(t, "node")
	out, err := exec.CommandContext(t.Context(), node, "testdata/page_test.js", "page.js").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var got map[string]any
	require.NoError(t, json.Unmarshal(out, &got), "%s", out)
	require.Equal(t, map[string]any{
		"begin":                       "web-10 web-9 Web-11 | 3 targets",
		"bar":                         false,
		"host 1":                      "web-9 web-10 Web-11 | 3 targets | ascending",
		"host 2":                      "Web-11 web-10 web-9 | 3 targets | descending",
		"host 3":                      "web-10 web-9 Web-11 | 3 targets | none",
		"cause 1":                     "web-9 web-10 Web-11 | 3 targets | ascending",
		"cause 2":                     "Web-11 web-10 web-9 | 3 targets | descending",
		"cause 3":                     "web-10 web-9 Web-11 | 3 targets | none",
		"ms 1":                        "web-10 web-9 Web-11 | 3 targets | ascending",
		"ms 2":                        "Web-11 web-9 web-10 | 3 targets | descending",
		"ms 3":                        "web-10 web-9 Web-11 | 3 targets | none",
		`search "WEB-1" cause ""`:     "web-10 Web-11 | 2 of 3 targets",
		`search "fail auth" cause ""`: "web-10 | 1 of 3 targets",
		`search "" cause "!"`:         "web-10 Web-11 | 2 of 3 targets",
		`search "" cause "connect"`:   "Web-11 | 1 of 3 targets",
		`search "web-9" cause "!"`:    " | 0 of 3 targets",
		`search "" cause ""`:          "web-10 web-9 Web-11 | 3 targets",
		`search "" cause "?"`:         "web-9 | 1 of 3 targets",
		`search "9" cause "!"`:        " | 0 of 3 targets",
	}, got)
}
