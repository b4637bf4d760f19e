package smoke_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify"
)

// shards writes the reports of a plan of three shards with four targets each, of which the
// last of the third failed.
func shards(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var ids, files []string
	for i := range 12 {
		ids = append(ids, fmt.Sprintf("notes@web-%02d", i))
	}
	for n := 1; n <= 3; n++ {
		r := verify.NewReport("smoke", time.Date(2026, 11, 24, 2, n, 0, 0, time.UTC))
		r.ID, r.OK = verify.NewID(r.Started, []byte("abcdef")), n != 3
		r.FailOn.Error = true
		r.Plan = verify.Plan{Hash: "9c41", Targets: 12, Shard: &verify.Shard{Index: n, Of: 3}, IDs: ids}
		for i := n - 1; i < 12; i += 3 {
			one := verify.Result{Host: fmt.Sprintf("web-%02d", i), Server: "notes", OK: i != 11, Phase: verify.PhaseDone, DurationMS: 100}
			if i == 11 {
				one.Phase, one.Cause, one.Message = verify.PhaseConnect, verify.CauseConnect, "connection refused"
			}
			r.Targets = append(r.Targets, one)
		}
		r.Settle()
		text, err := json.Marshal(r)
		require.NoError(t, err)
		files = append(files, filepath.Join(dir, fmt.Sprintf("shard-%d.json", n)))
		require.NoError(t, os.WriteFile(files[n-1], text, 0o600))
	}
	return files
}

func readBack(t *testing.T, path string) *verify.Report {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	r := new(verify.Report)
	require.NoError(t, json.Unmarshal(text, r))
	return r
}

func TestMerge(t *testing.T) {
	t.Parallel()
	files, out := shards(t), filepath.Join(t.TempDir(), "run.json")
	merge := func(args ...string) clitest.Result {
		return clitest.InProcess(t, append([]string{"smoke", "merge"}, args...)...)
	}
	r := merge(files[2], files[0], files[1], "--report", out)
	require.Equal(t, 5, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "11 of 12 targets passed")
	run := readBack(t, out)
	require.Len(t, run.Targets, 12)
	for i := range run.Targets {
		require.Equal(t, fmt.Sprintf("notes@web-%02d", i), run.Targets[i].ID, "in the order of the plan, each once")
	}
	require.Equal(t, []string{"notes@web-11"}, run.Failures)
	require.Equal(t, 2*60_000+100.0, run.Targets[2].StartedMS+run.Targets[2].DurationMS)

	r = merge(files[0], files[2], "--report", out)
	require.Equal(t, 5, r.Code)
	require.Contains(t, r.Stderr, "missing: 1 shard of 3 (4 targets not run)")
	run = readBack(t, out)
	require.Equal(t, 4, run.Counts.Stopped)
	require.Equal(t, "web-01", run.Targets[1].Host)
	require.Equal(t, "not run: no report of shard 2", run.Targets[1].Message)
	require.Equal(t, 5, merge(files[0], files[1], "--quiet").Code, "a missing shard alone")

	whole := merge(out, "--report", "junit:-")
	require.Contains(t, whole.Stdout, `<testsuite`, "one file is converted")

	r = merge(files[0], files[0], files[1], files[2], "--expect", "host <= 1%", "--expect", "failed <= 50%")
	require.Equal(t, 1, r.Code, "a failed expectation is a failure of its own: %s", r.Stderr)
	require.Contains(t, r.Stderr, "two reports of shard 1")
	require.Contains(t, r.Stderr, "expectation failed: host <= 1%: 8.3%")
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, "x")
	for args, says := range map[string]string{
		"smoke merge":                                 "smoke merge takes one or more reports",
		"smoke merge " + file:                         "not a report",
		"smoke merge " + file + " --report x":         "--report x: unknown format",
		"smoke merge " + file + " --fail-on nonsense": "",
	} {
		r := clitest.InProcess(t, strings.Fields(args)...)
		require.Equal(t, 2, r.Code, "%s: %s%s", args, r.Stdout, r.Stderr)
		require.Contains(t, r.Stderr, says, args)
	}
	files := shards(t)
	change := func(old, next string) string {
		text, err := os.ReadFile(files[1])
		require.NoError(t, err)
		return clitest.WriteFile(t, strings.ReplaceAll(string(text), old, next))
	}
	for says, second := range map[string]string{
		"another plan": change(`"hash":"9c41"`, `"hash":"9c42"`), "of a whole run": change(`"shard":{"index":2,"of":3},`, ""),
		"shard 9 of 3": change(`"index":2`, `"index":9`), "is in two shards": change(`"id":"notes@web-01"`, `"id":"notes@web-00"`),
	} {
		r := clitest.InProcess(t, "smoke", "merge", files[0], second, files[2])
		require.Equal(t, 2, r.Code, "%s%s", r.Stdout, r.Stderr)
		require.Contains(t, r.Stderr, says)
	}
}

func TestMergeReports(t *testing.T) {
	t.Parallel()
	files, dir := shards(t), t.TempDir()
	args := append([]string{"smoke", "merge", "--quiet", "--history", filepath.Join(dir, "nightly")}, files...)
	for _, name := range []string{"run.json", "run.xml", "run.html", "run.md", "run.sarif", "nightly.prom", "gl.codequality.json"} {
		args = append(args, "--report", filepath.Join(dir, name))
	}
	r := clitest.InProcess(t, args...)
	require.Equal(t, 5, r.Code, r.Stderr)
	for name, says := range map[string]string{
		"run.json": `"runs":1`, "run.xml": "<testsuite", "run.html": "<html", "run.md": "11 of 12", "run.sarif": `"version"`,
		"nightly.prom": `mcpdbg_target_reached{server="notes",host="web-11",run="nightly"} 0`, "gl.codequality.json": `"severity":"critical"`,
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, r.Stderr)
		require.Contains(t, string(text), says, name)
	}
	digests, err := os.ReadDir(filepath.Join(dir, "nightly"))
	require.NoError(t, err)
	require.Len(t, digests, 1)
}
