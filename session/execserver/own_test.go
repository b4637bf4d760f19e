//go:build unix

package execserver

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/execserver/serve"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

// ownServer returns an exec server of our own that keeps sessions for so long.
func ownServer(t testing.TB, keep time.Duration) *serve.Server {
	t.Helper()
	s := serve.New(serve.Options{
		Executor: func() executor.Executor {
			return localexec.New(localexec.Options{Watchdog: []string{os.Args[0], console.WatchdogCommand}, Journal: serve.Journal})
		},
		Environment: serve.Describe("test"), Keep: keep,
	})
	t.Cleanup(s.Close)
	return s
}

// ownPipe serves connections in memory.
func ownPipe(t testing.TB) func(context.Context) (wire.Conn, error) {
	t.Helper()
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	s := ownServer(t, 0)
	return func(context.Context) (wire.Conn, error) {
		ours, theirs := net.Pipe()
		serving.Go(func() { s.ServeConn(context.Background(), theirs) })
		return wire.NewLines(ours, wire.MaxMessage), nil
	}
}

// ownSocket serves connections of a unix socket, and keeps sessions.
func ownSocket(t testing.TB, keep time.Duration) func(context.Context) (net.Conn, error) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "x") //nolint:usetesting // the path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path) //nolint:noctx // it does not wait
	require.NoError(t, err)
	s := ownServer(t, keep)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(ctx, l) // until it is cancelled, or the last session has ended
	}()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "unix", path) }
}

// conformOwn runs the suite over an exec server of our own, which inherits the environment of
// the test or runs on a host.
func conformOwn(t *testing.T, inherits bool, o func(*testing.T) Options, groups ...exectest.Group) {
	t.Helper()
	t.Parallel()
	open := func(t *testing.T, retention time.Duration) executor.Executor {
		opts := o(t)
		opts.Retention, opts.StartTimeout, opts.Placement = retention, waitLimit, "own"
		e, err := Open(t.Context(), opts)
		require.NoError(t, err)
		require.True(t, e.s.ours())
		return e
	}
	exectest.Run(t, func(t *testing.T) exectest.Harness {
		e := open(t, 0)
		return exectest.Harness{
			Executor: e, Program: os.Args[0], NewWithRetention: open,
			Alive: exectest.Alive, Zombie: func(int) bool { return false },
			Local: inherits, FindsOrphans: true, Spares: true,
			Lose: func(executor.Process) { e.(*Executor).s.fail(io.ErrUnexpectedEOF) },
		}
	}, groups...)
}

func TestConformanceOwnPipe(t *testing.T) {
	conformOwn(t, true, func(t *testing.T) Options { return Options{Dial: ownPipe(t)} })
}

func TestConformanceOwnSocket(t *testing.T) {
	conformOwn(t, true, func(t *testing.T) Options {
		connect := ownSocket(t, time.Minute)
		return Options{Resumable: true, Dial: func(ctx context.Context) (wire.Conn, error) {
			conn, err := connect(ctx)
			if err != nil {
				return nil, err
			}
			return wire.NewLines(conn, wire.MaxMessage), nil
		}}
	})
}

// TestOpenGivesUpASilentServer: the connection is closed, although nothing was read or written.
func TestOpenGivesUpASilentServer(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	want := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Open(ctx, Options{Dial: func(context.Context) (wire.Conn, error) {
		time.AfterFunc(time.Millisecond, func() { cancel(want) })
		return wire.NewLines(ours, wire.MaxMessage), nil
	}})
	require.ErrorIs(t, err, want)
	_, err = theirs.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}
