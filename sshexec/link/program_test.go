//go:build unix

package link

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// alive reports whether a process exists and is not a zombie.
func alive(t *testing.T, pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

// A command that ignores the end, and has a child, is killed with the
// connection.
func TestProxyEndsWithItsGroup(t *testing.T) {
	exectest.Need(t, "ps")
	pids := filepath.Join(t.TempDir(), "pids")
	p, err := newProxy("sh -c 'trap \"\" TERM HUP; sleep 1000 & echo $$ $! > " + pids + "; echo ready; cat; wait'")
	require.NoError(t, err)
	buf := make([]byte, 100)
	n, err := p.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "ready\n", string(buf[:n]))
	_, err = p.Write([]byte("echo"))
	require.NoError(t, err)
	n, err = p.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "echo", string(buf[:n]))

	read := make(chan error, 1)
	go func() {
		_, err := p.Read(buf)
		read <- err
	}()
	returns(t, func() { assert.NoError(t, p.Close()) })
	require.NoError(t, p.Close())
	require.ErrorIs(t, within(t, read), os.ErrClosed)
	require.NoError(t, p.failure(), "it was killed, it did not fail")
	text, err := os.ReadFile(pids)
	require.NoError(t, err)
	fields := strings.Fields(string(text))
	require.Len(t, fields, 2)
	for _, field := range fields {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return !alive(t, pid) }, eventually, tick)
	}
}

// Processes that a command leaves when it ends are killed too.
func TestProxyThatLeavesAProcess(t *testing.T) {
	exectest.Need(t, "ps")
	p, err := newProxy("sh -c 'sleep 1000 >/dev/null 2>&1 </dev/null & echo $!; echo last words >&2; exit 4'")
	require.NoError(t, err)
	buf := make([]byte, 100)
	n, err := p.Read(buf)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	require.NoError(t, err)
	_, err = p.Read(buf)
	require.Error(t, err)
	require.True(t, alive(t, pid))
	require.NoError(t, p.Close())
	require.EqualError(t, p.failure(), "exit status 4")
	require.Equal(t, "last words", p.child.stderr.String())
	require.Eventually(t, func() bool { return !alive(t, pid) }, eventually, tick)
}

func TestTail(t *testing.T) {
	var tail tail
	for i := range 10_000 {
		_, err := tail.Write([]byte(strconv.Itoa(i) + "\n"))
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(tail.text), maxSaid)
	require.True(t, strings.HasSuffix(tail.String(), "9998\n9999"))
	_, err := tail.Write([]byte(strings.Repeat("x", 3*maxSaid) + "end"))
	require.NoError(t, err)
	require.Len(t, tail.String(), maxSaid)
	require.True(t, strings.HasSuffix(tail.String(), "xend"))
}

