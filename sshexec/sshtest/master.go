//go:build unix

package sshtest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Master makes the real ssh program log in to a server as a ControlMaster, and
// returns the path of its socket.
func Master(t testing.TB, s *Server) string {
	t.Helper()
	ssh := Need(t, "ssh")
	socket := filepath.Join(tempDir(t), "master")
	// With -f it leaves a copy of itself behind, once the socket is there.
	require.NoError(t, exec.Command(ssh, "-F", s.Config, "-S", socket, "-o", "ControlMaster=yes", "-f", "-N", s.Alias).Run())
	t.Cleanup(func() {
		// It fails when the server has ended, and the master with it.
		_ = exec.Command(ssh, "-F", s.Config, "-S", socket, "-O", "exit", s.Alias).Run()
	})
	return socket
}
