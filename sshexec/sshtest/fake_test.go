//go:build unix

package sshtest

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

const (
	// quiet is the time without data that counts as silence.
	quiet = 50 * time.Millisecond
	// eventually is how long to wait for an event.
	eventually = 5 * time.Minute
)

func openSession(t *testing.T, client *ssh.Client) (ssh.Channel, <-chan *ssh.Request) {
	t.Helper()
	ch, requests, err := client.OpenChannel("session", nil)
	require.NoError(t, err)
	return ch, requests
}

func request(t *testing.T, ch ssh.Channel, name string, fields ...string) bool {
	t.Helper()
	var payload []byte
	for _, field := range fields {
		payload = append(payload, ssh.Marshal(struct{ Text string }{field})...)
	}
	ok, err := ch.SendRequest(name, true, payload)
	require.NoError(t, err)
	return ok
}

// answer returns what the server sends first on a new connection, within a time
// limit.
func answer(t *testing.T, s *Server, within time.Duration) (net.Conn, []byte, error) {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetReadDeadline(time.Now().Add(within)))
	buf := make([]byte, 4096)
	n, err := c.Read(buf)
	return c, buf[:n], err
}

func TestFakeRuns(t *testing.T) {
	s := Fake(t, FakeOptions{Options: Options{SSH: []string{"SetEnv FAKE_ONE=1 OTHER=2"}}, AcceptEnv: []string{"FAKE_*"}})
	require.Equal(t, "1 none\n", run(t, s, "echo $FAKE_ONE ${OTHER-none}"))
	cmd := s.Command(t.Context(), "cat; echo err >&2; exit 7")
	cmd.Stdin = strings.NewReader("in")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.EqualError(t, err, "exit status 7")
	require.Equal(t, "in", string(out))
	require.Equal(t, "err\n", stderr.String())
	require.Contains(t, s.Log(), "login "+s.User)

	client := s.Dial(t)
	session, err := client.NewSession()
	require.NoError(t, err)
	var signalled *ssh.ExitError
	require.ErrorAs(t, session.Run("kill -SEGV $$"), &signalled)
	require.Equal(t, "SEGV", signalled.Signal())
}

func TestFakeSignalsTheGroup(t *testing.T) {
	s := Fake(t, FakeOptions{})
	ch, requests := openSession(t, s.Dial(t))
	require.False(t, request(t, ch, "signal", "TERM"), "before exec")
	// Nothing is executed after "up": during an exec a process has no
	// environment.
	require.True(t, request(t, ch, "exec", "exec 3<&0; sh -c 'echo up; read x <&3' & wait"))
	require.False(t, request(t, ch, "exec", "true"), "one process a session")
	buf := make([]byte, 3)
	_, err := io.ReadFull(ch, buf)
	require.NoError(t, err)
	// A process in the middle of an exec shows no environment.
	require.Eventually(t, func() bool { return len(marked(s.mark)) == 2 }, eventually, time.Millisecond)
	require.False(t, request(t, ch, "signal", "NONE"))
	// Without a reply, as clients do: the end of the channel may overtake it.
	_, err = ch.SendRequest("signal", false, ssh.Marshal(struct{ Text string }{"KILL"}))
	require.NoError(t, err)
	require.Equal(t, "exit-signal", (<-requests).Type)
	_, err = ch.Read(buf)
	require.ErrorIs(t, err, io.EOF)
	require.Empty(t, marked(s.mark))
}

func TestFakeReportsTheExitBeforeTheOutputEnds(t *testing.T) {
	s := Fake(t, FakeOptions{})
	ch, requests := openSession(t, s.Dial(t))
	require.True(t, request(t, ch, "exec", "exec 3<&0; (read x <&3; echo late) & exit 3"))
	exit := <-requests
	require.Equal(t, "exit-status", exit.Type)
	require.Equal(t, []byte{0, 0, 0, 3}, exit.Payload)
	_, err := ch.Write([]byte("\n"))
	require.NoError(t, err)
	out, err := io.ReadAll(ch)
	require.NoError(t, err)
	require.Equal(t, "late\n", string(out))
}

