//go:build unix

package link

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// A prompter answers with a function.
type prompter func(ctx context.Context, p executor.Prompt) (executor.Answer, error)

func (f prompter) Ask(ctx context.Context, p executor.Prompt) (executor.Answer, error) {
	return f(ctx, p)
}

func password(text string) executor.Answer { return executor.Answer{Values: []string{text}} }

// behind starts a target behind a jump host that requires a password;
// connections returns the number of connections to the jump host.
func behind(t *testing.T, o sshtest.FakeOptions) (s *sshtest.Server, connections func() int) {
	o.Alias, o.Methods, o.Password = "jump", []string{"password"}, "right"
	jump := sshtest.Fake(t, o)
	s = sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	return s, func() int { return strings.Count(jump.Log(), "connection ") }
}

// awaitUsers waits until n users share the first jump host.
func (d *Dialer) awaitUsers(t *testing.T, n int) {
	require.Eventually(t, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		b := d.bastions["jump#0"]
		return b != nil && b.users == n
	}, eventually, tick)
}

// dialAll dials s n times at once; wait returns the results when all have
// ended.
func dialAll(t *testing.T, d *Dialer, s *sshtest.Server, n int) (wait func() ([]*Conn, []error)) {
	conns, errs := make([]*Conn, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { conns[i], errs[i] = d.Dial(t.Context(), target(s), Reporter{}) })
	}
	return func() ([]*Conn, []error) {
		returns(t, all.Wait)
		return conns, errs
	}
}

func TestDialsShareAnAttempt(t *testing.T) {
	const n = 10
	for name, c := range map[string]struct {
		answer string
		code   executor.StartCode
	}{"that succeeds": {"right", ""}, "that fails": {"wrong", executor.AuthDenied}} {
		t.Run(name, func(t *testing.T) {
			s, connections := behind(t, sshtest.FakeOptions{Options: sshtest.Options{SSH: []string{"NumberOfPasswordPrompts 1"}}})
			all := make(chan struct{})
			d := newDialer(t, s, Options{Prompter: prompter(func(ctx context.Context, _ executor.Prompt) (executor.Answer, error) {
				return answerWhen(ctx, all, c.answer)
			})})
			wait := dialAll(t, d, s, n)
			d.awaitUsers(t, n)
			close(all)
			conns, errs := wait()
			require.Equal(t, 1, connections())
			for i := range n {
				if c.code == "" {
					require.NoError(t, errs[i])
					require.Equal(t, "hello\n", run(t, conns[i], "echo hello"))
					continue
				}
				var e *executor.StartError
				require.ErrorAs(t, errs[i], &e)
				require.Equal(t, c.code, e.Code)
				require.Contains(t, e.Hop, "@")
			}
			if c.code != "" { // a failure is not remembered
				_, err := d.Dial(t.Context(), target(s), Reporter{})
				require.Error(t, err)
				require.Equal(t, 2, connections())
			}
		})
	}
}

func TestDialsMayStopWaiting(t *testing.T) {
	s, connections := behind(t, sshtest.FakeOptions{})
	answer := make(chan struct{})
	asked := make(chan struct{}, 1)
	d := newDialer(t, s, Options{Prompter: prompter(func(ctx context.Context, _ executor.Prompt) (executor.Answer, error) {
		asked <- struct{}{}
		return answerWhen(ctx, answer, "right")
	})})
	// The first dial, which began the attempt, gives up; the second gets the
	// connection.
	ctx, cancel := context.WithCancel(t.Context())
	r := new(recorder)
	first := make(chan error, 1)
	go func() {
		_, err := d.Dial(ctx, target(s), r.reporter())
		first <- err
	}()
	within(t, asked)
	wait := dialAll(t, d, s, 1)
	d.awaitUsers(t, 2)
	cancel()
	err := within(t, first)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"resolve", "connect", "host-key", "login!"}, r.names())
	close(answer)
	conns, errs := wait()
	require.NoError(t, errs[0])
	require.Equal(t, "hello\n", run(t, conns[0], "echo hello"))
	require.Equal(t, 1, connections())
}

func TestTheLastWaiterEndsTheAttempt(t *testing.T) {
	s, _ := behind(t, sshtest.FakeOptions{})
	asked := make(chan struct{})
	d := newDialer(t, s, Options{Prompter: prompter(func(ctx context.Context, _ executor.Prompt) (executor.Answer, error) {
		close(asked)
		<-ctx.Done()
		return executor.Answer{}, ctx.Err()
	})})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, err := d.Dial(ctx, target(s), Reporter{})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, d.bastions)
}

