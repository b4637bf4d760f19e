//go:build unix

package smoke_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/sshexec/sshtest"
)

// The same steps pass on another host, and a host that is down has the exit code of
// other commands.
func TestCheckOverSSH(t *testing.T) {
	t.Parallel()
	host := sshtest.OpenSSH(t, sshtest.Options{Alias: "build"})
	r := clitest.Run(t, clitest.Against("", "check", "--json", "--no-calls", "-F", host.Config, "--ssh", "build")...)
	require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
	one := checked(t, r).Targets[0]
	require.Equal(t, "build", one.Host)
	steps := stepsOf(&one)
	for _, step := range []string{"handshake modern", "handshake legacy", "list modern tools", "bad-line", "stdin-eof", "sigterm", "leaked-processes"} {
		require.Equal(t, "passed", steps[step], "%s: %+v", step, one.Steps)
	}
	host.Stop()
	r = clitest.Run(t, clitest.Against("", "check", "--json", "--no-calls", "-F", host.Config, "--ssh", "build")...)
	require.Equal(t, 5, r.Code, r.Stderr)
	require.NotEmpty(t, checked(t, r).Targets[0].Error)
}
