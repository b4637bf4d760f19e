//go:build unix

package control_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/tap"
	"mcpdbg/session/tap/control"
)

// shown is how many bytes of a held message a state has.
const shown = 256 << 10

// A fakeTap answers each command with its number of the order, and has the commands.
type fakeTap struct {
	*control.Server
	t        *testing.T
	folder   string
	commands chan tap.Command
	got      chan tap.Command
	end      func()
}

func startTap(t *testing.T, hold string) *fakeTap {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "c") //nolint:usetesting // the path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	f := &fakeTap{t: t, commands: make(chan tap.Command), got: make(chan tap.Command, 100)}
	f.folder, err = control.Folder(folder + "/recordings")
	require.NoError(t, err)
	f.Server, err = control.Listen(control.Options{
		Folder: f.folder, Tap: control.Tap{Name: "notes", PID: os.Getpid(), Since: time.Now(), Recording: "/r.jsonl"}, Commands: f.commands, Hold: hold,
		Filter: func(text string) (tap.Match, error) {
			if text == "bad" {
				return nil, errors.New("bad filter")
			}
			return func(*tap.Message) bool { return true }, nil
		},
	})
	require.NoError(t, err)
	over := make(chan struct{})
	go func() {
		for {
			select {
			case c := <-f.commands:
				f.got <- c
				f.answer(c)
			case <-over:
				return
			}
		}
	}()
	f.end = sync.OnceFunc(func() {
		f.Close()
		close(over)
	})
	t.Cleanup(f.end)
	return f
}

func (f *fakeTap) answer(c tap.Command) {
	switch {
	case c.Do == tap.LetGo && !c.Force:
		c.Failed <- control.ErrCutsPair
	case c.Do == tap.Drop:
		c.Failed <- control.ErrOvertakes
	default:
		c.Answer <- c.Text
	}
}

func (f *fakeTap) next() tap.Command {
	f.t.Helper()
	select {
	case c := <-f.got:
		return c
	case <-time.After(10 * time.Second):
		f.t.Fatal("no command")
		return tap.Command{}
	}
}

func (f *fakeTap) watch() *control.Viewer {
	f.t.Helper()
	taps, err := control.List(f.folder)
	require.NoError(f.t, err)
	require.Len(f.t, taps, 1)
	v, err := taps[0].Watch(f.t.Context())
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = v.Close() })
	return v
}

// until waits for a state.
func until(t *testing.T, v *control.Viewer, want func(control.State) bool) {
	t.Helper()
	end := time.After(10 * time.Second)
	for !want(v.State()) {
		select {
		case <-v.Changed():
		case <-end:
			t.Fatalf("state: %+v", v.State())
		}
	}
}

func TestWatchAndSteer(t *testing.T) {
	t.Parallel()
	f := startTap(t, "")
	a, b := f.watch(), f.watch()
	until(t, a, func(s control.State) bool { return s.Viewers == 2 })
	f.Publish(tap.News{Server: "running", Held: []control.Held{{N: 1, Line: []byte("one")}, {N: 2, Line: make([]byte, shown+1)}}})
	until(t, a, func(s control.State) bool {
		return len(s.Held) == 2 && string(s.Held[0].Line) == "one" && s.Held[1].Cut
	})
	line, err := a.Line(t.Context(), 2)
	require.NoError(t, err)
	require.Len(t, line, shown+1)
	_, err = a.Line(t.Context(), 3)
	require.ErrorIs(t, err, control.ErrNotHeld)
	require.ErrorIs(t, a.Hold(t.Context(), "x"), control.ErrNotSteering)
	require.NoError(t, a.Steer(t.Context(), false))
	require.True(t, a.Steers())
	require.NoError(t, a.Hold(t.Context(), "x"))
	require.Equal(t, "x", f.next().Text)
	require.Equal(t, "x", a.State().Holding)
	require.EqualError(t, a.Hold(t.Context(), "bad"), "bad filter")
	require.ErrorIs(t, a.LetGo(t.Context(), 1, nil, false), control.ErrCutsPair)
	require.NoError(t, a.LetGo(t.Context(), 1, []byte{}, true))
	f.next()
	require.Equal(t, []byte{}, f.next().Line)
	steered, ok := errors.AsType[*control.SteeredError](b.Steer(t.Context(), false))
	require.True(t, ok)
	require.Equal(t, os.Getpid(), steered.PID)
	require.NoError(t, b.Steer(t.Context(), true))
	until(t, a, func(control.State) bool { return !a.Steers() })
	require.ErrorIs(t, a.Drop(t.Context(), 1), control.ErrNotSteering)
	require.ErrorIs(t, b.Drop(t.Context(), 1), control.ErrOvertakes)
	f.next()
	id, err := b.Drive(t.Context(), "ping", nil)
	require.NoError(t, err)
	require.Equal(t, "ping", id)
	f.next()
	require.NoError(t, b.Close())
	c := f.next()
	require.Equal(t, tap.Arm, c.Do)
	require.Nil(t, c.Match)
	until(t, a, func(s control.State) bool { return s.Viewers == 1 && s.Steerer == 0 && s.Holding == "" })
}

// TestOlderTap: a tap with version 1 takes simple orders only.
func TestOlderTap(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("/tmp", "c") //nolint:usetesting // the path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	listener, err := net.Listen("unix", folder+"/notes-1.sock")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, `{"mcpdbg_tap":1,"name":"notes","pid":1,"since":"2026-01-01T00:00:00Z"}`+"\n")
			line, _ := bufio.NewReader(conn).ReadString('\n')
			if line == `{"do":"tell"}`+"\n" {
				_, _ = io.WriteString(conn, `{"text":"running"}`+"\n")
			}
			_ = conn.Close()
		}
	}()
	taps, err := control.List(folder)
	require.NoError(t, err)
	require.Len(t, taps, 1)
	require.Equal(t, 1, taps[0].Version)
	_, err = taps[0].Watch(t.Context())
	require.ErrorIs(t, err, control.ErrVersion)
	text, err := taps[0].Give(t.Context(), "tell")
	require.NoError(t, err)
	require.Equal(t, "running", text)
}

func TestTapEnds(t *testing.T) {
	t.Parallel()
	f := startTap(t, "armed")
	v := f.watch()
	require.NoError(t, v.Steer(t.Context(), false))
	require.Equal(t, "armed", v.State().Holding)
	text, err := v.Restart(t.Context())
	require.NoError(t, err)
	require.Equal(t, "mcpdbg tap restart", text)
	f.end()
	<-v.Done()
	require.False(t, v.Steers())
	require.ErrorIs(t, v.Release(t.Context()), control.ErrNotSteering)
	require.ErrorIs(t, v.Stop(t.Context()), control.ErrEnded)
}
