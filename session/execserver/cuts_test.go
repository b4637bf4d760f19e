//go:build unix

package execserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// echoes does round trips with a process that echoes lines, up to eight at once, while cut is
// called at random moments. It returns how long the slowest recovery took.
func echoes(t *testing.T, e *Executor, trips, cuts int, cut func()) (slowest time.Duration) {
	t.Helper()
	t.Logf("repeat with -seed %d", *seed)
	moments, sizes := rand.New(rand.NewPCG(*seed, 1)), rand.New(rand.NewPCG(*seed, 2))
	p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("echo")...), Pinned: true})
	require.NoError(t, err)
	sub, err := p.Subscribe(executor.SubscribeOptions{Pin: true})
	require.NoError(t, err)
	defer sub.Close()
	done, up := make(chan struct{}), make(chan struct{}, cuts)
	var made atomic.Int64
	var cutting sync.WaitGroup
	cutting.Go(func() {
		for range cuts {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(moments.IntN(30)) * time.Millisecond):
			}
			cut()
			made.Add(1)
			select { // the next cut must not hit an attempt to resume
			case <-up:
			case <-done:
			}
		}
	})
	var got, want bytes.Buffer
	var lost time.Time
	next := uint64(1)
	for i := 0; i < trips || made.Load() < int64(cuts); {
		for range 1 + sizes.IntN(8) {
			line := fmt.Sprintf("%d %s\n", i, bytes.Repeat([]byte{'x'}, sizes.IntN(4000)))
			want.WriteString(line)
			r, err := p.Write(t.Context(), "", []byte(line))
			require.NoError(t, err)
			require.Equal(t, executor.Accepted, r.Status)
			i++
		}
		for got.Len() < want.Len() {
			ev, err := sub.Next(t.Context())
			require.NoError(t, err)
			switch ev.Kind {
			case executor.Output:
				require.Equal(t, next, ev.Seq)
				next++
				got.Write(ev.Data)
			case executor.Link:
				if ev.Link.State == executor.LinkRecovering {
					lost = ev.Link.Since
				} else {
					slowest = max(slowest, ev.Link.Since.Sub(lost))
					up <- struct{}{}
				}
			default:
				require.Fail(t, "unexpected event", "%+v", ev)
			}
		}
		require.True(t, bytes.Equal(want.Bytes(), got.Bytes()), "before round trip %d", i)
		got.Reset()
		want.Reset()
	}
	close(done)
	cutting.Wait()
	p.CloseStdin()
	for {
		ev, err := sub.Next(t.Context())
		require.NoError(t, err)
		require.NotEqual(t, executor.Output, ev.Kind, "%q", ev.Data)
		if ev.Kind == executor.Exited {
			require.Equal(t, executor.Exit{Kind: executor.ExitCode}, ev.Exit)
			return slowest
		}
	}
}

// A cutter cuts connections: for both sides, or every second time for the client only.
type cutter struct {
	connect func(context.Context) (net.Conn, error)
	copying sync.WaitGroup

	mu      sync.Mutex
	cuts    int
	near    []net.Conn
	far     []net.Conn
	dropped []net.Conn // the server has not noticed that they are cut
}

func newCutter(t testing.TB, connect func(context.Context) (net.Conn, error)) *cutter {
	c := &cutter{connect: connect}
	t.Cleanup(func() {
		c.mu.Lock()
		closeAll(c.near, c.far, c.dropped)
		c.mu.Unlock()
		c.copying.Wait()
	})
	return c
}

func closeAll(lists ...[]net.Conn) {
	for _, list := range lists {
		for _, conn := range list {
			_ = conn.Close() // it may be closed
		}
	}
}

func (c *cutter) dial(ctx context.Context) (wire.Conn, error) {
	far, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	ours, near := net.Pipe()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.near, c.far = append(c.near, near), append(c.far, far)
	c.copying.Go(func() { _, _ = io.Copy(far, near) }) // until it is cut
	c.copying.Go(func() {
		_, _ = io.Copy(near, far)
		_ = near.Close()
	})
	return wire.NewLines(ours, wire.MaxMessage), nil
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cuts++
	closeAll(c.near)
	if c.cuts%2 == 0 {
		closeAll(c.far)
	} else {
		c.dropped = append(c.dropped, c.far...)
	}
	c.near, c.far = nil, nil
}

// cutOwn cuts connections to an exec server of our own during round trips.
func cutOwn(t *testing.T, trips, cuts int) {
	t.Helper()
	c := newCutter(t, ownSocket(t, waitLimit))
	e, err := Open(t.Context(), Options{Dial: c.dial, Resumable: true, StartTimeout: waitLimit, Placement: "own"})
	require.NoError(t, err)
	require.True(t, e.s.ours())
	require.Equal(t, waitLimit, e.s.keep)
	slowest := echoes(t, e, trips, cuts, c.cut)
	c.mu.Lock()
	t.Logf("%d cuts, slowest recovery %s", c.cuts, slowest)
	require.Equal(t, cuts, c.cuts)
	c.mu.Unlock()
	require.NoError(t, e.Close())
}

// TestCutsOfOwnLoseNothing: every second time the old connection is taken over by token.
func TestCutsOfOwnLoseNothing(t *testing.T) {
	t.Parallel()
	cutOwn(t, 100, 20)
}