// leftIn returns the files in the folder for temporary files.
func leftIn(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// shortTemp returns a folder for temporary files whose path is short enough for
// sockets.
func shortTemp(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "link") //nolint:usetesting // the test's own folder has too long a path
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestBinary(t *testing.T) {
	s := sshtest.OpenSSH(t, sshtest.Options{SSH: []string{
		"ForwardAgent yes", "ForwardX11 yes", "LocalForward 127.0.0.1:1 127.0.0.1:1", "PermitLocalCommand yes", "LocalCommand touch %d/never",
		"ForkAfterAuthentication yes", "RemoteCommand echo no", "RequestTTY force", "ControlPersist yes",
	}})
	dir := shortTemp(t)
	r := new(recorder)
	d := newDialer(t, s, Options{Transport: Binary})
	c, err := d.Dial(t.Context(), target(s), r.reporter())
	require.NoError(t, err)
	require.Equal(t, []string{"resolve", "connect"}, r.names())
	require.Equal(t, "hello\n", run(t, c, "echo hello"))
	require.Equal(t, "none\n", run(t, c, "echo ${SSH_AUTH_SOCK-none}"))
	require.Equal(t, Binary, c.Info().Transport)
	_, err = c.Ping(t.Context())
	require.ErrorIs(t, err, ErrNoPing)

	left := leftIn(t, dir)
	require.Len(t, left, 1)
	info, err := os.Stat(filepath.Join(dir, left[0]))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.NoError(t, c.Close())
	require.Empty(t, leftIn(t, dir))
	require.Empty(t, programs(t, left[0]))
}

// programs returns the processes that have text in their arguments.
func programs(t *testing.T, text string) []string {
	exectest.Need(t, "ps")
	out, err := exec.Command("ps", "-A", "-o", "pid=,args=").Output()
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

func TestBinaryThatIsLost(t *testing.T) {
	s := sshtest.OpenSSH(t, sshtest.Options{})
	dir := shortTemp(t)
	c := dial(t, s, Options{Transport: Binary})
	s.Stop()
	within(t, c.Done())
	require.Contains(t, []executor.StartCode{executor.LostReset, executor.LostClosed}, c.Cause().Code)
	require.Contains(t, c.Cause().Said, "closed by remote host")
	require.Equal(t, executor.SpeakerSSH, c.Cause().SaidBy)
	require.ErrorContains(t, c.Cause(), "connection to target ("+c.Hop()+") lost")
	require.Empty(t, leftIn(t, dir))
}

func TestBinaryThatFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		server func(t *testing.T) *sshtest.Server
		code   executor.StartCode
		said   string
	}{
		{
			"refused", func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName 127.0.0.1", "Port "+closedPort(t)) },
			executor.NetRefused, "Connection refused",
		},
		{
			"no such name", func(t *testing.T) *sshtest.Server { return nowhere(t, "HostName nosuchhost.invalid") },
			executor.ResolveDNS, "Could not resolve hostname",
		},
		{
			"too late", func(t *testing.T) *sshtest.Server { return one(t, sshtest.Silence) },
			executor.NetTimeout, "",
		},
		{
			"dropped", func(t *testing.T) *sshtest.Server { return one(t, says("Exceeded MaxStartups\r\n")) },
			executor.NetDroppedEarly, "kex_exchange_identification",
		},
		{
			"denied", func(t *testing.T) *sshtest.Server {
				s := sshtest.OpenSSH(t, sshtest.Options{})
				require.NoError(t, os.WriteFile(s.AuthorizedKeys, nil, 0o600))
				return s
			}, executor.AuthDenied, "Permission denied (publickey)",
		},
		{
			"unknown host key", func(t *testing.T) *sshtest.Server { return unknown(t, "StrictHostKeyChecking no") },
			executor.HostKeyUnknown, "Host key verification failed",
		},
		{
			"changed host key", func(t *testing.T) *sshtest.Server {
				s := unknown(t)
				remember(t, s, lineFor(t, s, s.Key.PublicKey()))
				return s
			}, executor.HostKeyChanged, "IDENTIFICATION HAS CHANGED",
		},
		{
			"no common cipher", func(t *testing.T) *sshtest.Server {
				return sshtest.OpenSSH(t, sshtest.Options{SSH: []string{"Ciphers aes128-ctr"}, Sshd: []string{"Ciphers aes256-ctr"}})
			}, executor.KexNoCommon, "no matching cipher",
		},
		{
			"a ProxyCommand that fails", func(t *testing.T) *sshtest.Server {
				return nowhere(t, "ProxyCommand sh -c 'echo no such gate >&2; exit 3'")
			},
			executor.NetProxy, "no such gate",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.server(t)
			dir := shortTemp(t)
			o := Options{Transport: Binary, ConnectTimeout: eventually, AuthTimeout: eventually}
			if c.code == executor.NetTimeout {
				o.ConnectTimeout, o.AuthTimeout = time.Second, 500*time.Millisecond
			}
			e := fails(t, s, o)
			t.Logf("%s: %v\n\tsaid %q\n\thint: %s", e.Code, e, e.Said, e.Hint)
			require.Equal(t, c.code, e.Code)
			require.Contains(t, e.Said, c.said)
			if e.Said != "" {
				require.Equal(t, executor.SpeakerSSH, e.SaidBy, "the text is from a local program")
			}
			require.NotEmpty(t, e.Hint)
			if c.code == executor.HostKeyChanged {
				require.ErrorContains(t, e, "known_hosts:1")
			}
			require.Empty(t, leftIn(t, dir))
		})
	}
}

