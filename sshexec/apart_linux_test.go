package sshexec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/link"
	"mcpdbg/sshexec/sshtest"
)

// oneSessionServer is a real sshd that allows one session per connection.
func oneSessionServer(t *testing.T) *sshtest.Server {
	return sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxSessions 1"}})
}

func longStart(o *Options) { o.StartTimeout = waitLimit }

// startApart starts a process whose guard has its own connection.
func startApart(t *testing.T, e *Executor, cmd executor.Command) started {
	t.Helper()
	p, err := startOwn(t.Context(), e, cmd)
	require.NoError(t, err)
	require.NotNil(t, p.own.running.apart)
	return p
}

// If sshd allows one session per connection, a second connection carries the
// guard. A notice reports it, and the guard works as usual.
func TestOneSessionPerConnection(t *testing.T) {
	t.Parallel()
	for _, from := range []PathFrom{PathPlain, PathLogin} {
		t.Run(string(from), func(t *testing.T) {
			s := oneSessionServer(t)
			e := at(t, s, longStart, func(o *Options) { o.PathFrom = from })
			defer func() { require.NoError(t, e.Close()) }()
			p, err := e.Start(t.Context(), helper("spawn", "daemon", "hang", "end", "hang"))
			require.NoError(t, err)
			require.Equal(t, 2, strings.Count(s.Log(), "Accepted publickey for"))
			require.True(t, hasNotice(p, "mode.second-connection"))

			var tree []executor.Descendant
			require.Eventually(t, func() bool {
				tree, err = p.Tree(t.Context())
				return err == nil && len(tree) == 2
			}, waitLimit, 10*time.Millisecond)
			report, err := p.Terminate(t.Context())
			require.NoError(t, err)
			require.Empty(t, report.Survivors)
			for _, d := range tree {
				gone(t, d.PID)
			}
		})
	}
}

func hasNotice(p executor.Process, code string) bool {
	for _, n := range p.Info().Notices {
		if n.Code == code {
			return true
		}
	}
	return false
}

// Losing either connection ends the run, here as lost and there by the guard.
func TestLosingEitherConnectionEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conn func(*process) *link.Conn
		text string
	}{
		"the guard's": {func(p *process) *link.Conn { return p.running.apart }, "the second connection, which carries the guard: cut by the test"},
		"the run's":   {func(p *process) *link.Conn { return p.conn }, "cut by the test"},
	} {
		t.Run(name, func(t *testing.T) {
			s := oneSessionServer(t)
			e := at(t, s, longStart)
			defer func() { require.NoError(t, e.Close()) }()
			p := startApart(t, e, helper("ignore", "TERM", "hang"))
			conn := c.conn(p.own)
			conn.Abort(&executor.LostError{Code: executor.LostReset, Hop: conn.Hop(), Err: errors.New("cut by the test")})
			events, _ := collected(t, p)
			failed := events[len(events)-1]
			for _, ev := range events {
				if ev.Kind == executor.Failed {
					failed = ev
				}
			}
			require.Equal(t, executor.Failed, failed.Kind)
			require.ErrorContains(t, failed.Err, c.text)
			gone(t, p.own.running.info.PID)
		})
	}
}

// A guard that does not find the process on its machine is not armed.
func TestAGuardElsewhereIsDropped(t *testing.T) {
	t.Parallel()
	s := oneSessionServer(t)
	e := at(t, s, longStart)
	defer func() { require.NoError(t, e.Close()) }()
	conn, err := e.dialer.DialSecond(t.Context(), e.opts.Destination, "")
	require.NoError(t, err)
	l := &launcher{conn: conn, mark: executor.NewMark(), limit: waitLimit, lease: DefaultLease}
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	_, failure := l.armFor(ctx, os.Getpid()) // it exists, but has another mark
	require.NotNil(t, failure)
	require.Equal(t, executor.ChanLimit, failure.Code)
	require.ErrorIs(t, failure, errElsewhere)
}

// The user is prompted again only because the login needs it, and the prompt gives the reason.
// Without a user to prompt the start fails, and the hint is a launch that needs one session.
func TestASecondLoginIsExplained(t *testing.T) {
	t.Parallel()
	for _, answers := range []int{2, 1} {
		t.Run(fmt.Sprint(answers), func(t *testing.T) {
			s := sshtest.Fake(t, sshtest.FakeOptions{MaxSessions: 1, Methods: []string{"password"}, Password: "right"})
			var mu sync.Mutex
			var asked []string
			e := at(t, s, longStart, func(o *Options) {
				o.Prompter = prompts(func(q executor.Prompt) (executor.Answer, error) {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, q.Text)
					if len(asked) > answers {
						return executor.Answer{}, executor.ErrNoPrompter
					}
					return executor.Answer{Yes: true, Values: []string{"right"}}, nil
				})
			})
			if answers == 1 {
				failed := failedStart(t, e, helper("hang"))
				require.Equal(t, executor.AuthPrompt, failed.Code)
				require.Contains(t, failed.Hint, "--ssh-launch plain")
			} else {
				startApart(t, e, helper("hang"))
				require.NoError(t, e.Close())
			}
			require.Len(t, asked, 2)
			require.NotContains(t, asked[0], "MaxSessions")
			require.Contains(t, asked[1], "MaxSessions 1), so the guard needs a second connection")
		})
	}
}

// A failure that a plain launch would share does not recommend one.
func TestOtherFailuresWithASecondConnectionKeepTheirHint(t *testing.T) {
	t.Parallel()
	failed := failedStart(t, at(t, oneSessionServer(t), longStart), executor.Command{Argv: []string{"/nonexistent/server"}})
	require.Equal(t, executor.StartNotFound, failed.Code)
	require.Equal(t, "check its path on the host", failed.Hint)
}

type prompts func(executor.Prompt) (executor.Answer, error)

// Ask implements executor.Prompter.
func (p prompts) Ask(_ context.Context, q executor.Prompt) (executor.Answer, error) { return p(q) }