func TestFakeLeaksNoProcess(t *testing.T) {
	s := Fake(t, FakeOptions{})
	ch, _ := openSession(t, s.Dial(t))
	require.True(t, request(t, ch, "exec", "env -i sh -c 'echo up; exec sleep 1000' & setsid sh -c 'echo up; exec sleep 1000' & sleep 1000"))
	_, err := io.ReadFull(ch, make([]byte, len("up\nup\n")))
	require.NoError(t, err)
	s.Stop()
	require.Empty(t, marked(s.mark))
}

func TestFakeJump(t *testing.T) {
	bastion := Fake(t, FakeOptions{Options: Options{Alias: "bastion"}})
	s := Fake(t, FakeOptions{Options: Options{Jump: bastion}})
	require.Equal(t, "hello\n", run(t, s, "echo hello"))
	closed := Fake(t, FakeOptions{Options: Options{Alias: "closed"}, RefuseForward: true})
	s = Fake(t, FakeOptions{Options: Options{Jump: closed}})
	out, err := s.Command(t.Context(), "true").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "administratively prohibited")
}

func TestFakeBeforeTheVersion(t *testing.T) {
	t.Run("drop", func(t *testing.T) {
		s := Fake(t, FakeOptions{DropFirst: 2})
		for range 2 {
			_, _, err := answer(t, s, eventually)
			require.ErrorIs(t, err, io.EOF)
		}
		s.Dial(t)
	})
	t.Run("silence", func(t *testing.T) {
		_, _, err := answer(t, Fake(t, FakeOptions{Handler: Silence}), quiet)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	t.Run("endless", func(t *testing.T) {
		c, _, err := answer(t, Fake(t, FakeOptions{Handler: Endless("noise\n")}), eventually)
		require.NoError(t, err)
		require.NoError(t, c.SetReadDeadline(time.Time{}))
		text := make([]byte, 1<<20)
		_, err = io.ReadFull(c, text)
		require.NoError(t, err)
		require.NotContains(t, string(text), "SSH")
	})
	t.Run("greeting", func(t *testing.T) {
		s := Fake(t, FakeOptions{Greeting: []byte("too many users\r\n")})
		_, text, err := answer(t, s, eventually)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(text, []byte("too many users\r\n")))
		s.Dial(t)
	})
}

func TestFakeLogin(t *testing.T) {
	t.Run("wrong host key", func(t *testing.T) {
		s := Fake(t, FakeOptions{Options: Options{HostKeys: []string{"ed25519"}}, WrongHostKey: true})
		_, err := ssh.Dial("tcp", s.Addr, s.ClientConfig())
		require.ErrorContains(t, err, "is not a key of target")
		out, err := s.Command(t.Context(), "true").CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "REMOTE HOST IDENTIFICATION HAS CHANGED")
	})
	t.Run("crypto", func(t *testing.T) {
		s := Fake(t, FakeOptions{Crypto: ssh.Config{Ciphers: []string{ssh.CipherAES128CTR}}})
		config := s.ClientConfig()
		config.Ciphers = []string{ssh.CipherChaCha20Poly1305}
		_, err := ssh.Dial("tcp", s.Addr, config)
		require.ErrorContains(t, err, "no common algorithm")
	})
	t.Run("banner", func(t *testing.T) {
		want := "\x1b[2J" + strings.Repeat("x", 1<<20)
		s := Fake(t, FakeOptions{Banner: want})
		config := s.ClientConfig()
		got := ""
		config.BannerCallback = func(text string) error { got += text; return nil }
		client, err := ssh.Dial("tcp", s.Addr, config)
		require.NoError(t, err)
		defer client.Close()
		require.Equal(t, want, got)
		out, err := s.Command(t.Context(), "true").CombinedOutput()
		require.NoError(t, err)
		require.Contains(t, string(out), "xxx")
	})
	t.Run("other user", func(t *testing.T) {
		s := Fake(t, FakeOptions{})
		config := s.ClientConfig()
		config.User = "other"
		_, err := ssh.Dial("tcp", s.Addr, config)
		require.ErrorContains(t, err, "unable to authenticate")
	})
	t.Run("password", func(t *testing.T) {
		s := Fake(t, FakeOptions{Methods: []string{"password"}, Password: "right"})
		config := s.ClientConfig()
		config.Auth = []ssh.AuthMethod{ssh.Password("wrong")}
		_, err := ssh.Dial("tcp", s.Addr, config)
		require.ErrorContains(t, err, "unable to authenticate")
		config.Auth = []ssh.AuthMethod{ssh.Password("right")}
		client, err := ssh.Dial("tcp", s.Addr, config)
		require.NoError(t, err)
		defer client.Close()
	})
	t.Run("more keys", func(t *testing.T) {
		key := NewKey(t, "ecdsa", t.TempDir()+"/key")
		s := Fake(t, FakeOptions{Options: Options{AuthorizedKeys: []string{key.AuthorizedKey()}}})
		s.Key = key
		s.Dial(t)
	})
}

