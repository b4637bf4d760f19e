//go:build unix

package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// A recorder records the phases of one dial.
type recorder struct {
	begun  []string
	phases []executor.Phase
}

func (r *recorder) reporter() Reporter {
	return Reporter{
		Begin: func(p executor.Phase) { r.begun = append(r.begun, p.Name) },
		End:   func(p executor.Phase) { r.phases = append(r.phases, p) },
	}
}

// names returns the phases that have ended, with an exclamation mark if they
// failed.
func (r *recorder) names() []string {
	var names []string
	for _, p := range r.phases {
		name := p.Name
		if p.Err != nil {
			name += "!"
		}
		names = append(names, name)
	}
	return names
}

// newDialer returns a Dialer for the configuration of s, closed with the test.
func newDialer(t testing.TB, s *sshtest.Server, o Options) *Dialer {
	o.Config = s.Config
	d := NewDialer(o)
	t.Cleanup(func() { returns(t, func() { assert.NoError(t, d.Close()) }) })
	return d
}

func target(s *sshtest.Server) sshconfig.Destination { return sshconfig.Destination{Host: s.Alias} }

// dial connects to s, and closes the connection with the test.
func dial(t testing.TB, s *sshtest.Server, o Options) *Conn {
	t.Helper()
	c, err := newDialer(t, s, o).Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	return c
}

// run executes a command on a raw channel and returns its output.
func run(t testing.TB, c *Conn, command string) string {
	t.Helper()
	watchdog := time.AfterFunc(eventually, func() {
		c.Abort(&executor.LostError{Code: executor.LostClosed, Hop: c.hop, Err: errors.New("the command does not end")})
	})
	defer watchdog.Stop()
	channel, requests, err := c.OpenSession(t.Context())
	require.NoError(t, err)
	var status sync.WaitGroup
	status.Go(func() { ssh.DiscardRequests(requests) })
	ok, err := channel.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{command}))
	require.NoError(t, err)
	require.True(t, ok)
	out, err := io.ReadAll(channel)
	require.NoError(t, err)
	_ = channel.Close()
	status.Wait()
	return string(out)
}

// fails dials s and returns the error.
func fails(t testing.TB, s *sshtest.Server, o Options) *executor.StartError {
	t.Helper()
	r := new(recorder)
	c, err := newDialer(t, s, o).Dial(t.Context(), target(s), r.reporter())
	require.Nil(t, c)
	var e *executor.StartError
	require.ErrorAs(t, err, &e)
	require.Len(t, r.phases, len(r.begun), "a phase that began did not end")
	return e
}

func TestDial(t *testing.T) {
	s := sshtest.OpenSSH(t, sshtest.Options{})
	r := new(recorder)
	c, err := newDialer(t, s, Options{}).Dial(t.Context(), target(s), r.reporter())
	require.NoError(t, err)
	require.Equal(t, "hello\n", run(t, c, "echo hello"))

	require.Equal(t, []string{"resolve", "connect", "host-key", "login"}, r.names())
	require.Equal(t, r.names(), r.begun)
	hop := fmt.Sprintf("%s@%s", s.User, s.Addr)
	require.Contains(t, r.phases[0].Detail, "target -> "+hop)
	require.Equal(t, hop, r.phases[1].Detail)
	require.Contains(t, r.phases[2].Detail, "SHA256:")
	for _, p := range r.phases {
		require.False(t, p.End.Before(p.Begin))
	}

	require.Equal(t, hop, c.Hop())
	require.Equal(t, s.Alias, c.Host().Alias)
	info := c.Info()
	require.Equal(t, []string{hop}, info.Hops)
	require.Equal(t, executor.LinkUp, info.State)
	require.Equal(t, Native, info.Transport)
	require.Contains(t, info.Server, "OpenSSH")
	require.Equal(t, "aes128-gcm@openssh.com", info.Cipher)
	require.NotEmpty(t, info.Kex)
	require.NotEmpty(t, info.HostKey)
	require.False(t, info.Heard.IsZero())

	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	within(t, c.Done())
	require.Equal(t, executor.LostClosed, c.Cause().Code)
	require.Equal(t, executor.LinkLost, c.Info().State)
	_, _, err = c.OpenSession(t.Context())
	var e *executor.StartError
	require.ErrorAs(t, err, &e)
	require.Equal(t, executor.LostClosed, e.Code)
}

