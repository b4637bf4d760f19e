//go:build unix

package smoke_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
	"mcpdbg/sshexec/sshtest"
)

// fleetConfig is an ssh configuration with the hosts of all servers.
func fleetConfig(t *testing.T, servers ...*sshtest.Server) string {
	t.Helper()
	var text strings.Builder
	for _, s := range servers {
		fmt.Fprintf(&text, "Include %q\n", s.Config)
	}
	return clitest.WriteFile(t, text.String())
}

// smoking runs smoke; all its servers inherit the mark of the test.
func smoking(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := clitest.Program(t)
	for _, entry := range cmd.Env {
		if strings.HasPrefix(entry, clitest.MarkName+"=") {
			cmd.Args = append(cmd.Args, "smoke", "-e", entry)
		}
	}
	cmd.Args = append(cmd.Args, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal to prompt on
	return cmd
}

// causes returns the causes of all targets, by host.
func verdicts(report report.SmokeV1) map[string]verify.Cause {
	all := map[string]verify.Cause{}
	for _, target := range report.Targets {
		all[target.Host] = target.Cause
	}
	return all
}

// requireVerified checks that a recording is complete, however its server ended.
func requireVerified(t *testing.T, path string) {
	t.Helper()
	r := clitest.InProcess(t, "rec", "verify", path)
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
}

func TestSmokeOnHosts(t *testing.T) {
	t.Parallel()
	good := sshtest.OpenSSH(t, sshtest.Options{Aliases: []string{"web-1", "web-2", "web-3"}})
	down := sshtest.OpenSSH(t, sshtest.Options{Alias: "down"})
	down.Stop()
	denied := sshtest.OpenSSH(t, sshtest.Options{Alias: "denied"})
	require.NoError(t, os.WriteFile(denied.AuthorizedKeys, nil, 0o644))
	unknown := sshtest.OpenSSH(t, sshtest.Options{Alias: "unknown"})
	require.NoError(t, os.WriteFile(unknown.KnownHosts, nil, 0o600))
	changed := sshtest.Fake(t, sshtest.FakeOptions{WrongHostKey: true, Options: sshtest.Options{Alias: "changed", HostKeys: []string{"ed25519"}}})
	config := fleetConfig(t, good, down, denied, unknown, changed)
	list := clitest.WriteFile(t, "# all of them\nlocal\nweb-*\n!web-3\nweb-1\ndown # for repair\ndenied\n")

	dir := filepath.Join(t.TempDir(), "recordings")
	r := clitest.Finish(t, smoking(t, clitest.Against("", "--json", "-F", config, "--hosts", list, "--ssh", "unknown", "--ssh", "changed", "--recordings", dir)...))
	require.Equal(t, 5, r.Code, r.Stderr)
	report := smoked(t, r)
	require.Equal(t, map[string]verify.Cause{
		"unknown": verify.CauseHostKey, "changed": verify.CauseHostKey, "local": "", "web-1": "", "web-2": "",
		"down": verify.CauseConnect, "denied": verify.CauseAuth,
	}, verdicts(report))
	var hosts []string
	for _, target := range report.Targets {
		hosts = append(hosts, target.Host)
		requireVerified(t, target.Recording)
		require.Equal(t, dir, filepath.Dir(target.Recording))
		if target.Host != verify.Local {
			require.Contains(t, filepath.Base(target.Recording), "-"+target.Host+"-")
		}
	}
	require.Equal(t, []string{"unknown", "changed", "local", "web-1", "web-2", "down", "denied"}, hosts, "as they were named")
	require.Contains(t, report.Targets[0].Hint, "ssh-", "the line for known_hosts")
	require.Contains(t, r.Stderr, "7 hosts x 1 server: 7 targets")

	cmd := smoking(t, clitest.Against("", "--quiet", "-F", config, "--hosts", "-")...)
	cmd.Stdin = strings.NewReader("web-?\nlocal\n")
	require.Equal(t, clitest.Result{}, clitest.Finish(t, cmd))
}

// TestSmokeHangingLoginShell: a hang between the login and the running server
// is a timeout of that phase, whatever the startup files printed before.
func TestSmokeHangingLoginShell(t *testing.T) {
	t.Parallel()
	for name, startup := range map[string]string{
		"in silence":        "sleep 1000\n",
		"behind a greeting": "echo waiting for the licence server\nsleep 1000\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := sshtest.User(t, clitest.Need(t, "bash"))
			require.NoError(t, os.WriteFile(filepath.Join(user.Home, ".bashrc"), []byte(startup), 0o644))
			s := sshtest.OpenSSH(t, sshtest.Options{User: user.Name})
			r := clitest.Finish(t, smoking(t, "--json", "-F", s.Config, "--ssh", s.Alias, "--ssh-launch-timeout", "1s", "--", "my-server"))
			require.Equal(t, 4, r.Code, r.Stdout+r.Stderr)
			one := smoked(t, r).Targets[0]
			require.Equal(t, []any{verify.PhaseStart, verify.CauseTimeout, "start.timeout"}, []any{one.Phase, one.Cause, one.Code}, one.Message)
			require.Contains(t, one.Message, "no reply from the remote shell within the limit of 1s")
			require.Contains(t, one.Hint, "raise --ssh-launch-timeout")
		})
	}
}

