//go:build unix

package link

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

func TestConnectionsToAHostAreLimited(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{})
	d := newDialer(t, s, Options{Limits: Limits{PerHost: 2}})
	var open []*Conn
	for range 2 {
		c, err := d.Dial(t.Context(), target(s), Reporter{})
		require.NoError(t, err)
		open = append(open, c)
	}

	third := dialInTurn(t, d, s)
	require.Equal(t, "for its turn with 127.0.0.1 (2 are connected)", third.wait(t))
	require.NoError(t, open[0].Close())
	third.comes(t)
	require.NoError(t, third.conn.Close())

	// Its slot is free again, and so is that of a lost connection.
	c, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	c.Abort(&executor.LostError{Code: executor.LostReset, Hop: c.hop, Err: errReset})
	c, err = d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, open[1].Close())
	require.Eventually(t, func() bool {
		d.hosts.mu.Lock()
		defer d.hosts.mu.Unlock()
		return len(d.hosts.byKey) == 0
	}, eventually, tick, "nothing is kept of a host")
}

// A turn is a dial that has to wait for its slot.
type turn struct {
	recorder
	waits chan string // the detail of its wait
	ended chan error
	conn  *Conn
}

// dialInTurn dials s.
func dialInTurn(t *testing.T, d *Dialer, s *sshtest.Server) *turn {
	one := &turn{waits: make(chan string, 1), ended: make(chan error, 1)}
	r := one.reporter()
	begin := r.Begin
	r.Begin = func(p executor.Phase) {
		begin(p)
		if p.Name == phaseWait {
			one.waits <- p.Detail
		}
	}
	go func() {
		var err error
		one.conn, err = d.Dial(t.Context(), target(s), r)
		one.ended <- err
	}()
	return one
}

// wait returns the detail of the wait, once the dial waits.
func (o *turn) wait(t *testing.T) string {
	t.Helper()
	select {
	case detail := <-o.waits:
		return detail
	case err := <-o.ended:
		require.Fail(t, "did not wait", "%v", err)
	case <-time.After(eventually):
		require.Fail(t, "neither waits nor ends")
	}
	return ""
}

// comes waits until it has its slot and is connected.
func (o *turn) comes(t *testing.T) {
	t.Helper()
	require.NoError(t, within(t, o.ended))
	require.Equal(t, []string{"resolve", "wait", "connect", "host-key", "login"}, o.names())
}

// While a dial waits for its slot all clocks are stopped, those of the dialer
// and those of the caller.
func TestWaitForASlotDoesNotCount(t *testing.T) {
	host := &sshconfig.Host{HostName: "host", Port: 22}
	for name, enter := range map[string]func(ctx context.Context, d *Dialer, r Reporter) (func(), *executor.StartError){
		"with a host": func(ctx context.Context, d *Dialer, r Reporter) (func(), *executor.StartError) {
			return d.awaitHost(ctx, &route{hosts: []*sshconfig.Host{host}}, r)
		},
		"with a server": func(ctx context.Context, d *Dialer, r Reporter) (leave func(), failure *executor.StartError) {
			_, failure = d.connectAlone(ctx, host, r, func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
				h := &hop{dialer: d, host: host, name: "host", trace: t}
				leave, failure = h.awaitServer(ctx)
				return nil, failure
			})
			return leave, failure
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := NewDialer(Options{Limits: Limits{PerHost: 1, PerServer: 1}})
				first, failure := enter(t.Context(), d, Reporter{})
				require.Nil(t, failure)
				begin := time.Now()
				time.AfterFunc(time.Hour, first)
				late := errors.New("the caller has no time")
				ctx, cancel := executor.WithPausableTimeout(t.Context(), time.Second, late)
				defer cancel()
				r := new(recorder)
				leave, failure := enter(ctx, d, r.reporter())
				require.Nil(t, failure)
				require.Equal(t, time.Hour, time.Since(begin))
				require.Equal(t, []string{"wait"}, r.names())
				require.NoError(t, ctx.Err())
				<-ctx.Done()
				require.Equal(t, time.Hour+time.Second, time.Since(begin), "then the clock continues")
				leave()
				require.NoError(t, d.Close())
			})
		})
	}
}

func TestFailedDialHoldsNoSlot(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{SSH: []string{"Port 1"}}})
	d := newDialer(t, s, Options{Limits: Limits{PerHost: 1}})
	for range 3 {
		_, err := d.Dial(t.Context(), target(s), Reporter{})
		var e *executor.StartError
		require.ErrorAs(t, err, &e)
		require.Equal(t, executor.NetRefused, e.Code)
	}
	require.Empty(t, d.hosts.byKey)
}

func TestHandshakesWithAServerAreLimited(t *testing.T) {
	asked, answer := make(chan struct{}, 2), make(chan struct{})
	s := sshtest.Fake(t, sshtest.FakeOptions{Methods: []string{"password"}, Password: "right"})
	d := newDialer(t, s, Options{Limits: Limits{PerServer: 1}, Prompter: prompter(func(ctx context.Context, _ executor.Prompt) (executor.Answer, error) {
		asked <- struct{}{}
		return answerWhen(ctx, answer, "right")
	})})
	first := make(chan error, 1)
	go func() {
		_, err := d.Dial(t.Context(), target(s), Reporter{})
		first <- err
	}()
	within(t, asked)
	second := dialInTurn(t, d, s)
	require.Equal(t, "for its turn with "+s.Addr+" (1 are logging in)", second.wait(t))
	close(answer)
	require.NoError(t, within(t, first))
	second.comes(t)
}