func TestJump(t *testing.T) {
	first := sshtest.OpenSSH(t, sshtest.Options{Alias: "first"})
	second := sshtest.OpenSSH(t, sshtest.Options{Alias: "second", Jump: first})
	s := sshtest.OpenSSH(t, sshtest.Options{Jump: second})
	r := new(recorder)
	d := newDialer(t, s, Options{})
	c, err := d.Dial(t.Context(), target(s), r.reporter())
	require.NoError(t, err)
	require.Equal(t, "hello\n", run(t, c, "echo hello"))
	require.Len(t, c.Info().Hops, 3)
	hop := []string{"connect", "host-key", "login"}
	require.Equal(t, append(append(append([]string{"resolve"}, hop...), hop...), hop...), r.names())

	// A second dial uses the same bastions.
	again := new(recorder)
	c2, err := d.Dial(t.Context(), target(s), again.reporter())
	require.NoError(t, err)
	require.Equal(t, []string{"resolve", "connect", "connect", "connect", "host-key", "login"}, again.names())
	require.Equal(t, "hello\n", run(t, c2, "echo hello"))
	require.NoError(t, c.Close())
	require.Len(t, d.bastions, 2)
	require.Equal(t, "hello\n", run(t, c2, "echo hello"))
	require.NoError(t, c2.Close())
	require.Empty(t, d.bastions, "closed when the last user is gone")
}

func TestProxyCommand(t *testing.T) {
	s := sshtest.Inetd(t, sshtest.Options{})
	c := dial(t, s, Options{})
	require.Equal(t, "hello\n", run(t, c, "echo hello"))
	require.NoError(t, c.Close())
}

func TestCancel(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{Handler: sshtest.Silence})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newDialer(t, s, Options{}).Dial(ctx, target(s), Reporter{Begin: func(p executor.Phase) {
		if p.Name == phaseHostKey {
			cancel()
		}
	}})
	var e *executor.StartError
	require.ErrorAs(t, err, &e)
	require.Equal(t, executor.StartCancelled, e.Code)
	require.ErrorIs(t, err, context.Canceled)
}

func TestDropbear(t *testing.T) {
	c := dial(t, sshtest.Dropbear(t, sshtest.Options{}), Options{})
	require.Equal(t, "hello\n", run(t, c, "echo hello"))
	require.Contains(t, c.Info().Server, "dropbear")
}

// ours returns the goroutines of this package except those of tests.
func ours() []string {
	buf := make([]byte, 1<<20)
	var found []string
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "sshexec/link.(*") && !strings.Contains(g, "link.Test") {
			found = append(found, g)
		}
	}
	return found
}

// Close ends everything: pending dials, returned connections, jump hosts, and
// every goroutine.
func TestCloseEndsEverything(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	d := NewDialer(Options{Config: s.Config})
	c, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	silent := one(t, sshtest.Silence)
	waiting := NewDialer(Options{Config: silent.Config})
	begun, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := waiting.Dial(t.Context(), target(silent), Reporter{Begin: func(p executor.Phase) {
			if p.Name == phaseHostKey {
				close(begun)
			}
		}})
		failed <- err
	}()
	within(t, begun)
	require.NotEmpty(t, ours())
	returns(t, func() { assert.NoError(t, waiting.Close()) })
	require.ErrorIs(t, within(t, failed), executor.ErrClosed)
	returns(t, func() { assert.NoError(t, d.Close()) })
	returns(t, func() { assert.NoError(t, d.Close()) })
	within(t, c.Done())
	require.EqualError(t, c.Cause().Err, "closed on this side")
	require.Eventually(t, func() bool { return len(ours()) == 0 }, eventually, tick, "%s", strings.Join(ours(), "\n\n"))
}