// A server that differs from that of another host, or from an earlier report, is
// drift.
func TestSmokeBaseline(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	r := clitest.Finish(t, smoking(t, clitest.Against("", "--json", "-F", s.Config, "--ssh", s.Alias, "--ssh", "local", "--baseline", "local")...))
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	require.Equal(t, "local", smoked(t, r).Baseline)

	before := clitest.WriteFile(t, r.Stdout)
	r = clitest.Finish(t, smoking(t, "--json", "--baseline", before, "--", clitest.Binary(), console.DemoServer, "--changed"))
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Equal(t, verify.CauseDrift, smoked(t, r).Targets[0].Cause)
	require.NotEmpty(t, smoked(t, r).Targets[0].Drift)

	r = clitest.Finish(t, smoking(t, clitest.Against("", "--baseline", smoked(t, r).Targets[0].Recording)...))
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "drift")

	tools := filepath.Join(t.TempDir(), "tools.jsonl")
	require.Equal(t, 0, clitest.InProcess(t, clitest.Against("", "list", "--record", tools, "tools")...).Code)
	r = clitest.Finish(t, smoking(t, clitest.Against("", "--baseline", tools)...))
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	require.Contains(t, r.Stderr, "mcpdbg: note: --baseline "+tools+": resources and prompts of the server ")
	require.Equal(t, clitest.Result{}, clitest.Finish(t, smoking(t, clitest.Against("", "--quiet", "--baseline", tools)...)))

	for args, says := range map[string]string{
		"x":                                  "--baseline x: file not found, and not one of the tested hosts",
		clitest.WriteFile(t, "no recording"): "try: a recording, or a report in JSON of mcpdbg smoke",
	} {
		r = clitest.Finish(t, smoking(t, clitest.Against("", "--baseline", args)...))
		require.Equal(t, 2, r.Code)
		require.Contains(t, r.Stderr, says)
	}
}

// hanging returns a config file whose first server works, while the others do not
// respond.
func hanging(t *testing.T, n int) string {
	t.Helper()
	servers := []string{`"good":{"command":"DEMO","args":["demo-server"]}`}
	for i := range n {
		servers = append(servers, fmt.Sprintf(`"hung-%d":{"command":"DEMO","args":["demo-server","--misbehave","never-answers"]}`, i))
	}
	return clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{`+strings.Join(servers, ",")+`}}`)
}

// TestSmokeBaselineServerByName: aliases of one host share its connections, and
// the baseline may be the last to get one.
func TestSmokeBaselineServerByName(t *testing.T) {
	t.Parallel()
	names := []string{"web-1", "web-2", "web-3", "web-4", "web-5", "web-6", "web-7", "web-8"}
	s := sshtest.OpenSSH(t, sshtest.Options{Aliases: names})
	args := []string{"--json", "-F", s.Config, "--baseline", "web-8"}
	for _, name := range names {
		args = append(args, "--ssh", name)
	}
	r := clitest.Finish(t, smoking(t, clitest.Against("", args...)...))
	require.Equal(t, console.ExitOK, r.Code, r.Stdout+r.Stderr)
}

// A signal ends all local and remote targets, and the results so far are written.
func TestSignalEndsSmoke(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	page := filepath.Join(t.TempDir(), "j.xml")
	w := clitest.Watch(t, smoking(t, "--jsonl", "--junit", page, "--jobs", "8", "-F", s.Config, "--ssh", "local", "--ssh", s.Alias, "--config", hanging(t, 3)))
	w.Until(`"host":"local","server":"good","ok":true`)
	w.Until(`"host":"` + s.Alias + `","server":"good","ok":true`)
	require.NoError(t, w.Cmd.Process.Signal(os.Interrupt))
	r := w.End()
	require.Equal(t, 130, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "mcpdbg: ended by signal: interrupt\n")
	lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
	require.Len(t, lines, 1+8+1)
	require.Equal(t, 6, strings.Count(r.Stdout, `"cause":"cancelled"`))
	require.Contains(t, lines[9], `"passed":2,"failed":0,"cancelled":6`)
	for _, line := range lines[1:9] {
		var target report.TargetV1
		require.NoError(t, json.Unmarshal([]byte(line), &target))
		if target.Phase != verify.PhaseWait {
			requireVerified(t, target.Recording)
		}
	}
	require.Equal(t, 6, strings.Count(requireXML(t, page), `type="cancelled`))
}