// The version of the local ssh is named where that program was started to
// connect, or failed to read the configuration, and nowhere else.
func TestLocalSSHIsNamedWhereItRan(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{})
	require.Empty(t, dial(t, s, Options{}).Info().Client, "a native connection")
	require.Contains(t, dial(t, s, Options{Transport: Binary}).Info().Client, "OpenSSH_")
	s.Stop()
	require.Empty(t, fails(t, s, Options{}).Client, "a native connection")
	require.Contains(t, fails(t, s, Options{Transport: Binary}).Client, "OpenSSH_")
	require.Empty(t, fails(t, s, Options{Transport: Master}).Client, "there is no master")
}

// ssh applies our options to the destination only: a jump host is refused if
// ssh would not check its key.
func TestBinaryRefusesAJumpHostWithoutKeyCheck(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump", SSH: []string{"StrictHostKeyChecking no"}}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	e := fails(t, s, Options{Transport: Binary})
	require.Equal(t, executor.ResolveConfig, e.Code)
	require.ErrorContains(t, e, "would not check the host key of the jump host jump")
	require.Contains(t, e.Hint, "--ssh-transport native")
}

func TestBinaryIsCancelled(t *testing.T) {
	s := one(t, sshtest.Silence)
	dir := shortTemp(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newDialer(t, s, Options{Transport: Binary}).Dial(ctx, target(s), Reporter{Begin: func(p executor.Phase) {
		if p.Name == phaseConnect {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, leftIn(t, dir))
}

func TestBinaryArguments(t *testing.T) {
	d := NewDialer(Options{Config: "/etc/my config"})
	host := &sshconfig.Host{StrictHostKeyChecking: "ask"}
	w := &route{dest: target(&sshtest.Server{Alias: "-oProxyCommand=x"}), hosts: []*sshconfig.Host{host}}
	w.dest.User, w.dest.Port = "ada", 2222
	args := d.arguments(w, "/tmp/100%/s", 10*time.Second)
	require.Equal(t, []string{"--", "-oProxyCommand=x"}, args[len(args)-2:])
	text := strings.Join(args, " ")
	for _, want := range []string{
		"-N -M -S /tmp/100%%/s -T -a -x", "-o ControlPersist=no", "-o BatchMode=yes", "-o ClearAllForwardings=yes",
		"-o EscapeChar=none", "-o PermitLocalCommand=no", "-o StrictHostKeyChecking=yes", "-F /etc/my config", "-l ada -p 2222",
	} {
		require.Contains(t, text, want)
	}
	for _, c := range []struct{ setting, want string }{{"no", "yes"}, {"yes", "yes"}, {"accept-new", "accept-new"}} {
		host.StrictHostKeyChecking = c.setting
		require.Contains(t, strings.Join(d.arguments(w, "s", 0), " "), "-o StrictHostKeyChecking="+c.want, c.setting)
	}
	host.StrictHostKeyChecking, d.options.AcceptNew = "yes", true
	require.Contains(t, strings.Join(d.arguments(w, "s", 0), " "), "-o StrictHostKeyChecking=accept-new")
}

func TestSocketDirIsShort(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	require.NoError(t, os.Mkdir(long, 0o700))
	t.Setenv("TMPDIR", long)
	t.Setenv("XDG_RUNTIME_DIR", "")
	dir, err := socketDir()
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.Equal(t, "/tmp", filepath.Dir(dir))
	require.Empty(t, leftIn(t, long))
}

// startMaster starts ssh as the master of s, with its socket at path.
func startMaster(t *testing.T, s *sshtest.Server, path string) *exec.Cmd {
	master := exec.Command("ssh", "-F", s.Config, "-M", "-N", s.Alias)
	require.NoError(t, master.Start())
	t.Cleanup(func() {
		_ = master.Process.Kill() // rarely, it ignores SIGTERM
		_ = master.Wait()
	})
	require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, eventually, tick)
	return master
}

// check returns an error if the master of s has ended.
func check(s *sshtest.Server) error {
	return exec.Command("ssh", "-F", s.Config, "-O", "check", s.Alias).Run()
}

// A master that another program has started is used if it replies, and keeps
// running.
func TestMaster(t *testing.T) {
	dir := shortTemp(t)
	path := filepath.Join(dir, "master")
	s := sshtest.OpenSSH(t, sshtest.Options{SSH: []string{"ControlPath " + path}})
	require.Equal(t, Native, dial(t, s, Options{}).Info().Transport, "there is no master yet")

	master := startMaster(t, s, path)
	for _, transport := range []string{"", Auto, Master} {
		c := dial(t, s, Options{Transport: transport})
		require.Equal(t, Master, c.Info().Transport)
		require.Equal(t, "hello\n", run(t, c, "echo hello"))
		_, err := c.Ping(t.Context())
		require.ErrorIs(t, err, ErrNoPing, "which would end it")
		require.NoError(t, c.Close())
	}
	require.Equal(t, Native, dial(t, s, Options{Transport: Native}).Info().Transport)
	require.NoError(t, check(s))

	c := dial(t, s, Options{Transport: Master})
	require.NoError(t, master.Process.Kill())
	within(t, c.Done())
	require.EqualError(t, c.Cause().Err, "the ssh master on this machine closed its side", "which is not the other side")
}

// A connection may end at any time without harm to the master, which carries
// sessions of others.
func TestMasterOutlivesConnections(t *testing.T) {
	path := filepath.Join(shortTemp(t), "master")
	s := sshtest.OpenSSH(t, sshtest.Options{SSH: []string{"ControlPath " + path}})
	proxy := sshtest.NewProxy(t, s.Addr)
	s = s.Through(t, proxy)
	startMaster(t, s, path)

	t.Run("output on the way", func(t *testing.T) {
		for range 20 {
			c := dial(t, s, Options{Transport: Master})
			channel, requests, err := c.OpenSession(t.Context())
			require.NoError(t, err)
			go ssh.DiscardRequests(requests)
			ok, err := channel.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{"yes"}))
			require.NoError(t, err)
			require.True(t, ok)
			_, err = channel.Read(make([]byte, 1))
			require.NoError(t, err)
			require.NoError(t, c.Close())
			require.NoError(t, check(s))
		}
	})
	t.Run("a channel that is being opened", func(t *testing.T) {
		proxy.Delay(100*time.Millisecond, 100*time.Millisecond)
		for _, end := range []func(*Conn){
			func(c *Conn) { require.NoError(t, c.Close()) },
			func(c *Conn) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				defer cancel()
				_, _, err := c.OpenSession(ctx)
				require.Error(t, err)
			},
		} {
			c := dial(t, s, Options{Transport: Master})
			opened := make(chan error, 1)
			go func() {
				_, _, err := c.OpenSession(t.Context())
				opened <- err
			}()
			time.Sleep(10 * time.Millisecond) // so that the request is on its way
			end(c)
			_ = within(t, opened) // with or without a channel
			within(t, c.Done())
			require.NoError(t, check(s))
		}
	})
}

