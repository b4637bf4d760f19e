package process

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

var stopTests = map[string]actionTest{
	"kill": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		r.Do("kill")
		require.Contains(t, r.Text(), "Stop fake, pid ")
		for _, way := range []string{"Shutdown sequence: close stdin, 2s, SIGTERM, 2s, SIGKILL", "SIGINT to the process group", "SIGTERM to the leader only", "SIGKILL to all"} {
			require.Contains(t, r.Text(), way)
		}
		r.Do("close-stop")
		require.Empty(t, r.Acts())
		r.Do("kill", "stop-this")
		r.Pull()
		requireEnd(t, r, executor.Exit{Kind: executor.ExitCode, By: executor.EndedByShutdown})
		require.Contains(t, r.Said(), "the server ended when its stdin was closed: exit code 0")
		r.Do("kill")
		require.Contains(t, r.Said(), "x stop: no server is running")
	},
	"stop-this": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		x.Latest().Stays = true
		r.Do("kill")
		r.Write("int group")
		r.Do("stop-this")
		require.Equal(t, executor.StepInterrupt, <-x.Latest().Steps)
		require.Contains(t, r.Said(), "INT: done")
		r.Do("kill")
		r.Write("killall")
		r.Do("stop-this")
		r.Pull()
		requireEnd(t, r, executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByPerson})
		require.Equal(t, []string{"kill", "kill"}, r.Acts())
	},
	"stop-now": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		for range 2 { // pressed twice
			r.Press(tea.KeyPressMsg{Code: 'K', Text: "K"})
		}
		r.Pull()
		requireEnd(t, r, executor.Exit{Kind: executor.ExitCode, By: executor.EndedByShutdown})
		require.Equal(t, []string{"kill"}, r.Acts())
	},
	"close-stop": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		r.Do("kill", "close-stop")
		require.Empty(t, r.Opened)
		require.Empty(t, r.Acts())
	},
	ScopeStop + "-" + kit.Down:     stopMoves(kit.Down, 0, 1),
	ScopeStop + "-" + kit.Up:       stopMoves(kit.Up, 2, 1),
	ScopeStop + "-" + kit.PageDown: stopMoves(kit.PageDown, 0, -1),
	ScopeStop + "-" + kit.PageUp:   stopMoves(kit.PageUp, -1, 0),
	ScopeStop + "-" + kit.Top:      stopMoves(kit.Top, 2, 0),
	ScopeStop + "-" + kit.Bottom:   stopMoves(kit.Bottom, 0, -1),
}

func stopMoves(move string, from, to int) actionTest {
	return func(t *testing.T, r *uitest.Room, _ *uitest.Server) {
		r.Do("kill")
		r.PickerMoves(move, from, to)
	}
}

// requireEnd checks how the server has ended.
func requireEnd(t *testing.T, r *uitest.Room, want executor.Exit) {
	t.Helper()
	require.Equal(t, want, r.Context().Workspace.Shown.Lifecycle.Exited.Exit())
}

// stubborn stops a server that ignores everything but SIGKILL. The returned
// channel receives the result of the shutdown sequence.
func stubborn(r *uitest.Room, x *uitest.Server) <-chan tea.Msg {
	x.Latest().Stays = true
	r.Do("kill")
	stopping := shutdown(r.Context())
	r.Close(r.Opened[0])
	done := make(chan tea.Msg, 1)
	go func() { done <- stopping() }()
	r.Pull()
	return done
}

// TestEscalate checks that, while the server is stopping, the same key takes the
// next step immediately, and that the process pane shows the progress of the
// shutdown sequence.
func TestEscalate(t *testing.T) {
	inRoom(t, 120, 36, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		begin := time.Now()
		done := stubborn(r, x)
		require.Equal(t, session.Stopping, r.Context().Workspace.Status.State)
		require.Equal(t, "skip to the next step", escalation(r.Context()))
		r.Do("info")
		time.Sleep(500 * time.Millisecond)
		require.Regexp(t, `close-stdin +0\.5 s of 2s \.\.\.`, r.Text())
		require.Regexp(t, `TERM +next, if needed; K skips to it`, r.Text())

		r.Press(tea.KeyPressMsg{Code: 'K', Text: "K"})
		synctest.Wait()
		require.Equal(t, executor.StepTerm, <-x.Latest().Steps)
		r.Pull()
		require.Regexp(t, `close-stdin +500 ms +still running after 500 ms`, r.Text())
		require.Regexp(t, `TERM +0\.0 s of 2s \.\.\.`, r.Text())

		r.Press(tea.KeyPressMsg{Code: 'K', Text: "K"})
		r.Run(func() tea.Msg { return <-done })
		r.Pull()
		require.Less(t, time.Since(begin), session.Grace)
		requireEnd(t, r, executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByShutdown})
		require.Regexp(t, `state +\w+, signal KILL \(shutdown sequence\)`, r.Text())
		require.Regexp(t, `KILL +\d`, r.Text())
	})
}

// TestStubbornFrames shows the process pane while a server refuses to end.
func TestStubbornFrames(t *testing.T) {
	for name, size := range map[string][2]int{"120x36": {120, 36}, "80x24": {80, 24}} {
		inRoom(t, size[0], size[1], func(t *testing.T, r *uitest.Room, x *uitest.Server) {
			done := stubborn(r, x)
			time.Sleep(session.Grace + time.Second)
			r.Do("info")
			r.Pull()
			uitest.Golden(t, "stubborn-"+name, r.Text())
			r.Run(func() tea.Msg { return <-done })
		})
	}
}
