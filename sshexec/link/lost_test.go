//go:build unix

package link

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

func TestCauses(t *testing.T) {
	reason := &executor.LostError{Code: executor.LostKeepalive, Err: errors.New("no reply")}
	for name, c := range map[string]struct {
		options sshtest.FakeOptions
		end     func(t *testing.T, s *sshtest.Server, c *Conn)
		code    executor.StartCode
		text    string
	}{
		"the peer closes": {
			end:  func(_ *testing.T, s *sshtest.Server, _ *Conn) { s.Stop() },
			code: executor.LostClosed, text: "the other side closed the connection",
		},
		"the peer closes in the middle": {
			options: sshtest.FakeOptions{CutAfter: 10_000},
			end:     func(t *testing.T, _ *sshtest.Server, c *Conn) { drain(t, c) },
			code:    executor.LostClosed, text: "the other side closed the connection",
		},
		"a reset": {
			options: sshtest.FakeOptions{CutAfter: 10_000, Reset: true},
			end:     func(t *testing.T, _ *sshtest.Server, c *Conn) { drain(t, c) },
			code:    executor.LostReset, text: "connection reset",
		},
		"abort": {
			end:  func(_ *testing.T, s *sshtest.Server, c *Conn) { c.Abort(reason); s.Stop() },
			code: executor.LostKeepalive, text: "no reply",
		},
		"abort behind the peer's close": {
			end:  func(t *testing.T, s *sshtest.Server, c *Conn) { s.Stop(); within(t, c.Done()); c.Abort(reason) },
			code: executor.LostClosed, text: "the other side closed the connection",
		},
		"our close": {
			end:  func(t *testing.T, _ *sshtest.Server, c *Conn) { require.NoError(t, c.Close()) },
			code: executor.LostClosed, text: "closed on this side",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := sshtest.Fake(t, c.options)
			conn := dial(t, s, Options{})
			require.Nil(t, conn.Cause())
			c.end(t, s, conn)
			within(t, conn.Done())
			cause := conn.Cause()
			require.Equal(t, c.code, cause.Code, "%v", cause)
			require.EqualError(t, cause.Err, c.text)
			require.Equal(t, executor.LinkLost, conn.Info().State)
			require.Equal(t, error(cause), conn.Info().Err)
		})
	}
}

// drain starts a process with much output and reads until the connection ends.
func drain(t *testing.T, c *Conn) {
	channel, requests, err := c.OpenSession(t.Context())
	require.NoError(t, err)
	go ssh.DiscardRequests(requests)
	started, err := channel.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{"head -c 1000000 /dev/zero; sleep 1000"}))
	require.NoError(t, err)
	require.True(t, started, "the server executes it")
	returns(t, func() { _, _ = io.Copy(io.Discard, channel) })
}

// The server's message when it closes the connection is in the cause.
func TestDisconnectMessageIsKept(t *testing.T) {
	w := newWire(nil, "ada@host:22", false)
	w.failed(errors.New(`ssh: disconnect, reason 11: "shutting down\x1b[2J"`))
	cause := w.cause.Load()
	require.Equal(t, executor.LostClosed, cause.Code)
	require.Equal(t, "shutting down\x1b[2J", cause.Said)
	require.EqualError(t, cause, "connection to ada@host:22 lost after 0s: the other side closed the connection")
}

func TestHeard(t *testing.T) {
	c := dial(t, sshtest.Fake(t, sshtest.FakeOptions{}), Options{})
	before := c.LastRead()
	_, err := c.Ping(t.Context())
	require.NoError(t, err)
	require.True(t, c.LastRead().After(before))
	require.WithinDuration(t, time.Now(), c.LastRead(), eventually)
}

