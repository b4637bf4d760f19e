//go:build unix

package smoke_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify"
)

// ids returns the targets of a report.
func ids(r *verify.Report) (all []string) {
	for i := range r.Targets {
		all = append(all, r.Targets[i].ID)
	}
	return all
}

// Real runs of seven hosts: shards, merged, are one run.
func TestShards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hosts, whole := here("h-[1:7]", ""), filepath.Join(dir, "whole.json")
	r := planned(t, hosts, "smoke", "--no-record", "--hosts", "-", "--report", whole)
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	want := readBack(t, whole)
	require.Len(t, want.Targets, 7)

	var files []string
	for i := range 3 {
		files = append(files, filepath.Join(dir, fmt.Sprintf("shard-%d.json", i+1)))
		r := planned(t, hosts, "smoke", "--no-record", "--hosts", "-", "--shard", fmt.Sprintf("%d/3", i+1), "--report", files[i])
		require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
		shard := readBack(t, files[i])
		require.Equal(t, &verify.Shard{Index: i + 1, Of: 3}, shard.Plan.Shard)
		require.Equal(t, 7, shard.Plan.Targets, "of the whole plan")
		require.Equal(t, ids(want), shard.Plan.IDs)
		require.Len(t, shard.Targets, []int{3, 2, 2}[i])
		require.Equal(t, readBack(t, files[0]).Plan.Hash, shard.Plan.Hash)
	}
	merged := filepath.Join(dir, "merged.json")
	r = clitest.InProcess(t, "smoke", "merge", files[0], files[1], files[2], "--report", merged)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, ids(want), ids(readBack(t, merged)))
	require.Equal(t, want.Counts, readBack(t, merged).Counts)

	r = clitest.InProcess(t, "smoke", "merge", files[0], files[2], "--report", merged)
	require.Equal(t, 5, r.Code, r.Stdout+r.Stderr)
	require.Contains(t, r.Stderr, "missing: 1 shard of 3 (2 targets not run)")
	require.Equal(t, ids(want), ids(readBack(t, merged)))
	require.Equal(t, verify.OutcomeStopped, readBack(t, merged).Targets[1].Outcome)
	require.Equal(t, 2, readBack(t, merged).Counts.Stopped)
}

// madeUp writes the report of a shard of this many hosts, from the program's own plan.
func madeUp(t *testing.T, hosts string, index, of int) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "shard.json")
	r := planned(t, hosts, "smoke", "--no-record", "--hosts", "-", "--shard", fmt.Sprintf("%d/%d", index, of), "--run-timeout", "1ns", "--report", out)
	require.Equal(t, 4, r.Code, r.Stdout+r.Stderr)
	shard := readBack(t, out)
	for i := range shard.Targets {
		one := &shard.Targets[i]
		*one = verify.Result{ID: one.ID, Host: one.Host, Server: one.Server, OK: true, Phase: verify.PhaseDone, Servers: []verify.Server{{Era: "modern"}}}
	}
	return rewrite(t, shard)
}

// rewrite settles a changed report, and writes it.
func rewrite(t *testing.T, r *verify.Report) string {
	t.Helper()
	r.Settle()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return clitest.WriteFile(t, string(text))
}

// The plan of 200 hosts: a missing shard has 67 targets.
func TestManyShards(t *testing.T) {
	t.Parallel()
	hosts := here("h-[001:200]", "")
	var files []string
	for i := 1; i <= 3; i++ {
		files = append(files, madeUp(t, hosts, i, 3))
	}
	out := filepath.Join(t.TempDir(), "run.json")
	r := clitest.InProcess(t, "smoke", "merge", files[2], files[0], files[1], "--report", out)
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	run := readBack(t, out)
	require.Len(t, run.Targets, 200)
	for i, id := range ids(run) {
		require.Equal(t, fmt.Sprintf("notes@h-%03d", i+1), id)
	}
	for _, more := range [][]string{nil, {"--fail-on", "never"}, {"--fail-on", "server"}} {
		r = clitest.InProcess(t, append([]string{"smoke", "merge", files[0], files[2], "--report", out}, more...)...)
		require.Equal(t, 5, r.Code, r.Stdout+r.Stderr)
		require.Contains(t, r.Stderr, "missing: 1 shard of 3 (67 targets not run)")
		require.Equal(t, 67, readBack(t, out).Counts.Stopped)
	}
}

// Verdicts of the shards stay the same when their reports are read.
func TestMergeKeepsVerdicts(t *testing.T) {
	t.Parallel()
	hosts := here("h-[1:4]", "")
	first, second := readBack(t, madeUp(t, hosts, 1, 2)), readBack(t, madeUp(t, hosts, 2, 2))
	flaky, tolerated := &first.Targets[0], &first.Targets[1]
	flaky.Outcome, flaky.Attempts = "", []verify.Attempt{{Cause: verify.CauseConnect, Message: "refused"}}
	*tolerated = verify.Result{
		ID: tolerated.ID, Host: tolerated.Host, Server: tolerated.Server, Phase: verify.PhaseConnect, Side: verify.SideHost, Cause: verify.CauseConnect,
		Outcome: verify.OutcomeTolerated, Tolerated: &verify.Tolerance{Owner: "ana", Reason: "disk", Expires: "2099-01-01"},
	}
	out := filepath.Join(t.TempDir(), "run.json")
	merge := func(want int, args ...string) *verify.Report {
		r := clitest.InProcess(t, append([]string{"smoke", "merge", "--report", out, rewrite(t, first), rewrite(t, second)}, args...)...)
		require.Equal(t, want, r.Code, r.Stdout+r.Stderr)
		return readBack(t, out)
	}
	run := merge(0)
	require.Equal(t, verify.OutcomeFlaky, run.Targets[0].Outcome)
	require.Equal(t, verify.OutcomeTolerated, run.Targets[2].Outcome)
	require.Equal(t, "ana", run.Targets[2].Tolerated.Owner)
	require.Equal(t, verify.Counts{Passed: 2, Flaky: 1, Tolerated: 1}, verify.Counts{Passed: run.Counts.Passed, Flaky: run.Counts.Flaky, Tolerated: run.Counts.Tolerated})
	merge(1, "--fail-on", "flaky")

	down := &second.Targets[0]
	down.OK, down.Outcome, down.Servers, down.Phase, down.Cause = false, "", nil, verify.PhaseConnect, verify.CauseConnect
	merge(5)
	second.FailOn.NoHost, first.FailOn.NoHost = true, true
	require.Equal(t, []string{"notes@h-2"}, merge(0).Failures)
	for _, r := range []*verify.Report{first, second} {
		for i := range r.Targets {
			one := &r.Targets[i]
			one.OK, one.Outcome, one.Attempts, one.Tolerated, one.Servers = false, "", nil, nil, nil
			one.Side, one.Phase, one.Cause = "", verify.PhaseConnect, verify.CauseConnect
		}
	}
	merge(5) // no target reached its server
	merge(5, "--fail-on", "server")
	block := clitest.WriteFile(t, "target notes@h-2\n  owner: ana\n  reason: moved\n  expires: "+time.Now().AddDate(1, 0, 0).Format(time.DateOnly)+"\n")
	require.Equal(t, 1, merge(5, "--accepted", block).Counts.Tolerated)
}
