package sshexec

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec/sshtest"
)

// A leader that has ended while its child keeps the streams open can be
// terminated.
func TestPlainLaunchTerminatesAfterTheLeaderHasEnded(t *testing.T) {
	t.Parallel()
	e := at(t, sshtest.Inetd(t, sshtest.Options{}), bare)
	p, err := e.Start(t.Context(), helper("spawn", "child", "pid", "hang", "end", "exit", "0"))
	require.NoError(t, err)
	child := learn(t, p, 1)[0]
	defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
	exitOf(t, p)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.False(t, report.Running)
	require.Contains(t, strings.Join(report.CannotTell, "\n"), "without a guard the server's child processes are unknown")
	require.NoError(t, e.Close())
}
