package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/rec"
	"mcpdbg/internal/problems"
	"mcpdbg/internal/smoke"
)

// diedAtStart records a server that needs a variable which is not set, and returns the
// recording and what run printed.
func diedAtStart(t *testing.T) (file string, r result) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "died.jsonl")
	r = run(t, against("dies-at-start", "run", "--record", file)...)
	require.Equal(t, 3, r.code, "%s", r.stderr)
	return file, r
}

// A missing variable ends the probe and the start. That is one problem for people.
func TestMissingVariableIsOneProblem(t *testing.T) {
	t.Parallel()
	file, r := diedAtStart(t)
	require.Contains(t, r.stderr, "mcpdbg: 1 problem (1 error); checked")
	require.Regexp(t, `mcpdbg: E the server exited with code 3 before it answered, .*DEMO_API_KEY is not set; consequences: PRC03 ended unexpectedly`, r.stderr)

	r = run(t, "rec", "info", file)
	require.Contains(t, r.stdout, "1 problem (1 error)\n")
	require.Regexp(t, `(?m)^E cause  entry \d+  the server exited with code 3 before it answered, .*DEMO_API_KEY is not set$`, r.stdout)
	require.Contains(t, r.stdout, "try: the server seems to need the environment variable DEMO_API_KEY: add -e DEMO_API_KEY=VALUE\n")
	require.Regexp(t, `(?m)^  W PRC03  entry \d+`, r.stdout, "of the probe")
	require.Regexp(t, `(?m)^  E PRC03  entry \d+`, r.stdout, "of the start")
	require.NotRegexp(t, `(?m)^[EW] (PRC|RPC)`, r.stdout, "only the cause is listed")

	r = run(t, "check", file)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.stdout, "FAILED: 1 problem (1 error)\n")
	require.Contains(t, r.stdout, "  error: the server exited with code 3 before it answered")
	require.Contains(t, r.stdout, "    try: the server seems to need the environment variable DEMO_API_KEY")
	require.Contains(t, r.stdout, "    consequences:\n    - error PRC03 ended unexpectedly: exit code 3")
}

// Documents list the consequences one by one, with their counts and the cause.
func TestConsequencesAreSingleProblemsInDocuments(t *testing.T) {
	t.Parallel()
	file, _ := diedAtStart(t)
	var info rec.Info
	require.NoError(t, json.Unmarshal([]byte(run(t, "rec", "info", "--json", file).stdout), &info))
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
	r := run(t, "check", "--json", "--sarif", sarif, "--junit", junit, file)
	require.Equal(t, 1, r.code)
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
	some := writeFile(t, "PRC03\nRPC19\n")
	r := run(t, "check", "--baseline", some, file)
	require.Equal(t, 1, r.code, "%s", r.stdout)
	require.Contains(t, r.stdout, "FAILED: 1 problem (1 error)\n", "PRC04 is not accepted")
	all := writeFile(t, "PRC03\nRPC19\nPRC04\n")
	r = run(t, "check", "--baseline", all, file)
	require.Equal(t, 0, r.code, "%s", r.stdout)
	require.Contains(t, r.stdout, "ok: no problems\n")
}

// smoke counts the end of a probe once, and lists each problem in JSON.
func TestSmokeCountsCauses(t *testing.T) {
	t.Parallel()
	r := run(t, against("dies-on-probe", "smoke", "--no-record")...)
	require.Equal(t, 0, r.code, "%s", r.stderr)
	require.Contains(t, r.stdout, "1 problem (1 warning)")
	r = run(t, against("dies-on-probe", "smoke", "--json", "--no-record")...)
	var report smoke.Report
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
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
	r := run(t, "rec", "info", file)
	require.Contains(t, r.stdout, "1 problem (1 error)\n")
	require.Contains(t, r.stdout, `E FRM01  entry 2, seq 1  stdout noise: "line 0" (550 times, not all alike)`)
	require.NotContains(t, r.stdout, "FRM01  entry 3")
	r = run(t, "check", file)
	require.Contains(t, r.stdout, "FAILED: 1 problem (1 error)\n")
	require.Contains(t, r.stdout, `"line 0" (entry 2, 550 times, not all alike)`)
	one := checked(t, run(t, "check", "--json", file)).Targets[0]
	require.Len(t, one.Problems, 100)
	var found []problems.Problem
	for _, p := range one.Problems {
		found = append(found, p.Problem)
		require.Nil(t, p.Cause)
	}
	require.Equal(t, 451, found[99].Count)
}