// A server that drops connections gets fewer at once, and in the end all
// succeed.
func TestDropsSlowTheDialerDown(t *testing.T) {
	const n, drops = 64, 3 * DefaultPerServer
	s := sshtest.Fake(t, sshtest.FakeOptions{DropFirst: drops})
	d := newDialer(t, s, Options{Seed: 1})
	last := fmt.Sprintf("connection %d\n", drops)
	d.wait = func(ctx context.Context, _ time.Duration) error { // until it is no longer too busy
		ctx, cancel := context.WithTimeout(ctx, eventually)
		defer cancel()
		for !strings.Contains(s.Log(), last) {
			if err := wait(ctx, tick); err != nil {
				return err
			}
		}
		return nil
	}
	conns, errs := dialAll(t, d, s, n)()
	told := 0
	for i := range n {
		require.NoError(t, errs[i])
		for _, notice := range conns[i].Notices() {
			require.Equal(t, "net.dropped", notice.Code)
			require.Contains(t, notice.Text, "MaxStartups")
			require.Regexp(t, "limited to [24] at a time", notice.Text)
			told++
		}
	}
	require.Positive(t, told)
	require.Equal(t, n+drops, strings.Count(s.Log(), "connection "))
}

func TestJitterIsReproducible(t *testing.T) {
	draw := func(seed uint64) (times []time.Duration) {
		j := newJitter(seed)
		for range 20 {
			times = append(times, j.between("a:22", minRetryWait, maxRetryWait))
			if seed == 9 {
				j.between("b:22", minRetryWait, maxRetryWait)
			}
		}
		return times
	}
	alone := newJitter(9)
	for _, d := range draw(9) {
		require.Equal(t, d, alone.between("a:22", minRetryWait, maxRetryWait), "other servers do not matter")
	}
	require.NotEqual(t, newJitter(9).between("a:22", 0, time.Hour), newJitter(9).between("b:22", 0, time.Hour))
	first, again, other := draw(7), draw(7), draw(8)
	require.Equal(t, first, again)
	require.NotEqual(t, first, other)
	random, another := draw(0), draw(0)
	require.NotEqual(t, random, another)
	for _, d := range draw(0) {
		require.GreaterOrEqual(t, d, minRetryWait)
		require.Less(t, d, maxRetryWait)
	}
}

func TestPerBastionLimit(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	d := newDialer(t, s, Options{Limits: Limits{PerBastion: 4}})
	_, errs := dialAll(t, d, s, 12)()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, strings.Count(jump.Log(), "login "), 3)
}

// A login that a jump host refuses is tried once, however many hosts are behind
// it.
func TestARefusalIsRemembered(t *testing.T) {
	for name, c := range map[string]struct {
		options  sshtest.FakeOptions
		remember bool
		code     executor.StartCode
		tries    int
	}{
		"login":                {sshtest.FakeOptions{Methods: []string{"password"}}, true, executor.AuthPrompt, 1},
		"key":                  {sshtest.FakeOptions{Options: sshtest.Options{SSH: []string{"User nobody-at-all"}}}, true, executor.AuthDenied, 1},
		"host key":             {sshtest.FakeOptions{WrongHostKey: true, Options: sshtest.Options{HostKeys: []string{"ed25519"}}}, true, executor.HostKeyChanged, 1},
		"without the option":   {sshtest.FakeOptions{Methods: []string{"password"}}, false, executor.AuthPrompt, 3},
		"what may pass by":     {sshtest.FakeOptions{Handler: sshtest.Endless("HTTP/1.1 400\r\n")}, true, executor.NetNotSSH, 3},
		"the destination's is": {sshtest.FakeOptions{}, true, executor.AuthPrompt, 0},
	} {
		t.Run(name, func(t *testing.T) {
			behind := sshtest.FakeOptions{}
			if c.tries == 0 {
				behind.Methods = []string{"password"}
			}
			c.options.Alias = "jump"
			jump := sshtest.Fake(t, c.options)
			behind.Jump = jump
			s := sshtest.Fake(t, behind)
			d := newDialer(t, s, Options{RememberRefusals: c.remember})
			for i := range 3 {
				r := new(recorder)
				_, err := d.Dial(t.Context(), target(s), r.reporter())
				var e *executor.StartError
				require.ErrorAs(t, err, &e)
				require.Equal(t, c.code, e.Code)
				repeated := new(RepeatedError)
				require.Equal(t, c.tries == 1 && i > 0, errors.As(err, &repeated))
				require.Len(t, r.phases, len(r.begun))
				require.Equal(t, e.Phase+"!", r.names()[len(r.phases)-1])
				if c.tries == 1 {
					require.Contains(t, e.Hop, jump.Addr)
					require.ErrorContains(t, err, "at the jump host: ")
				}
				if c.tries == 1 && i > 0 {
					require.ErrorContains(t, err, "not tried again")
					require.NotEmpty(t, e.Hint)
				}
			}
			if c.tries > 0 {
				require.Contains(t, jump.Log(), fmt.Sprintf("connection %d\n", c.tries))
				require.NotContains(t, jump.Log(), fmt.Sprintf("connection %d\n", c.tries+1))
			} else {
				require.Contains(t, s.Log(), "connection 3\n", "a destination is tried each time")
			}
		})
	}
}

func TestRefusalReachesAllWaitingDials(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump", SSH: []string{"User nobody-at-all"}}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	d := newDialer(t, s, Options{RememberRefusals: true})
	_, errs := dialAll(t, d, s, 40)()
	for _, err := range errs {
		var e *executor.StartError
		require.ErrorAs(t, err, &e)
		require.Equal(t, executor.AuthDenied, e.Code)
	}
	require.Equal(t, 1, strings.Count(jump.Log(), "connection "))
}
