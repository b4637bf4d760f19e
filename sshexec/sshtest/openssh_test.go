//go:build unix

package sshtest

import (
	"bufio"
	"mcpdbg/session/exectest"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// run runs a command with the real ssh program, and the cheapest key exchange.
func run(t *testing.T, s *Server, command string) string {
	t.Helper()
	out, err := s.Command(t.Context(), "-o", "KexAlgorithms=curve25519-sha256", command).Output()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
		require.NoError(t, err, "%s", exit.Stderr)
	}
	return string(out)
}

func TestRealClient(t *testing.T) {
	for name, server := range map[string]func(testing.TB, Options) *Server{"OpenSSH": OpenSSH, "Inetd": Inetd} {
		t.Run(name, func(t *testing.T) {
			s := server(t, Options{Aliases: []string{"other"}})
			require.Equal(t, "hello\n", run(t, s, "echo hello"))
			s.Alias = "other"
			require.Equal(t, "hello\n", run(t, s, "echo hello"))
		})
	}
}

func TestEveryHostKeyType(t *testing.T) {
	for _, kind := range hostKeyTypes {
		s := OpenSSH(t, Options{HostKeys: []string{kind}})
		require.Len(t, s.HostKeys, 1)
		require.Contains(t, s.HostKeys[0].Type(), kind)
		require.Equal(t, "hello\n", run(t, s, "echo hello"))
		s.Dial(t)
	}
}

func TestOptions(t *testing.T) {
	t.Setenv("SSHTEST_ONE", "1")
	s := OpenSSH(t, Options{
		Sshd: []string{"AcceptEnv SSHTEST_*", "Match User *", "ForceCommand echo forced $SSHTEST_ONE"},
		SSH:  []string{"SendEnv SSHTEST_ONE"},
	})
	require.Equal(t, "forced 1\n", run(t, s, "echo hello"))
	s = OpenSSH(t, Options{KeyOptions: `command="echo forced"`})
	require.Equal(t, "forced\n", run(t, s, "echo hello"))
}

func TestJump(t *testing.T) {
	first := OpenSSH(t, Options{Alias: "first"})
	second := OpenSSH(t, Options{Alias: "second", Jump: first})
	s := OpenSSH(t, Options{Jump: second})
	require.Equal(t, "hello\n", run(t, s, "echo hello"))
	require.Contains(t, first.Log(), "Accepted publickey")
	require.Contains(t, second.Log(), "Accepted publickey")
}

func TestNoProcessIsLeaked(t *testing.T) {
	exectest.Need(t, "setsid")
	s := OpenSSH(t, Options{})
	client := s.Dial(t)
	session, err := client.NewSession()
	require.NoError(t, err)
	out, err := session.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, session.Start(`setsid sh -c 'sh -c "echo \$\$; exec sleep 1000" & exec sleep 1000' & exec sleep 1000`))
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.Contains(t, processes(), pid)
	require.GreaterOrEqual(t, len(marked(s.mark)), 3)

	s.Stop()
	require.Empty(t, marked(s.mark))
	gone := func() bool { _, there := processes()[pid]; return !there }
	require.Eventually(t, gone, eventually, time.Millisecond, "a killed process loses its environment before it ends")
	require.Error(t, client.Wait())
	_, err = net.Dial("tcp", s.Addr)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	s.Stop()
}

func TestListenTriesAnotherPort(t *testing.T) {
	s, _ := newServer(t, Options{})
	tried := map[string]bool{}
	listen(t, s, "ready", func() *exec.Cmd {
		tried[s.Addr] = true
		if len(tried) < 3 {
			return exec.Command("sh", "-c", "echo address in use >&2; exit 1")
		}
		return exec.Command("sh", "-c", "echo not >&2; echo ready >&2; exec sleep 1000")
	})
	require.Len(t, tried, 3)
	require.Equal(t, "not\nready\n", s.Log())
}