// requireXML checks that a file is well-formed, and returns it.
func requireXML(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var any struct{}
	require.NoError(t, xml.Unmarshal(data, &any))
	return string(data)
}

func TestSecondSignalKillsSmoke(t *testing.T) {
	t.Parallel()
	config := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{
		"good":{"command":"DEMO","args":["demo-server"]},
		"stubborn":{"command":"DEMO","args":["demo-server","--misbehave","not-reading-stdin-now"]}}}`)
	w := clitest.Watch(t, smoking(t, "--jsonl", "--jobs", "2", "--config", config))
	w.Until(`"server":"good","ok":true`)
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, w.Cmd.Process.Signal(syscall.SIGTERM))
	r := w.End()
	require.Equal(t, 143, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `"cause":"cancelled"`)
}

func TestSmokeFailFast(t *testing.T) {
	t.Parallel()
	config := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{
		"hung":{"command":"DEMO","args":["demo-server","--misbehave","never-answers"]},
		"missing":{"command":"no-such-program"},
		"late":{"command":"DEMO","args":["demo-server"]}}}`)
	r := clitest.Finish(t, smoking(t, "--json", "--fail-fast", "--jobs", "2", "--startup-timeout", "4m", "--config", config))
	require.Equal(t, 3, r.Code, "cancelled targets do not count: %s", r.Stderr)
	var causes []verify.Cause
	for _, target := range smoked(t, r).Targets {
		causes = append(causes, target.Cause)
	}
	require.Equal(t, []verify.Cause{verify.CauseCancelled, verify.CauseExec, verify.CauseCancelled}, causes)
}

// A closed stdout ends the run, and is not an error.
func TestSmokeWithBlockedOutput(t *testing.T) {
	t.Parallel()
	cmd := smoking(t, "--jsonl", "--jobs", "2", "--config", hanging(t, 3))
	out, closed, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, out.Close())
	cmd.Stdout = closed
	defer closed.Close()
	r := clitest.Finish(t, cmd)
	require.Equal(t, 0, r.Code, r.Stderr)
}

