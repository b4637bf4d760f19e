package smoke_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

// checked is the document of check --json.
func checked(t *testing.T, r clitest.Result) report.CheckV1 {
	t.Helper()
	var report report.CheckV1
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report), "%s%s", r.Stdout, r.Stderr)
	require.Equal(t, 1, report.Version)
	return report
}

// stepsOf returns the statuses of the steps of a target, by their fingerprints.
func stepsOf(r *report.CheckTargetV1) map[string]string {
	all := map[string]string{}
	for _, s := range r.Steps {
		step := verify.Step{Name: s.Name, Era: s.Era, Subject: s.Subject}
		all[strings.TrimPrefix(step.Fingerprint(), "step/")] = string(s.Status)
	}
	return all
}

// quickCalls are arguments with which the tools of the demo server are fast.
func quickCalls(t *testing.T) []string {
	return []string{"--args", clitest.WriteFile(t, `{"slow":{"seconds":0.5,"steps":2},"big":{"bytes":10},"ask":{},"roots":{}}`)}
}

// The demo server speaks both eras and passes all steps that can be taken.
func TestCheckHealthyServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := append([]string{"check", "--json", "--record", filepath.Join(dir, "rec")}, quickCalls(t)...)
	for _, kind := range []string{"junit", "markdown", "sarif"} {
		args = append(args, "--"+kind, filepath.Join(dir, kind))
	}
	answers := clitest.WriteFile(t, `{"elicitation/create":{"action":"decline"},"roots/list":{"roots":[]}}`)
	r := clitest.Run(t, clitest.Against("", append(args, "--answers", answers)...)...)
	require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
	report := checked(t, r)
	require.Len(t, report.Targets, 1)
	one := report.Targets[0]
	for step, status := range stepsOf(&one) {
		want := "passed"
		if strings.HasSuffix(step, " fail") || strings.HasSuffix(step, " sample") || strings.HasSuffix(step, "legacy job") { // destructive, open to the world, a task
			want = "not checked"
		}
		require.Equal(t, want, status, "%s: %+v", step, one.Steps)
	}
	require.Contains(t, stepsOf(&one), "cancellation modern")
	require.Contains(t, stepsOf(&one), "cancellation legacy")
	for _, p := range one.Problems {
		require.Equal(t, "info", p.Severity, "%+v", p) // it uses what is deprecated, to show it
	}
	require.Len(t, one.Recordings, 7)
	for _, path := range one.Recordings {
		clitest.RequireHashed(t, path)
	}
	require.Contains(t, r.Stderr, "does not call fail, sample")
	require.Contains(t, r.Stderr, "limits: 30s to start")
	for _, kind := range []string{"junit", "markdown", "sarif"} {
		info, err := os.Stat(filepath.Join(dir, kind))
		require.NoError(t, err)
		require.Positive(t, info.Size())
	}

	schema := jsonschema.NewCompiler()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(clitest.Run(t, "schema", "check").Stdout))
	require.NoError(t, err)
	require.NoError(t, schema.AddResource("check", doc))
	compiled, err := schema.Compile("check")
	require.NoError(t, err)
	doc, err = jsonschema.UnmarshalJSON(strings.NewReader(r.Stdout))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(doc))

	passive := clitest.Run(t, append([]string{"check", "--json"}, one.Recordings...)...)
	require.Equal(t, 0, passive.Code, passive.Stderr)
	require.Len(t, checked(t, passive).Targets, 7)
	require.Empty(t, checked(t, passive).Targets[0].Steps)
}

// Each misbehaving server is found out by a step or by a rule.
func TestCheckMisbehavingServers(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]struct {
		code int
		step string
		rule string
	}{
		"stray-text":       {1, "", "FRM01"},
		"ignores-eof-term": {1, "sigterm", "PRC05"},
		"daemon":           {1, "leaked-processes", ""},
		"crash-mid-call":   {1, "call modern add", "PRC03"},
		"dies-at-start":    {3, "handshake", ""},
		"never-answers":    {4, "handshake", ""},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			startup := clitest.WaitLimit
			if fault == "never-answers" {
				startup = 2 * time.Second
			}
			r := clitest.Run(t, clitest.Against(fault, append([]string{"check", "--json", "--startup-timeout", startup.String()}, quickCalls(t)...)...)...)
			require.Equal(t, want.code, r.Code, "%s%s", r.Stdout, r.Stderr)
			one := checked(t, r).Targets[0]
			require.False(t, one.OK)
			if want.step != "" {
				require.Equal(t, "failed", stepsOf(&one)[want.step], "%+v", one.Steps)
			}
			if want.rule != "" {
				require.Contains(t, r.Stdout, `"id":"`+want.rule+`"`)
			}
		})
	}
}