func TestFakeTwoFactors(t *testing.T) {
	s := Fake(t, FakeOptions{
		Methods: []string{"publickey", "keyboard-interactive"},
		Rounds: []Round{
			{Name: "first", Questions: []Question{{Text: "Code: ", Answer: "123"}, {Text: "Who: ", Echo: true, Answer: "me"}}},
			{Instruction: "no question"},
			{Questions: []Question{{Text: "Sure? ", Answer: "yes"}}},
		},
	})
	_, err := ssh.Dial("tcp", s.Addr, s.ClientConfig())
	require.ErrorContains(t, err, "unable to authenticate", "the key is not enough")

	dial := func(answers map[string]string) ([]string, error) {
		var asked []string
		config := s.ClientConfig()
		config.Auth = append(config.Auth, ssh.KeyboardInteractive(
			func(name, instruction string, questions []string, _ []bool) (out []string, err error) {
				asked = append(asked, name+instruction)
				for _, q := range questions {
					out = append(out, answers[q])
				}
				return out, nil
			}))
		client, err := ssh.Dial("tcp", s.Addr, config)
		if err == nil {
			_ = client.Close()
		}
		return asked, err
	}
	asked, err := dial(map[string]string{"Code: ": "123", "Who: ": "me", "Sure? ": "yes"})
	require.NoError(t, err)
	require.Equal(t, []string{"first", "no question", ""}, asked)
	asked, err = dial(map[string]string{"Code: ": "123", "Who: ": "you"})
	require.Error(t, err)
	require.Equal(t, []string{"first"}, asked)
}

func TestFakeSessions(t *testing.T) {
	t.Run("limit", func(t *testing.T) {
		client := Fake(t, FakeOptions{MaxSessions: 2}).Dial(t)
		first, requests := openSession(t, client)
		_, _ = openSession(t, client)
		var refused *ssh.OpenChannelError
		_, _, err := client.OpenChannel("session", nil)
		require.ErrorAs(t, err, &refused)
		require.Equal(t, ssh.ConnectionFailed, refused.Reason)
		require.True(t, request(t, first, "exec", "true"))
		ssh.DiscardRequests(requests) // until the channel is closed
		require.Eventually(t, func() bool {
			_, _, err = client.OpenChannel("session", nil)
			return err == nil
		}, eventually, time.Millisecond)
	})
	t.Run("none", func(t *testing.T) {
		client := Fake(t, FakeOptions{MaxSessions: -1}).Dial(t)
		_, _, err := client.OpenChannel("session", nil)
		require.Error(t, err)
	})
	t.Run("refuse exec", func(t *testing.T) {
		ch, _ := openSession(t, Fake(t, FakeOptions{RefuseExec: true}).Dial(t))
		require.False(t, request(t, ch, "exec", "true"))
	})
	t.Run("mute exec", func(t *testing.T) {
		s := Fake(t, FakeOptions{IgnoreExec: true})
		client := s.Dial(t)
		ch, _ := openSession(t, client)
		answered := make(chan error)
		go func() {
			_, err := ch.SendRequest("exec", true, ssh.Marshal(struct{ Text string }{"true"}))
			answered <- err
		}()
		noneWithin(t, answered)
		require.Empty(t, marked(s.mark))
		require.NoError(t, client.Close())
		require.Error(t, <-answered)
	})
	t.Run("keepalives", func(t *testing.T) {
		for _, ignore := range []bool{false, true} {
			client := Fake(t, FakeOptions{IgnoreKeepalives: ignore}).Dial(t)
			ch, _ := openSession(t, client)
			answered := make(chan error)
			go func() { _, _, err := client.SendRequest("keepalive@openssh.com", true, nil); answered <- err }()
			go func() { _, err := ch.SendRequest("keepalive@openssh.com", true, nil); answered <- err }()
			if ignore {
				noneWithin(t, answered)
				require.NoError(t, client.Close())
			}
			require.Equal(t, ignore, <-answered != nil)
			require.Equal(t, ignore, <-answered != nil)
		}
	})
}

