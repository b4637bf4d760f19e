//go:build unix

package sshtest

import (
	"bufio"
	"net"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh/agent"
)

// Agent starts a real ssh-agent that holds keys, and returns the path of its
// socket. The minimum for a Key is agent.AddedKey{PrivateKey: key.Private}.
func Agent(t testing.TB, keys ...agent.AddedKey) string {
	t.Helper()
	socket := filepath.Join(tempDir(t), "agent")
	cmd := exec.Command(Need(t, "ssh-agent"), "-D", "-a", socket)
	tie(cmd)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	// It prints its socket once it listens.
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	defer conn.Close()
	client := agent.NewClient(conn) // only one: each reads its own replies
	for _, key := range keys {
		require.NoError(t, client.Add(key))
	}
	return socket
}
