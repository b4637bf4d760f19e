//go:build linux

package execserver

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

func resumable(t *testing.T, f *fakeServer) *Executor {
	t.Helper()
	e, err := Open(t.Context(), Options{
		Dial: f.dial, Resumable: true, Concurrency: wire.CodexConcurrency, StartTimeout: waitLimit, Placement: "fake", Keep: waitLimit,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func TestCutsLoseNothing(t *testing.T) {
	t.Parallel()
	f := newFakeServer()
	echoes(t, resumable(t, f), 100, 20, f.cut)
}

// TestOutputBeyondTheRetainedIsLost floods more than the server retains: the process fails with that cause.
func TestOutputBeyondTheRetainedIsLost(t *testing.T) {
	t.Parallel()
	f := newFakeServer()
	e := resumable(t, f)
	cue := filepath.Join(t.TempDir(), "cue")
	p, err := e.Start(t.Context(), executor.Command{Argv: []string{
		"/bin/sh", "-c", "echo up; until [ -e " + cue + " ]; do sleep 0.01; done; head -c 3000000 /dev/zero; exec sleep 1000",
	}})
	require.NoError(t, err)
	sub, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	_, err = sub.Next(t.Context()) // it runs
	require.NoError(t, err)
	var may sync.Mutex
	f.mu.Lock()
	f.refuse = func() error {
		may.Lock() // until the flood is over
		defer may.Unlock()
		return nil
	}
	f.mu.Unlock()
	may.Lock()
	f.cut()
	for ev := (executor.Event{}); ev.Link == nil; {
		ev, err = sub.Next(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(cue, nil, 0o600))
	require.Eventually(t, func() bool { return f.server().written() >= 3_000_000 }, waitLimit, time.Millisecond)
	may.Unlock()
	for {
		ev, err := sub.Next(t.Context())
		require.NoError(t, err)
		if ev.Kind == executor.Failed {
			require.ErrorIs(t, ev.Err, errEvicted)
			var lost *executor.LostError
			require.ErrorAs(t, ev.Err, &lost)
			return
		}
	}
}

func TestSessionIsGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*fakeServer)
		says    string
	}{
		"unknown":  {func(f *fakeServer) { f.all = map[string]*fakeSession{} }, "the session is gone after"},
		"refused":  {func(f *fakeServer) { f.refuse = func() error { return errors.New("connection refused") } }, "not connected again for 100ms, the session may be gone: connection refused"},
		"attached": {func(f *fakeServer) { f.holds = true }, "the server still holds the old connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFakeServer()
			e, err := Open(t.Context(), Options{Dial: f.dial, Resumable: true, Keep: 100 * time.Millisecond, StartTimeout: waitLimit})
			require.NoError(t, err)
			p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("hang")...)})
			require.NoError(t, err)
			sub, err := p.Subscribe(executor.SubscribeOptions{})
			require.NoError(t, err)
			f.mu.Lock()
			c.prepare(f)
			f.mu.Unlock()
			f.cut()
			var states []executor.LinkState
			for {
				ev, err := sub.Next(t.Context())
				require.NoError(t, err)
				if ev.Kind == executor.Link {
					states = append(states, ev.Link.State)
				}
				if ev.Kind == executor.Failed {
					require.ErrorContains(t, ev.Err, c.says)
					break
				}
			}
			require.Equal(t, []executor.LinkState{executor.LinkRecovering}, states)
			require.Equal(t, executor.LinkLost, p.Info().Link.State)
			_, err = e.Start(t.Context(), executor.Command{Argv: []string{"true"}})
			require.ErrorContains(t, err, c.says)
			require.NoError(t, e.Close())
		})
	}
}

// TestDeafServer fills standard input: the queue of the server must not be full then, because
// it would handle no other request.
func TestDeafServer(t *testing.T) {
	t.Parallel()
	e := openFake(t, 0).(*Executor)
	p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("hang")...)})
	require.NoError(t, err)
	for range 1000 {
		_, err := p.Write(t.Context(), "", bytes.Repeat([]byte{'x'}, 1000))
		require.NoError(t, err)
	}
	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 1)
	require.NoError(t, e.Close())
}

