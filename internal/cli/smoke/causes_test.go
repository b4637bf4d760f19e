package smoke_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

// diedAtStart records a server that needs a variable which is not set, and returns the
// recording and what run printed.
func diedAtStart(t *testing.T) (file string, r clitest.Result) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "died.jsonl")
	r = clitest.Run(t, clitest.Against("dies-at-start", "run", "--record", file)...)
	require.Equal(t, 3, r.Code, "%s", r.Stderr)
	return file, r
}

// A missing variable ends the probe and the start. That is one problem for people.
func TestMissingVariableIsOneProblem(t *testing.T) {
	t.Parallel()
	file, r := diedAtStart(t)
	require.Contains(t, r.Stderr, "mcpdbg: 1 problem (1 error); checked")
	require.Regexp(t, `mcpdbg: E the server exited with code 3 before it answered, .*DEMO_API_KEY is not set; consequences: PRC03 ended unexpectedly`, r.Stderr)

	r = clitest.Run(t, "rec", "info", file)
	require.Contains(t, r.Stdout, "1 problem (1 error)\n")
	require.Regexp(t, `(?m)^E cause  entry \d+  the server exited with code 3 before it answered, .*DEMO_API_KEY is not set$`, r.Stdout)
	require.Contains(t, r.Stdout, "try: the server seems to need the environment variable DEMO_API_KEY: add -e DEMO_API_KEY=VALUE\n")
	require.Regexp(t, `(?m)^  W PRC03  entry \d+`, r.Stdout, "of the probe")
	require.Regexp(t, `(?m)^  E PRC03  entry \d+`, r.Stdout, "of the start")
	require.NotRegexp(t, `(?m)^[EW] (PRC|RPC)`, r.Stdout, "only the cause is listed")

	r = clitest.Run(t, "check", file)
	require.Equal(t, 1, r.Code)
	require.Contains(t, r.Stdout, "FAILED: 1 problem (1 error)\n")
	require.Contains(t, r.Stdout, "  error: the server exited with code 3 before it answered")
	require.Contains(t, r.Stdout, "    try: the server seems to need the environment variable DEMO_API_KEY")
	require.Contains(t, r.Stdout, "    consequences:\n    - error PRC03 ended unexpectedly: exit code 3")
}

// Documents list the consequences one by one, with their counts and the cause.
func TestConsequencesAreSingleProblemsInDocuments(t *testing.T) {
	t.Parallel()
	file, _ := diedAtStart(t)
	var info rec.Info
	require.NoError(t, json.Unmarshal([]byte(clitest.Run(t, "rec", "info", "--json", file).Stdout), &info))
	sum := 0
	for _, p := range info.Problems {
		sum += p.Count
		require.NotNil(t, p.Cause, "%+v", p)
		require.Equal(t, "variable", p.Cause.ID)
		require.Contains(t, p.Cause.Text, "DEMO_API_KEY is not set")
		require.Contains(t, p.Cause.Advice, "add -e DEMO_API_KEY=VALUE")
		require.Positive(t, p.Cause.N)
	}
	require.GreaterOrEqual(t, sum, 3)
	require.Equal(t, sum, info.Errors+info.Warnings+info.Infos, "occurrences are counted as before")

	dir := t.TempDir()
	sarif, junit := filepath.Join(dir, "sarif"), filepath.Join(dir, "junit")
	r := clitest.Run(t, "check", "--json", "--sarif", sarif, "--junit", junit, file)
	require.Equal(t, 1, r.Code)
	one := checked(t, r).Targets[0]
	listed := 0
	for _, p := range one.Problems {
		listed += p.Count
		require.Equal(t, "variable", p.Cause.ID)
	}
	require.Equal(t, sum, listed)
	text, err := os.ReadFile(sarif)
	require.NoError(t, err)
	require.Equal(t, len(one.Problems), strings.Count(string(text), `"ruleIndex"`), "a result for each")
	text, err = os.ReadFile(junit)
	require.NoError(t, err)
	require.Contains(t, string(text), `name="rule PRC03"`)
	require.Contains(t, string(text), `name="rule PRC04"`)
}

// A baseline accepts single problems: what it does not list still fails the check.
func TestBaselineAcceptsSingleConsequences(t *testing.T) {
	t.Parallel()
	file, _ := diedAtStart(t)
	some := clitest.WriteFile(t, "PRC03\nRPC19\n")
	r := clitest.Run(t, "check", "--baseline", some, file)
	require.Equal(t, 1, r.Code, "%s", r.Stdout)
	require.Contains(t, r.Stdout, "FAILED: 1 problem (1 error)\n", "PRC04 is not accepted")
	all := clitest.WriteFile(t, "PRC03\nRPC19\nPRC04\n")
	r = clitest.Run(t, "check", "--baseline", all, file)
	require.Equal(t, 0, r.Code, "%s", r.Stdout)
	require.Contains(t, r.Stdout, "ok: no problems\n")
}

// smoke counts the end of a probe once, and lists each problem in JSON.
func TestSmokeCountsCauses(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, clitest.Against("dies-on-probe", "smoke", "--no-record")...)
	require.Equal(t, 0, r.Code, "%s", r.Stderr)
	require.Contains(t, r.Stdout, "1 problem (1 warning)")
	r = clitest.Run(t, clitest.Against("dies-on-probe", "smoke", "--json", "--no-record")...)
	var report report.SmokeV1
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report))
	one := report.Targets[0]
	require.Greater(t, one.Warnings, 1)
	for _, p := range one.Problems {
		if p.Severity == "warning" {
			require.Equal(t, "exited-early", p.Cause.ID)
		}
	}
}

// Hundreds of stray lines are one problem with a count.
func TestFloodIsOneProblem(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["s"]}` + "\n")
	b.WriteString(`{"n":1,"t":0,"k":"start","process":"p","pid":1}` + "\n")
	for i := range 550 {
		fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdout","seq":%d,"why":"not-json","raw":"line %d"}`+"\n", i+2, i, i+1, i)
	}
	file := filepath.Join(t.TempDir(), "flood.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	r := clitest.Run(t, "rec", "info", file)
	require.Contains(t, r.Stdout, "1 problem (1 error)\n")
	require.Contains(t, r.Stdout, `E FRM01  entry 2, seq 1  noise on stdout: "line 0" (550 times, not all alike)`)
	require.NotContains(t, r.Stdout, "FRM01  entry 3")
	r = clitest.Run(t, "check", file)
	require.Contains(t, r.Stdout, "FAILED: 1 problem (1 error)\n")
	require.Contains(t, r.Stdout, `"line 0" (entry 2, 550 times, not all alike)`)
	one := checked(t, clitest.Run(t, "check", "--json", file)).Targets[0]
	require.Len(t, one.Problems, 100)
	var found []verify.Problem
	for _, p := range one.Problems {
		found = append(found, p.Problem)
		require.Nil(t, p.Cause)
	}
	require.Equal(t, 451, found[99].Count)
}
