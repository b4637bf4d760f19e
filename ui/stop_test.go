package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/process"
)

var stopTests = map[string]actionTest{
	"kill": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("kill")
		require.Contains(t, d.plain(), "Stop mcp-stdio-1, pid ")
		for _, way := range []string{"Shutdown sequence: close stdin, 2s, SIGTERM, 2s, SIGKILL", "SIGINT to the process group", "SIGTERM to the leader only", "SIGKILL to all"} {
			require.Contains(t, d.plain(), way)
		}
		d.do("close-stop")
		require.Empty(t, d.acts())
		d.do("kill", "stop-this")
		d.pull()
		require.Contains(t, d.rows()[0], "exit 0")
		require.Contains(t, d.rows()[35], "the server ended when its stdin was closed: exit code 0")
		d.do("kill")
		require.Contains(t, d.rows()[35], "x stop: no server is running")
	},
	"stop-this": func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().stays = true
		d.do("kill")
		d.write("int group")
		d.do("stop-this")
		require.Equal(t, executor.StepInterrupt, <-x.latest().steps)
		require.Contains(t, d.rows()[35], "INT: done")
		d.do("kill")
		d.write("killall")
		d.do("stop-this")
		synctest.Wait()
		d.pull()
		require.Contains(t, d.rows()[0], "signal KILL")
		require.Equal(t, []string{"kill", "kill"}, d.acts())
	},
	"stop-now": func(t *testing.T, d *driver, _ *fakeExecutor) {
		for range 2 { // pressed twice
			d.take(tea.KeyPressMsg{Code: 'K', Text: "K"})
		}
		d.pull()
		require.Contains(t, d.rows()[0], "exit 0")
		require.Equal(t, []string{"kill"}, d.acts())
	},
	"close-stop": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("kill", "close-stop")
		require.Nil(t, d.front.top())
		require.Empty(t, d.acts())
	},
	process.ScopeStop + "-" + kit.Down:     pickerMoves("kill", kit.Down, 0, 1),
	process.ScopeStop + "-" + kit.Up:       pickerMoves("kill", kit.Up, 2, 1),
	process.ScopeStop + "-" + kit.PageDown: pickerMoves("kill", kit.PageDown, 0, -1),
	process.ScopeStop + "-" + kit.PageUp:   pickerMoves("kill", kit.PageUp, -1, 0),
	process.ScopeStop + "-" + kit.Top:      pickerMoves("kill", kit.Top, 2, 0),
	process.ScopeStop + "-" + kit.Bottom:   pickerMoves("kill", kit.Bottom, 0, -1),
}

// stubborn stops a server that ignores everything but SIGKILL. The returned
// channel receives the result of the shutdown sequence.
func stubborn(d *driver, x *fakeExecutor) <-chan tea.Msg {
	x.latest().stays = true
	d.do("kill")
	stopping := process.Shutdown(d.visible.context())
	d.pop()
	done := make(chan tea.Msg, 1)
	go func() { done <- stopping() }()
	synctest.Wait()
	d.pull()
	return done
}

// TestEscalate checks that, while the server is stopping, the same key takes the
// next step immediately, and that the process pane shows the progress of the
// shutdown sequence.
func TestEscalate(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		begin := time.Now()
		done := stubborn(d, x)
		require.Contains(t, d.rows()[0], "stopping")
		require.Contains(t, d.rows()[35], "K skip to the next step")
		d.do("info")
		time.Sleep(500 * time.Millisecond)
		d.take(tick{})
		require.Regexp(t, `close-stdin +0\.5 s of 2s \.\.\.`, d.plain())
		require.Regexp(t, `TERM +next, if needed; K skips to it`, d.plain())

		d.take(tea.KeyPressMsg{Code: 'K', Text: "K"})
		synctest.Wait()
		require.Equal(t, executor.StepTerm, <-x.latest().steps)
		d.pull()
		require.Regexp(t, `close-stdin +500\.0 ms +still running after 500 ms`, d.plain())
		require.Regexp(t, `TERM +0\.0 s of 2s \.\.\.`, d.plain())

		d.take(tea.KeyPressMsg{Code: 'K', Text: "K"})
		d.take(<-done)
		d.pull()
		require.Less(t, time.Since(begin), session.Grace)
		require.Contains(t, d.rows()[0], "signal KILL")
		require.Regexp(t, `exit status +signal KILL \(shutdown sequence\)`, d.plain())
		require.Regexp(t, `KILL +\d`, d.plain())
	})
}

// TestStubbornFrames shows the process pane while a server refuses to end.
func TestStubbornFrames(t *testing.T) {
	for name, size := range map[string][2]int{"120x36": {120, 36}, "80x24": {80, 24}} {
		inBubble(t, size[0], size[1], nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			done := stubborn(d, x)
			time.Sleep(session.Grace + time.Second)
			d.do("info")
			d.pull()
			uitest.Golden(t, "stubborn-"+name, d.plain())
			d.take(<-done)
		})
	}
}
