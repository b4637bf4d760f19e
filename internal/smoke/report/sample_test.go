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

	"mcpdbg/internal/smoke"
	"mcpdbg/session/diagnosis"
)

var update = flag.Bool("update", false, "write the golden files")

func ptr[T any](v T) *T { return &v }

// sample returns a report with a target of every kind.
func sample() *smoke.Report {
	passed := func(host string, connect *float64) smoke.Result {
		r := smoke.Result{
			Host: host, Server: "notes", OK: true, Phase: smoke.PhaseDone, StartedMS: 1.5, DurationMS: 812.25, Exit: "exit code 0",
			Timings:  smoke.Timings{Connect: connect, Start: ptr(80.0), Handshake: ptr(95.5), List: ptr(12.0), Ping: ptr(0.75), Scenario: ptr(300.0), Shutdown: ptr(41.0)},
			Protocol: "2025-11-25", Era: "legacy", ServerInfo: &smoke.ServerInfo{Name: "notes-server", Version: "1.4.2"},
			Tools: ptr(12), Resources: ptr(0), Templates: ptr(2), Prompts: ptr(1),
			Problems: []smoke.Problem{}, Orphans: []smoke.Orphan{}, Recording: "/var/rec/" + host + ".jsonl",
			Steps: []smoke.Step{{Name: "list notes", Line: 4, Status: "passed", DurationMS: 10, N: 12}, {Name: "add a note", Line: 9, Status: "passed", DurationMS: 290, N: 16}},
		}
		if connect != nil {
			r.Timings.Auth = ptr(33.0)
		}
		return r
	}
	broken := func(host string, phase smoke.Phase, cause smoke.Cause, code, message, hint string) smoke.Result {
		return smoke.Result{
			Host: host, Server: "notes", Phase: phase, Cause: cause, Code: code, Message: message, Hint: hint, StartedMS: 2, DurationMS: 10004,
			Problems: []smoke.Problem{}, Orphans: []smoke.Orphan{}, Recording: "/var/rec/" + host + ".jsonl",
		}
	}
	quiet := passed("web-01", ptr(12.5))
	quiet.Notices = []smoke.Notice{{Code: "run.noise", Text: "startup files print 23 bytes", Said: "Welcome to \x1b[1mweb-01\x1b[0m", Hint: "print nothing there"}}
	quiet.Problems = []smoke.Problem{{ID: "RPC09", Severity: "warning", Count: 2, N: 14, Seq: 5, T: 1200, Title: "an unknown member", Detail: `"x"`}}

	quiet.Warnings, quiet.Count, quiet.ExitBy = 2, diagnosis.Count{Warnings: 1}, "shutdown"
	quiet.Spared = []smoke.Spared{{PID: 31, Command: "adb -L tcp:5037\x1b"}}
	quiet.CannotTell = []string{"leaked processes: cannot tell (cannot see processes here)"}

	lateA := broken("web-02", smoke.PhaseConnect, smoke.CauseConnect, "net.timeout", "start on web-02:22: no answer from 10.0.0.2:22 within 10.0s", "check the port, a VPN, a jump host")
	lateB := broken("web-03", smoke.PhaseConnect, smoke.CauseConnect, "net.timeout", "start on web-03:22: no answer from 10.0.0.3:22 within 10.1s", "check the port, a VPN, a jump host")
	lateB.Attempts = 3
	key := broken("web-04", smoke.PhaseHostKey, smoke.CauseHostKey, "hostkey.changed", "the key of web-04 is another one than in ~/.ssh/known_hosts:12", "ssh-keygen -R web-04\nif you know why it changed")
	key.Timings.Connect = ptr(11.0)
	login := broken("web-05", smoke.PhaseAuth, smoke.CauseAuth, "auth.denied", "login as me denied; tried publickey (1 key)", "check the user name")
	login.Timings.Connect = ptr(9.0)
	absent := broken("web-06", smoke.PhaseStart, smoke.CauseExec, "start.notfound", "notes: command not found on PATH (/usr/bin:/bin)", "")
	absent.Timings.Connect, absent.Timings.Auth = ptr(9.0), ptr(20.0)
	dies := broken("web-07", smoke.PhaseHandshake, smoke.CauseHandshake, "exited", "it ended before it answered the handshake: exit code 3", "add -e API_KEY=VALUE")
	dies.Said, dies.Exit = []string{"Traceback (most recent call last):", "KeyError: 'API_KEY' # \\ ]]> <b>"}, "exit code 3"
	dies.Timings = smoke.Timings{Connect: ptr(9.0), Auth: ptr(20.0), Start: ptr(30.0), Handshake: ptr(102.0), Shutdown: ptr(0.5)}
	step := passed("web-08", ptr(10.0))
	step.OK, step.Phase, step.Cause, step.Code, step.Message = false, smoke.PhaseScenario, smoke.CauseScenario, "expect", `step "add a note" (line 9): the result has no member id`
	step.Steps[1].Status, step.Steps[1].Problems = "failed", []string{"/id: missing", "took 290 ms, allowed are 100 ms"}
	step.Steps = append(step.Steps, smoke.Step{Name: "remove it", Line: 15, Status: "skipped"})
	drift := passed("web-09", ptr(10.0))
	drift.OK, drift.Phase, drift.Cause, drift.Code, drift.Message = false, smoke.PhaseBaseline, smoke.CauseDrift, "drift", "differs from web-01: server version changed (and 3 more)"
	drift.Drift = []smoke.Change{
		{What: "server", Name: "version", Change: "changed", From: `"1.4.2"`, To: `"1.3.0"`},
		{What: "tool", Name: "export", Change: "removed"},
		{What: "tool", Name: "add", Change: "changed", Pointer: "/inputSchema/properties/tags/maxItems", From: "10"},
		{What: "tool", Name: "add", Change: "more", Count: 7},
	}
	left := passed("web-10", ptr(10.0))
	left.OK, left.Phase, left.Cause, left.Code, left.Message = false, smoke.PhaseShutdown, smoke.CauseOrphan, "shutdown.orphan", "leaked child process (killed): 4711 node worker.js"
	left.Orphans = []smoke.Orphan{{PID: 4711, Command: "node worker.js"}, {PID: 4712, Command: "node worker.js --two", Alive: true}}
	noise := passed("web-11", ptr(10.0))
	noise.OK, noise.Phase, noise.Cause, noise.Code, noise.Message = false, smoke.PhaseDone, smoke.CauseProtocol, "FRM01", "error FRM01 at entry 9: noise on stdout"
	noise.Problems = []smoke.Problem{{ID: "FRM01", Severity: "error", Count: 3, N: 9, Seq: 2, T: 3500, Title: "noise on stdout", Detail: `"Server\u001b running"`, Breaks: "Claude Desktop"}}
	noise.ProblemsMore, noise.ProblemsBad, noise.Errors, noise.Remarks = 2, 3, 5, 1
	never := broken("web-12", smoke.PhaseWait, smoke.CauseCancelled, "cancelled", "not started: interrupted", "")
	never.Recording, never.DurationMS = "", 0
	return &smoke.Report{
		Version: 1, Tool: "mcpdbg 0.1.0", Started: time.Date(2026, 11, 21, 10, 0, 0, 123_000_000, time.UTC), DurationMS: 12345.678, Seed: 42,
		Scenario: "notes", Baseline: "web-01", Checked: "framing; message contents not checked",
		Targets: []smoke.Result{
			passed(smoke.Local, nil), quiet, lateA, lateB, key, login, absent, dies, step, drift, left, noise, never,
		},
	}
}

// empty returns a minimal report.
func empty() *smoke.Report {
	return &smoke.Report{Targets: []smoke.Result{{}, {OK: true}}}
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

func asHTML(t testing.TB, r *smoke.Report) []byte {
	return written(t, func(w io.Writer) error { return HTML(w, r) })
}

func TestHTMLGolden(t *testing.T) {
	page := asHTML(t, sample())
	_, body, _ := bytes.Cut(page, []byte("<body>"))
	body, _, _ = bytes.Cut(body, []byte("<script>"))
	golden(t, "sample.html", body)
	asHTML(t, empty())
	asHTML(t, &smoke.Report{})
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
