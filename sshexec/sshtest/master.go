//go:build unix

package sshtest

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Master starts the real ssh program as a ControlMaster that is logged in to a
// server, and returns the path of its socket.
func Master(t testing.TB, s *Server) string {
	t.Helper()
	ssh := Need(t, "ssh")
	socket := filepath.Join(tempDir(t), "master")
	run := func(args ...string) error {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		defer cancel()
		return exec.CommandContext(ctx, ssh, append([]string{"-F", s.Config, "-S", socket}, args...)...).Run()
	}
	// With -f it continues in the background, once the socket exists.
	require.NoError(t, run("-o", "ControlMaster=yes", "-f", "-N", s.Alias))
	// It fails if the server has ended, and the master with it.
	t.Cleanup(func() { _ = run("-O", "exit", s.Alias) })
	return socket
}
