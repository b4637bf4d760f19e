//go:build unix

package smoke_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/wording"
)

// TestCommandLines: the printed command lines run what failed, open what failed, and have no
// value of a variable.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	const secret = "a-secret-of-this-test"
	for command, exit := range map[string]int{"smoke": 1, "check": 3} {
		hosts := clitest.WriteFile(t, here("good", "")+"[bad]\nb ansible_connection=local mcp_env=TOKEN="+secret+" mcp_command=\"/bin/sh -c 'exit 3' "+secret+"\"\n")
		require.NoError(t, os.Chmod(hosts, 0o600))
		out := filepath.Join(t.TempDir(), "run.json")
		args := []string{command, "--hosts", hosts, "--era", "legacy", "-e", "API=other-" + secret, "--report", out}
		r := clitest.Run(t, args...)
		require.Equal(t, exit, r.Code, r.Stdout+r.Stderr)
		require.NotContains(t, r.Stdout+r.Stderr, secret)
		run := readBack(t, out)
		require.Len(t, run.Failures, 1)
		require.Equal(t, strings.Join([]string{"mcpdbg", command, "--hosts", hosts, "--era", "legacy", "-e", "API=VALUE", "--limit", "@" + out}, " "), run.Again)
		require.Contains(t, r.Stdout, "again: "+run.Again+"\n")
		again, err := wording.SplitWords(run.Again)
		require.NoError(t, err)
		second := clitest.Run(t, again[1:]...)
		require.Equal(t, exit, second.Code, second.Stdout+second.Stderr)
		require.NotContains(t, second.Stdout, "good")
		for i := range run.Targets {
			debug := run.Targets[i].Debug
			if run.Targets[i].Host != "b" {
				require.Empty(t, debug)
				continue
			}
			require.Equal(t, `mcpdbg -e API=VALUE -e TOKEN=VALUE --era legacy -- /bin/sh -c 'exit 3' '${TOKEN}'`, debug)
			require.Contains(t, r.Stdout, "  debug: "+debug+"\n")
		}
	}
}