func noneWithin[T any](t *testing.T, c <-chan T) {
	t.Helper()
	select {
	case v := <-c:
		require.Fail(t, "not silent", "%v", v)
	case <-time.After(quiet):
	}
}

func TestFakeEndings(t *testing.T) {
	for name, c := range map[string]struct {
		ending              Ending
		exit, output, close bool
	}{
		"properly":       {EndProperly, true, true, true},
		"without close":  {EndWithoutClose, true, true, false},
		"without status": {EndWithoutStatus, false, true, true},
		"in silence":     {EndSilently, false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			client := Fake(t, FakeOptions{Ending: c.ending}).Dial(t)
			ch, requests := openSession(t, client)
			require.True(t, request(t, ch, "exec", "echo out"))
			out, err := io.ReadAll(ch)
			require.NoError(t, err)
			require.Equal(t, "out\n", string(out))
			if c.exit {
				require.Equal(t, "exit-status", (<-requests).Type)
			}
			if c.close {
				require.Nil(t, <-requests)
			} else {
				noneWithin(t, requests)
			}
		})
	}
}

func TestFakeCuts(t *testing.T) {
	for _, reset := range []bool{false, true} {
		s := Fake(t, FakeOptions{CutAfter: 100_000, Reset: reset})
		conn, err := net.Dial("tcp", s.Addr)
		require.NoError(t, err)
		seen := &errorConn{Conn: conn}
		c, channels, requests, err := ssh.NewClientConn(seen, s.Addr, s.ClientConfig())
		require.NoError(t, err)
		client := ssh.NewClient(c, channels, requests)
		ch, _ := openSession(t, client)
		require.True(t, request(t, ch, "exec", "head -c 1000000 /dev/zero; sleep 1000"))
		n, _ := io.Copy(io.Discard, ch)
		require.Error(t, client.Wait())
		require.Equal(t, reset, seen.reset.Load())
		if reset {
			require.LessOrEqual(t, n, int64(100_000)) // a reset drops unread data
		} else {
			require.Equal(t, int64(100_000), n)
		}
	}
}

// An errorConn remembers a reset, which only the first Read or Write after it
// returns.
type errorConn struct {
	net.Conn
	reset atomic.Bool
}

func (c *errorConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.note(err)
	return n, err
}

func (c *errorConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.note(err)
	return n, err
}

func (c *errorConn) note(err error) {
	if errors.Is(err, syscall.ECONNRESET) {
		c.reset.Store(true)
	}
}

func TestFakeThrottle(t *testing.T) {
	turn := make(chan struct{})
	s := Fake(t, FakeOptions{Throttle: func() { <-turn }})
	t.Cleanup(func() { close(turn) }) // before the server ends
	ch, _ := openSession(t, s.Dial(t))
	require.True(t, request(t, ch, "exec", "echo out"))
	read := make(chan string)
	go func() {
		out, _ := io.ReadAll(ch)
		read <- string(out)
	}()
	noneWithin(t, read)
	turn <- struct{}{}
	require.Equal(t, "out\n", <-read)
}

func TestFakeFreezes(t *testing.T) {
	freeze := make(chan struct{})
	s := Fake(t, FakeOptions{Freeze: freeze})
	client := s.Dial(t)
	ch, _ := openSession(t, client)
	require.True(t, request(t, ch, "exec", "cat"))
	_, err := ch.Write([]byte("a"))
	require.NoError(t, err)
	_, err = io.ReadFull(ch, make([]byte, 1))
	require.NoError(t, err)

	close(freeze)
	_, err = ch.Write([]byte("b"))
	require.NoError(t, err)
	read := make(chan error)
	go func() {
		_, err := ch.Read(make([]byte, 1))
		read <- err
	}()
	noneWithin(t, read)
	_, _, err = answer(t, s, quiet)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, client.Close())
	require.Error(t, <-read)
}

func TestFakeEndsWithItsTest(t *testing.T) {
	var s *Server
	t.Run("while", func(t *testing.T) {
		s = Fake(t, FakeOptions{})
		ch, _ := openSession(t, s.Dial(t))
		require.True(t, request(t, ch, "exec", "sleep 1000"))
	})
	require.Empty(t, marked(s.mark))
	require.NoDirExists(t, s.Dir)
	_, err := net.Dial("tcp", s.Addr)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}
