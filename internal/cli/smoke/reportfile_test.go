package smoke_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify/report"
)

// Both commands write all formats, and their reports can be read.
func TestReportFiles(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"smoke", "check"} {
		dir := t.TempDir()
		args := []string{command}
		names := []string{"run.json", "run.jsonl", "run.xml", "run.html", "run.md", "run.sarif", "run.prom", "gl.codequality.json"}
		for _, name := range names {
			args = append(args, "--report", filepath.Join(dir, name))
		}
		r := clitest.InProcess(t, append(args, "--", "no-such-server-anywhere")...)
		require.Equal(t, 3, r.Code, r.Stderr)
		for _, name := range names {
			info, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err, "%s: %s", command, r.Stderr)
			require.NotZero(t, info.Size(), name)
		}
		for _, name := range names[:2] {
			file, err := os.Open(filepath.Join(dir, name))
			require.NoError(t, err)
			read, err := report.Read(file)
			require.NoError(t, file.Close())
			require.NoError(t, err)
			require.Equal(t, command, read.Command)
			require.Len(t, read.Failures, 1)
		}
		r = clitest.InProcess(t, command, "--report", "x", "--", "server")
		require.Equal(t, 2, r.Code)
		require.Contains(t, r.Stderr, "--report x: unknown format")
		r = clitest.InProcess(t, command, "--report", "junit:-", "--json", "--", "server")
		require.Equal(t, 2, r.Code)
		require.Contains(t, r.Stderr, "both write to standard output")
	}
}

// Both forms of a report are baselines.
func TestReportAsBaseline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "run.json"), filepath.Join(dir, "run.jsonl")}
	r := clitest.Run(t, clitest.Against("", "smoke", "--recordings", dir, "--report", files[0], "--report", files[1])...)
	require.Equal(t, 0, r.Code, r.Stderr)
	for _, file := range files {
		r := clitest.Run(t, "smoke", "--no-record", "--baseline", file, "--", clitest.Binary(), "demo-server", "--changed")
		require.Equal(t, 1, r.Code, r.Stdout+r.Stderr)
		require.Contains(t, r.Stdout, "drift: ")
	}
}