func TestSessionLimit(t *testing.T) {
	c := dial(t, sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxSessions 1"}}), Options{})
	_, _, err := c.OpenSession(t.Context())
	require.NoError(t, err)
	_, _, err = c.OpenSession(t.Context())
	var e *executor.StartError
	require.ErrorAs(t, err, &e)
	require.Equal(t, executor.ChanLimit, e.Code)
	require.Equal(t, "open failed", e.Said)
	require.Contains(t, e.Hint, "MaxSessions")
	require.Nil(t, c.Cause(), "the connection is still good")
}

func TestSessionWithoutReply(t *testing.T) {
	freeze := make(chan struct{})
	c := dial(t, sshtest.Fake(t, sshtest.FakeOptions{Freeze: freeze}), Options{})
	close(freeze)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	_, _, err := c.OpenSession(ctx)
	var e *executor.StartError
	require.ErrorAs(t, err, &e)
	require.Equal(t, executor.StartCancelled, e.Code)
	within(t, c.Done())
	require.EqualError(t, c.Cause().Err, errAbandoned.Error())
}

// deaf is a connection that ends while a channel is being opened and leaves the
// caller blocked: x/crypto does so when it has dropped its channels already.
type deaf struct {
	ssh.Conn
	asked, ended, test chan struct{}
}

func (d *deaf) OpenChannel(string, []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	close(d.asked)
	<-d.test // longer than the connection
	return nil, nil, io.EOF
}

func (d *deaf) Wait() error {
	<-d.ended
	return io.EOF
}

func TestCloseDoesNotWaitForLostReplies(t *testing.T) {
	server := &deaf{asked: make(chan struct{}), ended: make(chan struct{}), test: make(chan struct{})}
	defer close(server.test)
	ours, _ := memPipe()
	c := newConn(server, newWire(ours, "ada@memory:22", false), &hop{release: func() {}})
	channels, requests := make(chan ssh.NewChannel), make(chan *ssh.Request)
	close(channels)
	close(requests)
	c.serve(channels, requests)
	opened := make(chan error, 1)
	go func() {
		_, _, err := c.OpenSession(t.Context())
		opened <- err
	}()
	within(t, server.asked)
	close(server.ended)
	var e *executor.StartError
	require.ErrorAs(t, within(t, opened), &e)
	require.Equal(t, executor.LostClosed, e.Code)
	within(t, c.Done())
}

// A channel that the server opens is refused, and so are its requests.
func TestServerRequestsAreRefused(t *testing.T) {
	refused, answered := make(chan error, 1), make(chan bool, 1)
	c := memory(t, func(server *ssh.ServerConn, _ <-chan *ssh.Request) {
		_, _, err := server.OpenChannel("auth-agent@openssh.com", nil)
		refused <- err
		ok, _, err := server.SendRequest("hostkeys-00@openssh.com", true, nil)
		answered <- ok || err != nil
	})
	require.Error(t, within(t, refused))
	require.False(t, within(t, answered))
	require.Nil(t, c.Cause())
}

// memory returns a connection to a server in this process, over an in-memory
// pipe.
func memory(t *testing.T, serve func(*ssh.ServerConn, <-chan *ssh.Request)) *Conn {
	t.Helper()
	key := sshtest.NewKey(t, "ed25519", t.TempDir()+"/key")
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(key)
	ours, theirs := memPipe()
	go func() {
		conn, channels, requests, err := ssh.NewServerConn(theirs, config)
		if err != nil {
			return
		}
		go func() {
			for channel := range channels {
				_ = channel.Reject(ssh.Prohibited, "no")
			}
		}()
		serve(conn, requests)
	}()
	w := newWire(ours, "ada@memory:22", true)
	conn, channels, requests, err := ssh.NewClientConn(w, w.hop, &ssh.ClientConfig{HostKeyCallback: ssh.FixedHostKey(key.PublicKey())})
	require.NoError(t, err)
	c := newConn(conn, w, &hop{name: w.hop, release: func() {}})
	c.serve(channels, requests)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func TestKeepalive(t *testing.T) {
	t.Run("nothing answers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := memory(t, func(*ssh.ServerConn, <-chan *ssh.Request) {})
			begin := time.Now()
			c.keepAlive()
			require.Equal(t, keepaliveQuiet+keepaliveMisses*keepaliveReply, time.Since(begin))
			require.LessOrEqual(t, time.Since(begin), 15*time.Second)
			require.Equal(t, executor.LostKeepalive, c.Cause().Code)
			require.EqualError(t, c.Cause().Err, "no reply for 15s")
			require.EqualError(t, c.Cause(), "connection to ada@memory:22 lost after 15s: no reply for 15s")
		})
	})
	t.Run("answers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			c := memory(t, func(_ *ssh.ServerConn, requests <-chan *ssh.Request) {
				for r := range requests {
					asked.Add(1)
					_ = r.Reply(false, nil)
				}
			})
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				c.keepAlive()
			}()
			time.Sleep(time.Hour)
			require.Nil(t, c.Cause())
			require.InDelta(t, int32(time.Hour/keepaliveQuiet), asked.Load(), 1)
			require.NoError(t, c.Close())
			<-ended
		})
	})
	t.Run("one late answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			late := true
			c := memory(t, func(_ *ssh.ServerConn, requests <-chan *ssh.Request) {
				for r := range requests {
					if late {
						time.Sleep(keepaliveReply + time.Second)
						late = false
					}
					_ = r.Reply(false, nil)
				}
			})
			go c.keepAlive()
			time.Sleep(time.Hour)
			require.Nil(t, c.Cause())
		})
	})
	t.Run("a busy link is not asked", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			c := memory(t, func(server *ssh.ServerConn, requests <-chan *ssh.Request) {
				go func() {
					for range requests {
						asked.Add(1)
					}
				}()
				for {
					time.Sleep(keepaliveQuiet - time.Second)
					if _, _, err := server.SendRequest("noise", false, nil); err != nil {
						return
					}
				}
			})
			go c.keepAlive()
			time.Sleep(time.Hour)
			require.Nil(t, c.Cause())
			require.Zero(t, asked.Load())
			require.NoError(t, c.Close())
			time.Sleep(keepaliveQuiet) // until the server has noticed
		})
	})
}

// A peer that was quick to end has said why.
func TestPeerThatHasEndedWithoutAVersionLine(t *testing.T) {
	w := newWire(finished{sent: strings.NewReader("HTTP/1.1 400 Bad Request\n")}, "ada@host:22", true)
	n, err := w.Write([]byte("SSH-2.0-x\r\n"))
	require.NoError(t, err)
	require.Equal(t, 11, n)
	_, err = w.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "HTTP/1.1 400 Bad Request\n", string(w.said()))
	require.Equal(t, executor.LostClosed, w.cause.Load().Code)
}

// A finished connection still has data to read, and refuses writes.
type finished struct {
	net.Conn
	sent io.Reader
}

func (f finished) Read(p []byte) (int, error) { return f.sent.Read(p) }
func (finished) Write([]byte) (int, error)    { return 0, syscall.EPIPE }
