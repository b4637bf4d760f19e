//go:build unix

package sshtest

import (
	"context"
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
	run := func(args ...string) error {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		defer cancel()
		return exec.CommandContext(ctx, ssh, append([]string{"-F", s.Config, "-S", socket}, args...)...).Run()
	}
	// With -f it leaves a copy of itself behind, once the socket is there.
	require.NoError(t, run("-o", "ControlMaster=yes", "-f", "-N", s.Alias))
	// It fails when the server has ended, and the master with it.
	t.Cleanup(func() { _ = run("-O", "exit", s.Alias) })
	return socket
}