// Targets that were not begun have no line, and failed reports are not listed as
// written.
func TestSmokeLines(t *testing.T) {
	t.Parallel()
	r := clitest.Finish(t, smoking(t, "--fail-fast", "--jobs", "1", "--junit", "/dev/full", "--config", clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{"a":{"command":"no-such-program"},"b":{"command":"DEMO","args":["demo-server"]},"c":{"command":"DEMO","args":["demo-server"]}}}`)))
	require.Equal(t, 1, strings.Count(r.Stdout, "FAIL  "), r.Stdout)
	require.NotContains(t, r.Stdout, "stop  ")
	require.Contains(t, r.Stdout, "\nnot begun: local/b, local/c (not begun: another target failed)\n")
	require.NotContains(t, r.Stderr, "wrote /dev/full")
	require.Contains(t, r.Stderr, "no space left on device")
}

func TestSmokeReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := filepath.Join(dir, "j.xml")
	require.NoError(t, os.WriteFile(page, []byte("of an earlier run"), 0o600))
	browser := filepath.Join(dir, "page.html")
	r := clitest.Finish(t, smoking(t, clitest.Against("stray-text", "--tap", "--junit", page, "--html", browser)...))
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "TAP version 13\n1..1\nnot ok 1 - local ")
	require.Contains(t, requireXML(t, page), "FRM01")
	require.Contains(t, r.Stderr, "mcpdbg: wrote "+page+"\nmcpdbg: wrote "+browser+"\n")
	html, err := os.ReadFile(browser)
	require.NoError(t, err)
	require.Contains(t, string(html), "FRM01")

	r = clitest.Finish(t, smoking(t, clitest.Against("", "--junit", "-")...))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.True(t, strings.HasPrefix(r.Stdout, "<?xml"), r.Stdout)

	trace := filepath.Join(dir, "trace")
	for args, says := range map[string]string{
		"--junit " + dir + "/no/j.xml": "--junit: cannot create " + dir + "/no/j.xml",
		"--junit " + dir:               "--junit: " + dir + " is a folder",
		"--recordings " + page:         "--recordings: mkdir",
	} {
		r = clitest.Finish(t, smoking(t, slices.Concat(strings.Fields(args), []string{"--", "touch", trace})...))
		require.Equal(t, 2, r.Code, "%s: %s", args, r.Stderr)
		require.Contains(t, r.Stderr, says)
		require.NoFileExists(t, trace, "nothing was started")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".mcpdbg-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestSmokeCannotRecord: an unwritable state folder is an error before the run,
// not a failure of targets.
func TestSmokeCannotRecord(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, "no folder")
	trace := filepath.Join(t.TempDir(), "trace")
	r := clitest.Finish(t, smoking(t, "--recordings", file, "--", "touch", trace))
	require.Equal(t, 2, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "mcpdbg: --recordings: mkdir "+file)
	require.NoFileExists(t, trace)
}

// TestSmokeSkippedServers: skipped servers of a config file are listed, but not
// with --quiet.
func TestSmokeSkippedServers(t *testing.T) {
	t.Parallel()
	config := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{
		"good":{"command":"DEMO","args":["demo-server"]},
		"web":{"url":"https://example.com/mcp"}}}`)
	const note = `:3: server "web" is not tested: HTTP servers are not supported yet`
	r := clitest.Finish(t, smoking(t, "--config", config))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, note)
	for _, flag := range []string{"--quiet", "--server=good"} {
		r = clitest.Finish(t, smoking(t, "--config", config, flag))
		require.Equal(t, 0, r.Code, r.Stderr)
		require.NotContains(t, r.Stderr, "web")
	}
}

func TestSmokeScenario(t *testing.T) {
	t.Parallel()
	const text = `scenario: 1
name: echoes
vars:
  what: {}
steps:
  - tool: echo
    arguments: {message: "${what}"}
    expect:
      result: {content: [{text: hi}]}
`
	steps := clitest.WriteFile(t, text)
	r := clitest.Finish(t, smoking(t, clitest.Against("", "--json", "--scenario", steps, "--var", "what=hi")...))
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	require.Equal(t, "echoes", smoked(t, r).Scenario)
	require.Equal(t, verify.Passed, smoked(t, r).Targets[0].Steps[0].Status)
	r = clitest.Finish(t, smoking(t, clitest.Against("", "--json", "--scenario", steps, "--var", "what=ho")...))
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Equal(t, verify.CauseScenario, smoked(t, r).Targets[0].Cause)
	r = clitest.Finish(t, smoking(t, clitest.Against("", "--scenario", steps)...))
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "what")

	cmd := smoking(t, clitest.Against("", "--quiet", "--scenario", "-", "--var", "what=hi")...)
	cmd.Stdin = strings.NewReader(text)
	require.Equal(t, clitest.Result{}, clitest.Finish(t, cmd))
	cmd = clitest.Program(t, clitest.Against("", "run", "--scenario", "-", "--var", "what=ho")...)
	cmd.Stdin = strings.NewReader(text)
	r = clitest.Finish(t, cmd)
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "  standard input:9:")
}

// TestFailOnSidesOnHosts has three good hosts and one that refuses connections.
func TestFailOnSidesOnHosts(t *testing.T) {
	t.Parallel()
	good := sshtest.OpenSSH(t, sshtest.Options{Aliases: []string{"web-1", "web-2", "web-3"}})
	down := sshtest.OpenSSH(t, sshtest.Options{Alias: "down"})
	down.Stop()
	config := fleetConfig(t, good, down)
	for _, tt := range []struct {
		hosts, failOn string
		exit          int
	}{
		{"web-?\ndown\n", "server", 0}, {"web-?\ndown\n", "host", 5}, {"web-?\ndown\n", "error", 5}, {"down\n", "server", 5},
	} {
		list := clitest.WriteFile(t, tt.hosts)
		for _, command := range [][]string{{"smoke"}, {"check", "--no-calls"}} {
			args := append(command, "-F", config, "--hosts", list, "--fail-on", tt.failOn)
			r := clitest.Run(t, clitest.Against("", args...)...)
			require.Equal(t, tt.exit, r.Code, "%q %s: %s%s", args, tt.hosts, r.Stdout, r.Stderr)
		}
	}
}
