//go:build linux

package enginetest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/via/enginetest"
	"mcpdbg/sshexec/sshtest"
)

// Another user, who has logged in over SSH, can use the engine, and cannot if the socket
// is only for root.
func TestOverSSH(t *testing.T) {
	t.Parallel()
	exectest.NeedRoot(t)
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	s := sshtest.OpenSSH(t, sshtest.Options{User: account.Name})
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	closed := enginetest.New(t, enginetest.Options{SocketMode: 0o600})
	closed.Container(t, "web", enginetest.ContainerOptions{})

	got := finish(t, s.Command(t.Context(), e.Program("docker")+" exec -i web sh -c 'id -u; exit 4'"))
	require.Equal(t, outcome{4, "0\n", ""}, got)
	require.Equal(t, [][]string{{"docker", "exec", "-i", "web", "sh", "-c", "id -u; exit 4"}}, e.Calls(t))
	got = finish(t, s.Command(t.Context(), closed.Program("docker")+" exec -i web ls"))
	require.Equal(t, 1, got.code)
	require.Contains(t, got.err, "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock")
}