func TestCheckConfigFile(t *testing.T) {
	t.Parallel()
	file := clitest.ConfigFile(t, ".mcp.json", fmt.Sprintf(`{"mcpServers":{
		"one":{"command":%[1]q,"args":["demo-server"]},
		"web":{"type":"http","url":"https://example.invalid"},
		"two":{"command":%[1]q,"args":["demo-server","--misbehave","dies-at-start"]}}}`, clitest.Binary()))
	r := clitest.Run(t, "check", "--json", "--no-calls", "--config", file)
	require.Equal(t, 3, r.Code, r.Stderr)
	report := checked(t, r)
	require.Len(t, report.Targets, 2)
	require.True(t, report.Targets[0].OK)
	require.NotEmpty(t, report.Targets[1].Error)
	require.Equal(t, file, report.Targets[0].Source)
	require.Contains(t, r.Stderr, "checking 2 servers")
	require.Contains(t, r.Stderr, `server "web" is not tested`)

	sarif := filepath.Join(t.TempDir(), "o.sarif")
	r = clitest.Run(t, "check", "--no-calls", "--config", file, "--server", "one", "--era", "legacy", "--fail-on", "not-checked", "--sarif", sarif)
	require.Equal(t, 1, r.Code, "an unchecked step is not passed: %s", r.Stdout)
	require.Contains(t, r.Stdout, "no calls (--no-calls)")
	require.NotContains(t, r.Stdout, "modern")
}

// A baseline accepts problems, and expires.
func TestCheckBaseline(t *testing.T) {
	t.Parallel()
	baseline := filepath.Join(t.TempDir(), "accepted.txt")
	args := func(more ...string) []string {
		return clitest.Against("stray-text", append([]string{"check", "--no-calls", "--accepted", baseline}, more...)...)
	}
	r := clitest.Run(t, args()...)
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "--update to write it")
	r = clitest.Run(t, args("--update-baseline")...)
	require.Equal(t, 0, r.Code, r.Stdout)
	text, err := os.ReadFile(baseline)
	require.NoError(t, err)
	require.Contains(t, string(text), "\nFRM01\n  reason:\n")

	require.NoError(t, os.WriteFile(baseline, bytes.Replace(text, []byte("reason:"), []byte("reason: old logger"), 1), 0o600))
	r = clitest.Run(t, args("--update-baseline")...)
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Regexp(t, `accepted with \d+ other texts: old logger`, strings.Join(strings.Fields(r.Stdout), " "))

	require.NoError(t, os.WriteFile(baseline, []byte("FRM01\n  reason: old logger\n  expires: 2026-01-01\nFRM02\n"), 0o600))
	r = clitest.Run(t, args()...)
	require.Equal(t, 1, r.Code)
	require.Contains(t, r.Stdout, "accepted until a date that is past:\n  FRM01, until 2026-01-01: old logger")
	require.Contains(t, r.Stdout, "no longer found, and still in the baseline:\n  FRM02")
}

func TestCheckRules(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, clitest.Against("stray-text", "check", "--no-calls", "--skip", "frm01")...)
	require.Equal(t, 0, r.Code, r.Stdout)
	r = clitest.Run(t, clitest.Against("stray-text", "check", "--no-calls", "--only", "FRM02")...)
	require.Equal(t, 0, r.Code, r.Stdout)
}

func TestCheckAnnotations(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	r := clitest.Run(t, clitest.Against("stray-text", "check", "--no-calls", "--source", "a,b.json")...)
	require.Contains(t, r.Stderr, "::error file=a%2Cb.json,line=1,title=FRM01 noise on stdout::")
}

