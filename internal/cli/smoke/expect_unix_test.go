//go:build unix

package smoke_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify"
)

// here returns hosts that run the demo server on this machine, and further lines.
func here(hosts, lines string) string {
	return "[here]\n" + hosts + "\n[here:vars]\nansible_connection=local\nmcp_server=notes\nmcp_command='" + clitest.Binary() + "' demo-server\n" + lines
}

func TestHostExpectations(t *testing.T) {
	t.Parallel()
	hosts := here("one\ntwo mcp_expect=\"server = *; server = other; server = another\"\nthree mcp_skip=later", "mcp_expect=tools >= 10; protocol = 20*")
	accepted := filepath.Join(t.TempDir(), "accepted.txt")
	for _, command := range [][]string{{"smoke", "--no-record"}, {"check", "--no-calls"}} {
		out := filepath.Join(t.TempDir(), "run.json")
		r := planned(t, hosts, append(command, "--hosts", "-", "--report", out)...)
		require.Equal(t, 1, r.Code, r.Stdout+r.Stderr)
		run := readBack(t, out)
		require.Equal(t, []string{"notes@two"}, run.Failures)
		require.Equal(t, verify.OutcomeSkipped, run.Targets[2].Outcome)
		one, two := run.Targets[0], run.Targets[1]
		require.True(t, one.OK, one.Message)
		require.Equal(t, verify.SideServer, two.Side)
		require.Equal(t, "step/expect", two.Code)
		last := two.Steps[len(two.Steps)-1]
		require.Equal(t, verify.Step{Name: "expect", Subject: "server = another", Status: verify.Failed, Severity: "error", Reason: "measured: " + two.First().Name}, last)
	}
	r := planned(t, hosts, "smoke", "--no-record", "--hosts", "-")
	require.Contains(t, r.Stdout, "expected server = other; measured: ")
	r = planned(t, hosts, "smoke", "--no-record", "--hosts", "-", "--accepted", accepted, "--update")
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	r = planned(t, hosts, "smoke", "--no-record", "--hosts", "-", "--accepted", accepted)
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)

	for expect, says := range map[string]string{
		"host <= 5%": `standard input:7 [here]: mcp_expect: "host <= 5%": failed, host and flaky are of a whole run: use --expect`,
		"tols > 2":   `standard input:7 [here]: mcp_expect: "tols > 2": unknown metric tols; did you mean tools?`,
	} {
		r := planned(t, here("one", "mcp_expect="+expect), "smoke", "--hosts", "-")
		require.Equal(t, 2, r.Code, r.Stdout+r.Stderr)
		require.Contains(t, r.Stderr, says)
	}
}
