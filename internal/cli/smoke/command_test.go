package smoke_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli"
	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

// smoked is the document of a run of smoke --json.
func smoked(t *testing.T, r clitest.Result) report.SmokeV1 {
	t.Helper()
	var report report.SmokeV1
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report), "%s%s", r.Stdout, r.Stderr)
	require.Equal(t, 1, report.Version)
	return report
}

func TestSmokeOneServer(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, clitest.Against("", "smoke")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Regexp(t, `^ok    local +\S+ m?s  15 tools, .*\n1 of 1 target passed, in \S+ m?s\n`, r.Stdout)
	require.Regexp(t, `^mcpdbg: 1 target\nmcpdbg: recorded to .*recordings\n$`, r.Stderr)

	r = clitest.Run(t, clitest.Against("", "smoke", "--json")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	report := smoked(t, r)
	require.True(t, report.OK)
	require.Equal(t, "mcpdbg "+console.Version, report.Tool)
	require.Len(t, report.Targets, 1)
	one := report.Targets[0]
	require.Equal(t, verify.Local, one.Host)
	require.Equal(t, filepath.Base(clitest.Binary()), one.Server)
	require.Equal(t, 15, *one.Tools)
	clitest.RequireWhole(t, one.Recording)

	r = clitest.Run(t, clitest.Against("", "smoke", "--quiet")...)
	require.Equal(t, clitest.Result{}, r)
}

func TestSmokeExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code  int
		cause verify.Cause
		args  []string
	}{
		{0, "", clitest.Against("stray-text", "smoke", "--fail-on", "never")},
		{1, verify.CauseProtocol, clitest.Against("stray-text", "smoke")},
		{3, verify.CauseExec, []string{"smoke", "--", "no-such-program"}},
		{4, verify.CauseTimeout, clitest.Against("never-answers", "smoke", "--startup-timeout", "500ms")},
		{4, verify.CauseTimeout, clitest.Against("never-answers", "smoke", "--target-timeout", "500ms")},
		{5, verify.CauseResolve, []string{"smoke", "--ssh", "nohost.invalid", "--retries", "0", "--", "x"}},
	} {
		r := clitest.Run(t, append([]string{"smoke", "--json"}, c.args[1:]...)...)
		require.Equal(t, c.code, r.Code, "%q: %s%s", c.args, r.Stdout, r.Stderr)
		report := smoked(t, r)
		require.Equal(t, c.cause, report.Targets[0].Cause, "%q", c.args)
		require.Equal(t, c.code == 0, report.OK)
	}
	r := clitest.Run(t, clitest.Against("", "smoke", "--ssh", "nohost.invalid", "--ssh", "local")...)
	require.Equal(t, 5, r.Code, "passed targets do not change it")
	require.Contains(t, r.Stderr, "2 hosts x 1 server: 2 targets")
}

// All servers of a config file that can be started are tested, or those of
// --server.
func TestSmokeConfigFile(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, ".mcp.json", fmt.Sprintf(`{"mcpServers":{
		"one":{"command":%[1]q,"args":["demo-server"]},
		"web":{"type":"http","url":"https://example.invalid"},
		"two":{"command":%[1]q,"args":["demo-server","--changed"]},
		"far":{"command":"x","ssh":"nohost.invalid"}}}`, clitest.Binary()))
	targets := func(r clitest.Result) string {
		var all []string
		for _, target := range smoked(t, r).Targets {
			all = append(all, target.Host+" "+target.Server+" "+string(target.Cause))
		}
		return strings.Join(all, ", ")
	}
	r := clitest.Run(t, "smoke", "--json", "--config", file)
	require.Equal(t, 5, r.Code, r.Stderr)
	require.Equal(t, "local one , local two , nohost.invalid far resolve", targets(r))
	require.Contains(t, r.Stderr, "mcpdbg: 3 targets\n")

	r = clitest.Run(t, "smoke", "--json", "--config", file, "--server", "two", "--server", "one", "--server", "two")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, "local two , local one ", targets(r))

	r = clitest.Run(t, "smoke", "--json", "--config", file, "--server", "one", "--server", "far", "--ssh", "local", "--ssh", "no2.invalid")
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Equal(t, "local one , local far exec, no2.invalid one resolve, no2.invalid far resolve", targets(r))
	require.Contains(t, r.Stderr, "mcpdbg: 2 hosts x 2 servers: 4 targets\n")
}

func TestSmokeUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := clitest.WriteFile(t, "local\n\nme:secret@h\n")
	config := clitest.WriteFile(t, "Host web-1 web-2\n")
	file := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{"a":{"command":"x","cwd":"sub"},"b":{"command":"y ${input:k}"}}}`)
	for _, c := range []struct {
		args string
		says string
	}{
		{"smoke", "no command: put the server command after --"},
		{"smoke x -- y", `unexpected "x"`},
		{"smoke --jobs 0 -- x", "--jobs must be at least 1"},
		{"smoke --retries -1 -- x", "--retries must not be negative"},
		{"smoke --target-timeout 0s -- x", "--target-timeout must be more than 0"},
		{"smoke --fail-on info -- x", `--fail-on "info": must be a list of error`},
		{"smoke --json --quiet -- x", "cannot be combined"},
		{"smoke --tap --html - -- x", "--tap and --html - cannot be combined: both write to standard output"},
		{"smoke --junit r.xml --html ./r.xml -- x", "--junit and --html cannot write to the same file, r.xml"},
		{"smoke --var a=b -- x", "--var requires --scenario"},
		{"smoke --record r -- x", "unknown flag: --record"},
		{"smoke --recordings r --no-record -- x", "--recordings and --no-record cannot be combined"},
		{"smoke --recordings " + list + "/r -- x", "--recordings: "},
		{"smoke --server a -- x", "--server requires --config"},
		{"smoke --config " + file + " -- x", "--config and a command cannot be combined"},
		{"smoke --config " + file + " --server c", `has no server "c"`},
		{"smoke --config " + file + " --input q=1", "--input q: "},
		{"smoke --config " + file + " --ssh h", "cwd is a directory of h and must begin with /"},
		{"smoke --hosts " + dir + "/none -- x", "--hosts: open " + dir + "/none"},
		{"smoke --hosts " + list + " -- x", list + ":3: destination \"me:***@h\": contains a password"},
		{"smoke --ssh -oX=y -- x", "--ssh: destination \"-oX=y\": begins with '-'"},
		{"smoke --ssh= -- x", "--ssh: destination \"\": is empty"},
		{"smoke --ssh web-9* -F " + config + " -- x", "--ssh: web-9* matches none of the 2 hosts"},
		{"smoke --ssh web-* -F " + dir + "/none -- x", "--ssh-config: stat " + dir + "/none: no such file"},
		{"smoke --ssh h -F " + dir + "/none -- x", "--ssh-config: stat " + dir + "/none: no such file"},
		{"smoke --ssh h -F " + dir + " -- x", "--ssh-config: " + dir + " is a folder"},
		{"run --ssh h -F " + dir + "/none -- x", "--ssh-config: stat " + dir + "/none: no such file"},
		{"smoke --config " + dir + "/none", "--config: stat " + dir + "/none: no such file"},
		{"smoke --scenario " + dir + "/none -- x", "--scenario: open " + dir + "/none: no such file"},
		{"smoke --baseline " + dir + "/none -- x", "--baseline " + dir + "/none: file not found"},
		{"smoke --junit " + dir + "/none/j.xml -- x", "--junit: cannot create " + dir + "/none/j.xml: no such file"},
		{"smoke --hosts - --scenario - -- x", "--hosts and --scenario cannot both read standard input"},
		{"smoke --hosts - --hosts - -- x", "cannot both read standard input"},
		{"smoke --ssh h --ssh local -C sub -- x", "--cwd sub: with --ssh it must be an absolute path on the host"},
		{"smoke --ssh local --accept-new -- x", "--accept-new requires --ssh"},
		{"smoke --ssh h --ssh local --env-policy client -- x", "--env-policy client: cannot be combined with --ssh"},
		{"smoke --ssh h --path-from x -- x", `--path-from "x"`},
	} {
		r := clitest.InProcess(t, strings.Fields(c.args)...)
		require.Equal(t, 2, r.Code, "%s: %s%s", c.args, r.Stdout, r.Stderr)
		require.Contains(t, r.Stderr, c.says, c.args)
		require.NotContains(t, r.Stderr, "secret")
		if strings.Contains(r.Stderr, "no such file") {
			require.Contains(t, r.Stderr, "\n  try: ", c.args)
		}
		require.Empty(t, r.Stdout)
	}
}

// TestSmokeSARIFWithoutFile checks the note for results that hosted viewers drop.
func TestSmokeSARIFWithoutFile(t *testing.T) {
	t.Parallel()
	const note = "the SARIF results have no file"
	sarif := func(flags ...string) string {
		flags = append([]string{"smoke", "--fail-on", "never", "--sarif", filepath.Join(t.TempDir(), "out.sarif")}, flags...)
		return clitest.Run(t, clitest.Against("stray-text", flags...)...).Stderr
	}
	require.Contains(t, sarif(), note)
	require.NotContains(t, sarif("--source", "mcp.json"), note)
	require.NotContains(t, clitest.Run(t, clitest.Against("", "smoke", "--sarif", "-")...).Stderr, note, "no results")
}

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: cli.Main, Execute: cli.Execute})
}

// The output of smoke matches its published schema.
func TestSmokeMatchesSchema(t *testing.T) {
	t.Parallel()
	parse := func(text string) any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		require.NoError(t, err, "%s", text)
		return doc
	}
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("smoke", parse(clitest.Run(t, "schema", "smoke").Stdout)))
	schema, err := c.Compile("smoke")
	require.NoError(t, err)
	for _, fault := range []string{"", "stray-text", "dies-at-start"} {
		r := clitest.Run(t, clitest.Against(fault, "smoke", "--no-record", "--json")...)
		require.NoError(t, schema.Validate(parse(r.Stdout)), "%s", r.Stdout)
	}
}

// On a terminal a run is a grid, from which recordings are opened and servers
// debugged; the summary is printed after it is left.
func TestSmokeScreen(t *testing.T) {
	config := clitest.ConfigFile(t, ".mcp.json", `{"mcpServers":{
		"good":{"command":"DEMO","args":["demo-server"]},
		"gone":{"command":"no-such-program"}}}`)
	s := clitest.InTerminal(t, 100, 30, "sh", "-c", `"$0" "$@"; echo "ended with $?"; exec cat`, clitest.Binary(), "smoke", "--config", config)
	s.Until("SMOKE", "good", "15 tools", "gone", "exec", "causes:", "recordings")
	s.Keys("Enter")
	s.Until("FILE  ", "gone (local)", "Not started")
	s.Keys("q")
	s.Until("SMOKE")
	s.Keys("q")
	s.Until("1 of 2 targets passed, 1 failed", "ended with 3")
}

// Leaving the grid while servers run ends them first.
func TestSmokeScreenStop(t *testing.T) {
	s := clitest.OnScreen(t, 100, 30, clitest.Against("never-answers", "smoke", "--startup-timeout", "4m")...)
	s.Until("SMOKE", "handshake")
	s.Keys("q")
	s.Until("Stop the run", "y yes")
	s.Keys("y")
	s.UntilEnded()
	require.Contains(t, s.Tmux("capture-pane", "-p", "-S", "-"), "1 cancelled")
	require.Empty(t, clitest.Marked(s.Mark), "leaked processes")
}
