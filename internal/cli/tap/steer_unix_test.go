//go:build unix

package tap_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session/tap/control"
)

func (c *talk) sockets() string { return filepath.Join(c.home, ".local/state/mcpdbg/taps") }

// got returns the lines that the servers read.
func (c *talk) got() string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.folder, "got"))
	require.NoError(c.t, err)
	return string(text)
}

// view watches the tap.
func (c *talk) view() *control.Viewer {
	c.t.Helper()
	taps, err := control.List(c.sockets())
	require.NoError(c.t, err)
	require.Len(c.t, taps, 1)
	require.Equal(c.t, c.record, taps[0].Recording)
	v, err := taps[0].Watch(c.t.Context())
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = v.Close() })
	return v
}

// holds waits until n messages are held, and returns the state.
func (c *talk) holds(v *control.Viewer, n int) control.State {
	c.t.Helper()
	end := time.After(clitest.WaitLimit)
	for {
		if s := v.State(); len(s.Held) == n {
			return s
		}
		select {
		case <-v.Changed():
		case <-end:
			c.t.Fatalf("state: %+v", v.State())
		}
	}
}

// TestHoldAndEdit: the server gets what a person made of a call, and the client the
// response. Nothing is held before a viewer steers.
func TestHoldAndEdit(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t), "--hold", "method:drink dir:out")
	ctx := t.Context()
	c.call("drink/water")
	v := c.view()
	require.NoError(t, v.Steer(ctx, false))
	require.Equal(t, "method:drink dir:out", v.State().Holding)
	id := c.begin("drink/tea")
	c.call("eat")
	held := c.holds(v, 1).Held[0]
	require.Equal(t, "drink/tea", held.Method)
	require.True(t, held.ToServer)
	require.NotContains(t, c.got(), "tea")
	other := strings.ReplaceAll(string(held.Line), `"id":`, `"id":9`)
	require.ErrorIs(t, v.LetGo(ctx, held.N, []byte(other), false), control.ErrCutsPair)
	coffee := strings.ReplaceAll(string(held.Line), "tea", "coffee")
	require.NoError(t, v.LetGo(ctx, held.N, []byte(coffee), false))
	require.Empty(t, v.State().Held)
	require.Contains(t, c.Until(id), `"said":"one"`)
	require.Contains(t, c.got(), coffee+"\n")
	require.NotContains(t, c.got(), "tea")

	id = c.begin("drink/milk")
	n := c.holds(v, 1).Held[0].N
	require.NoError(t, v.Answer(ctx, n, []byte(`"result":{"by":"a person"}`)))
	require.Contains(t, c.Until(id), `{"by":"a person"}`)
	id = c.begin("drink/beer")
	n = c.holds(v, 1).Held[0].N
	require.NoError(t, v.Drop(ctx, n))
	require.NoError(t, v.Hold(ctx, ""))
	c.call("drink/juice")
	require.NotContains(t, c.Seen.String(), id)
	for _, method := range []string{"milk", "beer"} {
		require.NotContains(t, c.got(), method)
	}
	require.Zero(t, c.leave().Code)
	log := c.log()
	require.Contains(t, log, `"why":"held"`)
	require.Contains(t, log, `"why":"answered"`)
	require.Contains(t, log, `"why":"withheld"`)
	require.Contains(t, log, "coffee")
}

func (c *talk) log() string {
	c.t.Helper()
	text, err := os.ReadFile(c.record)
	require.NoError(c.t, err)
	return string(text)
}

// TestDrive: a person's request reaches the server, and its response not the client.
func TestDrive(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t))
	ctx := t.Context()
	v := c.view()
	_, err := v.Drive(ctx, "sing", nil)
	require.ErrorIs(t, err, control.ErrNotSteering)
	require.NoError(t, v.Steer(ctx, false))
	id, err := v.Drive(ctx, "sing", json.RawMessage(`{"song":"x"}`))
	require.NoError(t, err)
	c.call("eat")
	require.Contains(t, c.got(), `{"song":"x"}`)
	require.Zero(t, c.leave().Code)
	require.NotContains(t, c.Seen.String(), id)
	require.Regexp(t, `"to-client".*"why":"own".*"id":`+id, c.log())
	require.False(t, v.Steers())
}

// TestViewerIsKilled: what it held goes on in order.
func TestViewerIsKilled(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t))
	viewer := c.viewer()
	v := c.view()
	for range 3 {
		c.begin("HOLD")
	}
	s := c.holds(v, 3)
	require.Equal(t, viewer.Pid, s.Steerer)
	require.Equal(t, 2, s.Viewers)
	require.Equal(t, "HOLD", s.Holding)
	require.NoError(t, viewer.Kill())
	last := c.Until(`"id":4,`)
	require.Contains(t, last, `"said":"one"`)
	require.Less(t, strings.Index(c.got(), `"id":2,`), strings.Index(c.got(), `"id":3,`))
	require.Less(t, strings.Index(c.got(), `"id":3,`), strings.Index(c.got(), `"id":4,`))
	require.Zero(t, c.holds(v, 0).Steerer)
	c.call("HOLD")
	require.Zero(t, c.leave().Code)
}

// TestViewerIsStopped: a viewer without a heartbeat steers no more.
func TestViewerIsStopped(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t))
	viewer := c.viewer()
	id := c.begin("HOLD")
	c.holds(c.view(), 1)
	require.NoError(t, viewer.Signal(syscall.SIGSTOP))
	begin := time.Now()
	require.Contains(t, c.Until(id), `"said":"one"`)
	require.Greater(t, time.Since(begin), 3*time.Second)
	require.NoError(t, viewer.Kill())
	require.Zero(t, c.leave().Code)
}

// TestTakeOver: what one viewer held is held by the next one.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	c := converse(t, shortHome(t))
	viewer := c.viewer()
	v := c.view()
	id := c.begin("HOLD")
	c.holds(v, 1)
	steered, ok := errors.AsType[*control.SteeredError](v.Steer(t.Context(), false))
	require.True(t, ok)
	require.Equal(t, viewer.Pid, steered.PID)
	require.NoError(t, v.Steer(t.Context(), true))
	require.NoError(t, viewer.Kill())
	_, err := viewer.Wait()
	require.NoError(t, err)
	c.call("eat")
	require.Len(t, v.State().Held, 1)
	text, err := v.Restart(t.Context())
	require.NoError(t, err)
	require.Contains(t, text, "restarted: ")
	require.Len(t, v.State().Held, 1)
	require.Equal(t, 1, v.State().Restarts)
	require.NotZero(t, v.State().LostPID)
	require.NoError(t, v.Release(t.Context()))
	require.Contains(t, c.Until(id), `"said":"one"`)
	require.NoError(t, v.Stop(t.Context()))
	<-v.Done()
	require.Zero(t, c.End().Code)
}

// viewer starts such a process.
func (c *talk) viewer() *os.Process {
	c.t.Helper()
	cmd := clitest.Command(c.t, os.Args[0])
	cmd.Env = append(os.Environ(), viewerOf+"="+c.sockets())
	w := clitest.Watch(c.t, cmd)
	w.Until("holding, error: <nil>")
	c.t.Cleanup(func() {
		_ = w.Cmd.Process.Kill()
		_ = w.Cmd.Wait()
	})
	return w.Cmd.Process
}