func TestCheckUsage(t *testing.T) {
	t.Parallel()
	args := clitest.WriteFile(t, `{"a":[]}`)
	baseline := clitest.WriteFile(t, "A\nA\n")
	for _, c := range []struct{ args, says string }{
		{"check", "no command: put the server command after --"},
		{"check x.jsonl -- y", "check takes recordings or a server, not both"},
		{"check nothing.jsonl", "nothing.jsonl"},
		{"check --no-calls " + baseline, "--no-calls cannot be combined with a recording"},
		{"check --update-baseline -- x", "--update requires --accepted"},
		{"check --update-baseline --baseline b --only FRM01 -- x", "cannot be combined with --only and --skip"},
		{"check --only FRM1 -- x", "--only FRM1: unknown rule"},
		{"check --fail-on bad -- x", `--fail-on "bad": must be a list of error`},
		{"check --step-timeout 0s -- x", "--step-timeout must be more than 0"},
		{"check --allow-calls [ -- x", "--allow-calls \"[\""},
		{"check --no-calls --args f -- x", "--no-calls cannot be combined"},
		{"check --args " + args + " -- x", "the arguments must be an object"},
		{"check --baseline " + baseline + " -- x", "A is listed twice"},
		{"check --json --sarif - -- x", "both write to standard output"},
		{"check --junit a --sarif ./a -- x", "cannot write to the same file"},
		{"check --server a -- x", "--server requires --config"},
		{"check --sarif /no/such/folder/x -- x", "--sarif: cannot create"},
		{"check https://example.com/mcp", "server URLs are not supported"},
	} {
		r := clitest.InProcess(t, strings.Fields(c.args)...)
		require.Equal(t, 2, r.Code, "%s: %s%s", c.args, r.Stdout, r.Stderr)
		require.Contains(t, r.Stderr, c.says, c.args)
	}
}

// A real server follows the protocol in all that check can judge.
func TestCheckRealServer(t *testing.T) {
	t.Parallel()
	args := clitest.WriteFile(t, `{"trigger-long-running-operation":{"duration":1,"steps":2}}`)
	r := clitest.Run(t, "check", "--json", "--startup-timeout", "4m", "--args", args, "--", clitest.Reference(t), "stdio")
	report := checked(t, r)
	one := report.Targets[0]
	require.Equal(t, "not applicable", stepsOf(&one)["handshake modern"])
	for step, status := range stepsOf(&one) {
		if step != "bogus-cursor legacy" { // it ignores cursors
			require.NotEqual(t, "failed", status, "%s: %+v", step, one.Steps)
		}
	}
	require.Equal(t, "passed", stepsOf(&one)["call legacy echo"])
}

// hugeTime is a recording of two lines whose time is the largest integer.
func hugeTime(t *testing.T) string {
	return clitest.WriteFile(t, clitest.GoldenLines(t)[0]+`{"n":1,"t":9223372036854775807,"k":"start","process":"p"}`+"\n")
}

func TestHugeTimeIsInvalid(t *testing.T) {
	t.Parallel()
	file := hugeTime(t)
	for _, args := range [][]string{{"rec", "info"}, {"rec", "export", "--format", "md", "-o", "-"}, {"rec", "cat"}, {"check"}} {
		r := clitest.InProcess(t, append(args, file)...)
		require.Equal(t, 0, r.Code, "%q: %s", args, r.Stderr)
	}
	require.Contains(t, clitest.InProcess(t, "rec", "info", file).Stdout, "1 line that is not an entry")
	require.Contains(t, clitest.InProcess(t, "rec", "verify", file).Stdout, "the next line, at byte")
}

// A recording that cannot be read does not keep check from the others.
func TestCheckGoesOnAfterUnreadableRecording(t *testing.T) {
	t.Parallel()
	text, good := clitest.WriteFile(t, "hello\n"), clitest.RuleFixtures+"healthy-legacy.jsonl"
	junit := filepath.Join(t.TempDir(), "junit.xml")
	r := clitest.InProcess(t, "check", "--json", "--junit", junit, hugeTime(t), text, good)
	require.Equal(t, 2, r.Code, r.Stderr)
	all := checked(t, r).Targets
	require.Len(t, all, 3)
	require.True(t, all[0].OK)
	require.False(t, all[1].OK)
	require.Contains(t, all[1].Error, "is not a recording: it looks like text")
	require.Contains(t, all[1].Hint, "mcpdbg rec import")
	require.True(t, all[2].OK)
	data, err := os.ReadFile(junit)
	require.NoError(t, err)
	require.Contains(t, string(data), `errors="1"`)

	r = clitest.InProcess(t, "check", text, good)
	require.Equal(t, 2, r.Code, r.Stderr)
	require.Contains(t, strings.Join(strings.Fields(r.Stdout), " "), " is not a recording: it looks like text")
	require.Regexp(t, `(?m)healthy-legacy.jsonl\n  no problems$`, r.Stdout)

	r = clitest.InProcess(t, "check", text)
	require.Equal(t, 2, r.Code)
	require.Empty(t, r.Stdout)
}
