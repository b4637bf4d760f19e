//go:build unix

package smoke_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/verify"
	"mcpdbg/sshexec/sshtest"
)

// A docker for tests has the container web, except on one host, and runs its commands as
// they are.
const docker = `#!/bin/sh
case "$SSH_CONNECTION " in
*" %s ") echo "Error response from daemon: No such container: web" >&2; exit 1
esac
while [ "$1" != web ]; do shift; done
shift
exec "$@"
`

// TestSmokeViaOnHosts checks that a prefix is used on each host, and each has its own
// outcome.
func TestSmokeViaOnHosts(t *testing.T) {
	t.Parallel()
	good := sshtest.OpenSSH(t, sshtest.Options{Alias: "web-1"})
	without := sshtest.OpenSSH(t, sshtest.Options{Alias: "web-2"})
	program := filepath.Join(t.TempDir(), "docker")
	require.NoError(t, os.WriteFile(program, fmt.Appendf(nil, docker, port(t, without)), 0o755))
	list := clitest.WriteFile(t, "web-1\nweb-2\nlocal\n")
	args := []string{"--json", "-F", fleetConfig(t, good, without), "--hosts", list, "--via", program + " exec -i web"}

	r := clitest.Finish(t, smoking(t, clitest.Against("", args...)...))
	report := smoked(t, r)
	require.Len(t, report.Targets, 3)
	missing := func() {
		require.Equal(t, verify.CauseConnect, report.Targets[1].Cause, report.Targets[1].Message)
		require.Equal(t, "via.nocontainer", report.Targets[1].Code)
		require.Contains(t, report.Targets[1].Message, "docker web: no such container")
		require.Contains(t, report.Targets[1].Hint, "docker ps -a")
	}
	missing()
	require.Empty(t, report.Targets[0].Place, "the host names it")
	require.Equal(t, "docker web", report.Targets[2].Place)
	for _, one := range []int{0, 2} { // a busy machine may take too long to end it
		require.NotNil(t, report.Targets[one].Tools, report.Targets[one].Message)
		require.Equal(t, "exit code 0", report.Targets[one].Exit, "the script inside reported it")
		require.NotContains(t, strings.Join(report.Targets[one].CannotTell, "\n"), "how the server ended")
	}

	r = clitest.Finish(t, smoking(t, clitest.Against("", append(args, "--via-plain")...)...))
	report = smoked(t, r)
	missing()
	for _, one := range []int{0, 2} {
		require.NotEqual(t, verify.VerdictPassed, report.Targets[one].Verdict)
		require.Equal(t, "docker ended with 0; how the server ended: cannot tell", report.Targets[one].CannotTell[0])
	}
}

func port(t *testing.T, s *sshtest.Server) string {
	t.Helper()
	_, number, err := net.SplitHostPort(s.Addr)
	require.NoError(t, err)
	return number
}