// A socket without a listener does not prevent a connection.
func TestMasterThatIsGone(t *testing.T) {
	path := filepath.Join(shortTemp(t), "master")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	s := sshtest.OpenSSH(t, sshtest.Options{SSH: []string{"ControlPath " + path}})
	c := dial(t, s, Options{})
	require.Equal(t, Native, c.Info().Transport)
	require.NotContains(t, codes(c), "master.unused")
	e := fails(t, s, Options{Transport: Master})
	require.Equal(t, executor.NetProxy, e.Code)
	require.ErrorContains(t, e, "connection refused")
}

func TestSocketThatIsNotAMaster(t *testing.T) {
	path := filepath.Join(shortTemp(t), "master")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{SSH: []string{"ControlPath " + path}}})
	require.Equal(t, executor.NetTimeout, fails(t, s, Options{Transport: Master, ConnectTimeout: 200 * time.Millisecond}).Code)
	go func() { // now it fails at once
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	c := dial(t, s, Options{Transport: Auto})
	require.Equal(t, Native, c.Info().Transport)
	notice := c.Notices()[len(c.Notices())-1]
	require.Equal(t, "master.unused", notice.Code)
	require.Contains(t, notice.Text, "connected without the master at "+path+": ")
}

func TestForeignSocket(t *testing.T) {
	exectest.NeedRoot(t)
	path := filepath.Join(shortTemp(t), "master")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	require.NoError(t, ownSocket(path))
	require.NoError(t, os.Chown(path, 12345, 12345))
	require.ErrorIs(t, ownSocket(path), errForeignSocket)
}
