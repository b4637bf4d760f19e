package sshtest

import (
	"bufio"
	"fmt"
	"mcpdbg/session/exectest"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKilled is killed by TestServersEndWithAKilledTest.
func TestKilled(t *testing.T) {
	if os.Getenv("SSHTEST_KILLED") == "" {
		return
	}
	fmt.Println("at", OpenSSH(t, Options{}).Addr)
	select {}
}

func TestServersEndWithAKilledTest(t *testing.T) {
	exectest.Need(t, "sshd")
	needLogin(t)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestKilled$")
	cmd.Env = append(os.Environ(), "SSHTEST_KILLED=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	addr := strings.TrimSpace(strings.TrimPrefix(line, "at "))
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	_ = conn.Close()

	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, eventually, time.Millisecond)
}