func TestOneWarningForAnotherVersion(t *testing.T) {
	t.Parallel()
	f := newFakeServer()
	f.version = "0.170.0"
	e := resumable(t, f)
	p, err := e.Start(t.Context(), executor.Command{Argv: []string{"/bin/sh", "-c", "exit 143"}})
	require.NoError(t, err)
	require.Len(t, p.Info().Notices, 1)
	require.Contains(t, p.Info().Notices[0].Text, "0.170.0")
	_, err = p.Read(t.Context(), 1, 0, waitLimit)
	require.NoError(t, err)
	require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 143, Why: "exit code or signal TERM: the exec server does not say"}, *p.Info().Exit)
}

func TestOpenKeepsTheCause(t *testing.T) {
	t.Parallel()
	want := &executor.StartError{Code: executor.NetRefused, Err: errors.New("refused")}
	_, err := Open(t.Context(), Options{Dial: func(context.Context) (wire.Conn, error) { return nil, want }})
	var got *executor.StartError
	require.ErrorAs(t, err, &got)
	require.Equal(t, want, got)
}

// TestStuckTerminateCutsTheConnection holds every request behind a write: another connection
// takes the terminate.
func TestStuckTerminateCutsTheConnection(t *testing.T) {
	t.Parallel()
	f := newFakeServer()
	e := resumable(t, f)
	e.endTime = 50 * time.Millisecond
	p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("hang")...)})
	require.NoError(t, err)
	sub, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	f.mu.Lock()
	f.stuck = true
	f.mu.Unlock()
	_, err = p.Terminate(t.Context())
	require.NoError(t, err)
	var states []executor.LinkState
	for {
		ev, err := sub.Next(t.Context())
		require.NoError(t, err)
		if ev.Kind == executor.Link {
			states = append(states, ev.Link.State)
		}
		if ev.Kind == executor.Exited {
			require.Equal(t, "KILL", ev.Exit.Signal)
			break
		}
	}
	require.Equal(t, []executor.LinkState{executor.LinkRecovering, executor.LinkUp}, states)
}

// A pinged is a connection on which the sign of life is missing, or not.
type pinged struct {
	wire.Conn
	alive bool
}

// Ping implements wire.Pinger.
func (p pinged) Ping(ctx context.Context) error {
	if p.alive {
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestSilentConnectionIsGivenUp resumes over another connection after one without signs of life.
func TestSilentConnectionIsGivenUp(t *testing.T) {
	t.Parallel()
	f := newFakeServer()
	dialed := 0
	e, err := Open(t.Context(), Options{
		Resumable: true, StartTimeout: waitLimit, Keep: waitLimit, Beat: 10 * time.Millisecond,
		Dial: func(ctx context.Context) (wire.Conn, error) {
			conn, err := f.dial(ctx)
			dialed++
			return pinged{conn, dialed > 1}, err
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	var cause error
	require.Eventually(t, func() bool {
		e.s.mu.Lock()
		defer e.s.mu.Unlock()
		cause = e.s.cause
		return cause != nil && e.s.line != nil
	}, waitLimit, time.Millisecond)
	require.ErrorContains(t, cause, "no sign of life")
	require.NoError(t, e.s.failure())
}

// TestWindowsHostCannotTell starts a server where no guard can run: unknown facts are reported.
func TestWindowsHostCannotTell(t *testing.T) {
	t.Parallel()
	f := newFakeServer()
	f.os = windows
	e := resumable(t, f)
	p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("echo")...)})
	require.NoError(t, err)
	require.Zero(t, p.Info().PID)
	require.True(t, p.Info().Env.Unknown, "which variables are inherited")
	sub, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	_, err = p.Write(t.Context(), "", []byte("up\n"))
	require.NoError(t, err)
	ev, err := sub.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, "up\n", string(ev.Data))
	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Empty(t, tree)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Len(t, report.CannotTell, 1)
	require.Contains(t, report.CannotTell[0], "Windows")
	require.Equal(t, "file:///C:/srv/a%20b", fileURI(`C:\srv\a b`))
	require.NoError(t, validate(executor.Command{Argv: []string{"x"}, Dir: `C:\srv`}, windows))
	require.Error(t, validate(executor.Command{Argv: []string{"x"}, Dir: `C:\srv`}, "linux"))
}
