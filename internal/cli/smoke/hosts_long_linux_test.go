//go:build long

package smoke_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify/report"
)

// Of two hundred hosts, about every third is broken: each problem is identified,
// within a memory limit, and no process is leaked.
func TestLongSmokeOfTwoHundredHosts(t *testing.T) {
	const memoryPerTarget = 3 << 19
	l := newLab(t)
	cmd := l.smoke(t, "--json", "--ssh-connect-timeout", "6s", "--jobs", "12")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	first := make([]byte, 1)
	_, err = io.ReadFull(out, first) // it is done, and its output exceeds the pipe
	require.NoError(t, err, &stderr)
	memory := clitest.PeakMemory(t, cmd.Process.Pid)
	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	_ = cmd.Wait() // its code is checked below
	require.Equal(t, 1, cmd.ProcessState.ExitCode(), &stderr)
	require.Empty(t, clitest.Left(cmd), "leaked processes")
	l.waitIdle(t)

	var report report.SmokeV1
	require.NoError(t, json.Unmarshal(append(first, rest...), &report))
	t.Logf("%d targets in %.1f s, %.2f MiB each", len(report.Targets), report.DurationMS/1000, float64(memory)/float64(len(report.Targets))/(1<<20))
	require.Less(t, memory, len(l.hosts)*memoryPerTarget)
	require.Len(t, report.Targets, len(l.hosts))
	wrong := 0
	for i, r := range report.Targets {
		require.Equal(t, l.hosts[i], r.Host, "in the order in which they were given")
		if problem := l.judge(r); problem != "" {
			wrong++
			t.Errorf("%s: %s: %s", r.Host, problem, r.Message)
		}
	}
	require.Zero(t, wrong)
}

// judge returns what is wrong with a result, or "".
func (l *lab) judge(r report.TargetV1) string {
	kind := l.kinds[r.Host]
	switch {
	case r.Phase != kind.phase || r.Cause != kind.cause || r.Code != kind.code:
		return fmt.Sprintf("is %s/%s/%s and not %s/%s/%s", r.Phase, r.Cause, r.Code, kind.phase, kind.cause, kind.code)
	case r.OK != (kind.cause == ""):
		return fmt.Sprintf("ok is %v", r.OK)
	case !r.OK && (r.Message == "" || r.Hint == "" && len(r.Said) == 0):
		return "has no message, or neither a hint nor quoted output"
	case r.OK && (r.Tools == nil || *r.Tools == 0):
		return "has no tools"
	case (len(r.Orphans) > 0) != (kind.name == "orphan"):
		return fmt.Sprintf("has the orphans %v", r.Orphans)
	case (len(r.Notices) > 0) != (kind.name == "banner"):
		return fmt.Sprintf("has the notices %v", r.Notices)
	}
	return ""
}
