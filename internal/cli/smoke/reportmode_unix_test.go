//go:build unix

package smoke_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify/report"
)

// Reports have the mode that the umask leaves.
func TestReportMode(t *testing.T) {
	t.Parallel()
	for _, umask := range []string{"022", "077"} {
		path := filepath.Join(t.TempDir(), "run.json")
		cmd := clitest.Command(t, "sh", "-c", "umask "+umask+"; exec \"$0\" \"$@\"", clitest.Binary(), "check", "--report", path, "--", "no-such-server-anywhere")
		require.Equal(t, 3, clitest.Finish(t, cmd).Code)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, map[string]os.FileMode{"022": 0o644, "077": 0o600}[umask], info.Mode().Perm())
	}
}

// A reader of jsonl:- gets a target while another still runs.
func TestReportStream(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	hosts := "[here]\nslow mcp_command='sh -c \"until test -e " + gate + "; do sleep 0.1; done; exec " + clitest.Binary() + " demo-server\"'\n" + strings.TrimPrefix(here("quick", ""), "[here]\n")
	file := clitest.WriteFile(t, hosts)
	require.NoError(t, os.Chmod(file, 0o600))
	w := clitest.Watch(t, clitest.Program(t, "smoke", "--no-record", "--startup-timeout", "5m", "--hosts", file, "--report", "jsonl:-"))
	seen := w.Until(`"id":"notes@quick"`)
	require.NotContains(t, seen, `"id":"notes@slow"`)
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	r := w.End()
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	run, err := report.Read(strings.NewReader(r.Stdout))
	require.NoError(t, err)
	require.Len(t, run.Targets, 2)
	require.Equal(t, 2, run.Counts.Passed)
}
