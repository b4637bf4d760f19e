package sshexec

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// gone waits until a process has ended.
func gone(t *testing.T, pids ...int) {
	t.Helper()
	left, _ := exectest.UntilNone(0, func() []int {
		var left []int
		for _, pid := range pids {
			if exectest.Alive(pid) {
				left = append(left, pid)
			}
		}
		return left
	})
	require.Empty(t, left, exectest.Describe(left))
}

// begin starts a kind, and returns its process and pids.
func begin(t *testing.T, h host, k serverKind, change ...func(*Options)) (started, []int) {
	t.Helper()
	e := at(t, h.Server, change...)
	t.Cleanup(func() { _ = e.Close() })
	p, err := startOwn(t.Context(), e, h.command(k, rand.Text()))
	require.NoError(t, err)
	return p, learn(t, p, k.pids)
}

// exitOf waits for the exit of a process.
func exitOf(t *testing.T, p executor.Process) executor.Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	sub, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	defer sub.Close()
	for {
		e, err := sub.Next(ctx)
		require.NoError(t, err)
		if e.Kind == executor.Exited {
			return e.Exit
		}
		require.NotEqual(t, executor.Failed, e.Kind, "%v", e.Err)
	}
}

// While the network is slow, beats come too late: the guard ends the run, and
// its exit reports that. Its own words come in time, so that the link is not lost.
func TestExitAfterTheLeaseNamesTheGuard(t *testing.T) {
	t.Parallel()
	h := openSSHHost(t)
	for _, kind := range []string{"polite", "ignores-TERM"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			proxy := sshtest.NewProxy(t, h.Addr)
			p, o := startKind(t, host{h.Through(t, proxy), h.program}, kindNamed(kind), rand.Text(), func(o *Options) { o.Lease = 6 * time.Second })
			proxy.Delay(time.Minute, 0)
			gone(t, o.pids...)
			exit := exitOf(t, p)
			require.Equal(t, executor.EndedByLease, exit.By)
			// On a busy machine this program may have been paused for a while.
			require.Regexp(t, `^no contact for 6 s \(lease 6 s\)`, exit.Why)
		})
	}
}

// A client that was stopped for longer than the lease learns, when it
// continues, what ended its server and why; unless the server ended before the
// lease did.
func TestStoppedClientLearnsWhatEndedItsServer(t *testing.T) {
	t.Parallel()
	h := openSSHHost(t)
	for name, c := range map[string]struct {
		meanwhile func(pid int) error
		want      string
	}{
		"the guard":                {func(int) error { return nil }, `^ended by lease: no contact for 10 s \(lease 10 s\); mcpdbg was paused for [0-9]+ s\n$`},
		"another process, earlier": {func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }, `^ended by unknown: \n$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := h.command(kindNamed("polite"), rand.Text())
			driver := exec.Command(os.Args[0], driverArgs(h.Config, h.Alias, cmd.Env[0], cmd.Argv...)...)
			driver.Env = append(os.Environ(), driverLease+"=10s")
			driver.Stderr = os.Stderr
			stdin, err := driver.StdinPipe()
			require.NoError(t, err)
			stdout, err := driver.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, driver.Start())
			defer exectest.KillAfterLimit(driver.Process)()
			lines := bufio.NewReader(stdout)
			said, err := lines.ReadString('\n')
			require.NoError(t, err)
			pids := exectest.PIDLines(said)
			require.Len(t, pids, 1)
			connection := variable(pids[0], "SSH_CONNECTION")

			require.NoError(t, driver.Process.Signal(syscall.SIGSTOP))
			require.NoError(t, c.meanwhile(pids[0]))
			left, _ := exectest.UntilNone(0, func() []int { return carrying(connection) }) // including the guard
			require.Empty(t, left, exectest.Describe(left))
			require.NoError(t, driver.Process.Signal(syscall.SIGCONT))
			for !strings.HasPrefix(said, "ended by") {
				said, err = lines.ReadString('\n')
				require.NoError(t, err)
			}
			require.Regexp(t, c.want, said)
			require.NoError(t, stdin.Close())
			_, _ = io.Copy(io.Discard, lines)
			require.NoError(t, driver.Wait())
		})
	}
}