func TestALostBastionIsForgotten(t *testing.T) {
	jump := sshtest.OpenSSH(t, sshtest.Options{Alias: "jump"})
	s := sshtest.OpenSSH(t, sshtest.Options{Jump: jump})
	d := newDialer(t, s, Options{})
	c, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	bastion := d.bastions["jump#0"].conn
	bastion.Abort(&executor.LostError{Code: executor.LostKeepalive, Hop: bastion.hop, Err: errKeepalive})
	within(t, c.Done())
	require.Equal(t, executor.LostKeepalive, c.Cause().Code)
	require.Equal(t, bastion.hop, c.Cause().Hop, "it is the jump host that was lost")
	require.Empty(t, d.bastions)
	c, err = d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	require.Equal(t, "hello\n", run(t, c, "echo hello"))
}

// The errors about a jump host carry its alias, however it failed.
func TestADeadBastionCarriesItsAlias(t *testing.T) {
	alias := `jump \(\S+@127\.0\.0\.1:\d+\)`
	t.Run("lost", func(t *testing.T) {
		jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}})
		s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
		d := newDialer(t, s, Options{})
		c, err := d.Dial(t.Context(), target(s), Reporter{})
		require.NoError(t, err)
		jump.Stop()
		within(t, c.Done())
		require.Regexp(t, `^connection to `+alias+` lost`, c.Cause().Error())
		behind := classify(&tunnelError{via: c, err: errPeerClosed}, place{hop: "ada@far:22", phase: phaseConnect, begin: time.Now()})
		require.Regexp(t, `connection to the jump host target \(\S+\) was lost`, behind.Error(), "as if c were one")
	})
	t.Run("silent", func(t *testing.T) {
		s, _ := behind(t, sshtest.FakeOptions{Handler: sshtest.Silence})
		d := newDialer(t, s, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		_, err := d.Dial(ctx, target(s), Reporter{End: func(p executor.Phase) {
			if p.Name == phaseConnect {
				cancel()
			}
		}})
		require.Regexp(t, `^start on `+alias+`: `, err.Error())
	})
	t.Run("closed", func(t *testing.T) {
		s, _ := behind(t, sshtest.FakeOptions{})
		d := newDialer(t, s, Options{})
		w, err := d.findRoute(t.Context(), target(s))
		require.NoError(t, err)
		require.NoError(t, d.Close())
		b, _ := d.share(w, 1, nil)
		require.Regexp(t, `^start on `+alias+`: `, b.err.Error())
		_, failure := d.connectAlone(t.Context(), w.hosts[0], Reporter{}, nil)
		require.Regexp(t, `^start on `+alias+`: `, failure.Error())
	})
}

func TestManyThroughOneBastion(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	d := newDialer(t, s, Options{})
	_, errs := dialAll(t, d, s, 40)()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, 1, strings.Count(jump.Log(), "login "))
	returns(t, func() { assert.NoError(t, d.Close()) })
	_, err := d.Dial(t.Context(), target(s), Reporter{})
	require.ErrorIs(t, err, executor.ErrClosed)
}

func TestAFullBastionGetsASecond(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	d := newDialer(t, s, Options{})
	_, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	d.mu.Lock()
	d.bastions["jump#0"].users += DefaultPerBastion
	d.mu.Unlock()
	_, err = d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(jump.Log(), "login "))
	d.mu.Lock()
	d.bastions["jump#0"].users -= DefaultPerBastion
	d.mu.Unlock()
}

// The connection of a jump host that no longer sends anything stays open;
// connections through it can be ended nevertheless.
func TestAbortThroughAFrozenBastion(t *testing.T) {
	freeze := make(chan struct{})
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}, Freeze: freeze})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	d := newDialer(t, s, Options{})
	c, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	other, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	channel, _, err := c.OpenSession(t.Context())
	require.NoError(t, err)
	close(freeze)
	read := make(chan error, 1)
	go func() {
		_, err := channel.Read(make([]byte, 1))
		read <- err
	}()
	written := make(chan error, 1)
	go func() {
		_, err := channel.Write(make([]byte, 8<<20)) // more than every window and queue
		written <- err
	}()
	cause := &executor.LostError{Code: executor.LostKeepalive, Hop: c.hop, Err: errKeepalive}
	c.Abort(cause)
	require.Error(t, within(t, read))
	require.Error(t, within(t, written))
	within(t, c.Done())
	require.Same(t, cause, c.Cause())
	require.Nil(t, other.Cause())
}

// While some dials still read the result of a failed attempt, others may start
// over.
func TestAFailureIsForgottenAtOnce(t *testing.T) {
	s, connections := behind(t, sshtest.FakeOptions{})
	d := newDialer(t, s, Options{})
	w, err := d.findRoute(t.Context(), target(s))
	require.NoError(t, err)
	first, warm := d.share(w, 1, nil)
	require.False(t, warm)
	within(t, first.done)
	require.Equal(t, executor.AuthPrompt, first.err.Code)
	second, warm := d.share(w, 1, nil)
	require.False(t, warm)
	within(t, second.done)
	require.Equal(t, 2, connections())
	d.leave(first)
	d.leave(second)
}
