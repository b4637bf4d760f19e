//go:build unix

package sshtest

import (
	"fmt"
	"mcpdbg/session/exectest"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh/agent"
)

func TestOrdinaryOpenSSH(t *testing.T) {
	exectest.NeedRoot(t)
	s := OrdinaryOpenSSH(t, Options{})
	require.NotEqual(t, "root", s.User)
	require.Equal(t, s.User+"\n", run(t, s, "id -un"))
	file := CopyBinary(t)
	require.Contains(t, run(t, s, file+" -test.list TestOrdinary"), "TestOrdinaryOpenSSH")
	s.Dial(t)
}

func TestDropbear(t *testing.T) {
	s := Dropbear(t, Options{KeyOptions: `command="echo forced"`})
	require.Equal(t, "forced\n", run(t, s, "echo hello"))
	s = Dropbear(t, Options{})
	require.Equal(t, s.User+"\n", run(t, s, "id -un"))
	s.Dial(t)
	require.NoError(t, s.Command(t.Context(), "sleep 1000 >/dev/null 2>&1 & sleep 1000 >/dev/null 2>&1 &").Run())
	// The server and a connection are two processes; earlier connections may
	// not have ended yet.
	require.Eventually(t, func() bool { return len(marked(s.mark)) == 4 }, eventually, 10*time.Millisecond)
	s.Stop()
	require.Empty(t, marked(s.mark))
}

func TestShells(t *testing.T) {
	for _, name := range []string{"bash", "dash", "zsh", "fish", "tcsh", "ksh", "mksh", "busybox"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shell := Shell(t, name)
			account := User(t, shell)
			s := OpenSSH(t, Options{User: account.Name})
			require.Equal(t, strings.Join([]string{shell, account.Home, ""}, "\n"), run(t, s, "echo $SHELL; pwd"))
		})
	}
}

func TestUserIsDeleted(t *testing.T) {
	exectest.NeedRoot(t)
	var account *Account
	cmd := exec.Command("sleep", "1000")
	t.Run("while", func(t *testing.T) {
		account = User(t, "/bin/sh")
		cmd.SysProcAttr = account.credential()
		require.NoError(t, cmd.Start())
	})
	require.EqualError(t, cmd.Wait(), "signal: killed")
	_, err := user.Lookup(account.Name)
	require.Error(t, err)
	require.NoDirExists(t, account.Home)
}

func TestAgent(t *testing.T) {
	s := OpenSSH(t, Options{SSH: []string{"IdentityAgent ${SSH_AUTH_SOCK}"}})
	t.Setenv("SSH_AUTH_SOCK", Agent(t, agent.AddedKey{PrivateKey: s.Key.Private, Comment: "mine"}))
	list, err := exec.Command(exectest.Need(t, "ssh-add"), "-l").CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(list), "mine (ED25519)")
	require.NoError(t, os.Remove(s.KeyFile))
	require.Equal(t, "hello\n", run(t, s, "echo hello"))
}

func TestProxy(t *testing.T) {
	direct := OpenSSH(t, Options{})
	proxy := NewProxy(t, direct.Addr)
	s := direct.Through(t, proxy)
	require.Equal(t, "hello\n", run(t, s, "echo hello"))
	client := s.Dial(t)
	require.Equal(t, 2, proxy.Conns())
	proxy.Cut()
	require.Error(t, client.Wait())
	require.Equal(t, "hello\n", run(t, s, "echo hello"))
	require.Equal(t, "hello\n", run(t, direct, "echo hello"))
	require.Equal(t, 3, proxy.Conns())
}

// echo starts a TCP server that sends back its input.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer c.Close()
				_, _ = c.(*net.TCPConn).WriteTo(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
	return l.Addr().String()
}

func dialProxy(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestProxyDelay(t *testing.T) {
	const delay, size = time.Second, 4 << 20
	p := NewProxy(t, echo(t))
	p.Delay(delay, delay)
	c := dialProxy(t, p)
	begin := time.Now()
	go func() { _, _ = c.Write(make([]byte, size)) }()
	buf := make([]byte, 64<<10)
	got := 0
	for got < size {
		n, err := c.Read(buf)
		require.NoError(t, err)
		if got == 0 {
			require.GreaterOrEqual(t, time.Since(begin), 2*delay)
		}
		got += n
	}
	// A delay for each of the 128 chunks would take two minutes, and four for both ways.
	require.Less(t, time.Since(begin), 100*delay)
}

func TestProxyFreeze(t *testing.T) {
	p := NewProxy(t, echo(t))
	old := dialProxy(t, p)
	buf := make([]byte, 16)
	_, err := old.Write([]byte("a"))
	require.NoError(t, err)
	_, err = old.Read(buf)
	require.NoError(t, err)
	p.Freeze()
	for _, c := range []net.Conn{old, dialProxy(t, p)} {
		_, err = c.Write([]byte("b"))
		require.NoError(t, err)
		require.NoError(t, c.(*net.TCPConn).CloseWrite())
		require.NoError(t, c.SetReadDeadline(time.Now().Add(quiet)))
		_, err = c.Read(buf)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	}
	p = NewProxy(t, Fake(t, FakeOptions{DropFirst: 1}).Addr)
	p.Freeze()
	c := dialProxy(t, p)
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	require.NoError(t, c.SetReadDeadline(time.Now().Add(quiet)))
	_, err = c.Read(buf)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "both ends have ended, but neither receives it")
}

func TestMaster(t *testing.T) {
	for name, s := range map[string]*Server{"OpenSSH": OpenSSH(t, Options{}), "Fake": Fake(t, FakeOptions{})} {
		var socket string
		t.Run(name, func(t *testing.T) {
			socket = Master(t, s)
			out, err := exec.Command("ssh", "-F", "/dev/null", "-S", socket, "nobody@sshtest.invalid", "echo hello").Output()
			require.NoError(t, err)
			require.Equal(t, "hello\n", string(out))
			require.True(t, anyCalled(socket))
		})
		require.Eventually(t, func() bool { return !anyCalled(socket) }, eventually, time.Millisecond)
	}
}

// anyCalled reports whether a process has a text in its command line.
func anyCalled(text string) bool {
	for pid := range processes() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(line), text) {
			return true
		}
	}
	return false
}
