package ui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

var stopTests = map[string]actionTest{
	actKill: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actKill)
		require.Contains(t, d.plain(), "Stop mcp-stdio-1, pid ")
		for _, way := range []string{"the ladder: close stdin, 2s, TERM, 2s, KILL", "INT to the process group", "TERM to the leader alone", "KILL to all"} {
			require.Contains(t, d.plain(), way)
		}
		d.do(actCloseStop)
		require.Empty(t, d.acts())
		d.do(actKill, actStopThis)
		d.pull()
		require.Contains(t, d.rows()[0], "exit 0")
		require.Contains(t, d.rows()[35], "the server ended when its stdin was closed: exit code 0")
		d.do(actKill)
		require.Contains(t, d.rows()[35], "x stop: no server is running")
	},
	actStopThis: func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().stays = true
		d.do(actKill)
		d.write("int group")
		d.do(actStopThis)
		require.Equal(t, executor.StepInterrupt, <-x.latest().steps)
		require.Contains(t, d.rows()[35], "INT: done")
		d.do(actKill)
		d.write("killall")
		d.do(actStopThis)
		synctest.Wait()
		d.pull()
		require.Contains(t, d.rows()[0], "signal KILL")
		require.Equal(t, []string{"kill", "kill"}, d.acts())
	},
	actStopNow: func(t *testing.T, d *driver, _ *fakeExecutor) {
		for range 2 { // pressed twice
			d.take(tea.KeyPressMsg{Code: 'K', Text: "K"})
		}
		d.pull()
		require.Contains(t, d.rows()[0], "exit 0")
		require.Equal(t, []string{"kill"}, d.acts())
	},
	actCloseStop: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actKill, actCloseStop)
		require.Nil(t, d.top())
		require.Empty(t, d.acts())
	},
	scopeStop + "-" + actDown:     pickerMoves(actKill, actDown, 0, 1),
	scopeStop + "-" + actUp:       pickerMoves(actKill, actUp, 2, 1),
	scopeStop + "-" + actPageDown: pickerMoves(actKill, actPageDown, 0, -1),
	scopeStop + "-" + actPageUp:   pickerMoves(actKill, actPageUp, -1, 0),
	scopeStop + "-" + actTop:      pickerMoves(actKill, actTop, 2, 0),
	scopeStop + "-" + actBottom:   pickerMoves(actKill, actBottom, 0, -1),
}

// stubborn has a server that ignores all but KILL stopped by the ladder. What it
// returns gives the end of the ending, when there is one.
func stubborn(d *driver, x *fakeExecutor) <-chan tea.Msg {
	x.latest().stays = true
	d.do(actKill)
	stopping := d.shutdown()
	d.pop()
	done := make(chan tea.Msg, 1)
	go func() { done <- stopping() }()
	synctest.Wait()
	d.pull()
	return done
}

// TestEscalate: while the server is stopping, the same key takes the next step at
// once, and the process pane shows the ladder as it goes.
func TestEscalate(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		begin := time.Now()
		done := stubborn(d, x)
		require.Contains(t, d.rows()[0], "stopping")
		require.Contains(t, d.rows()[35], "K do not wait: next step")
		d.do(actInfo)
		time.Sleep(500 * time.Millisecond)
		d.take(tick{})
		require.Regexp(t, `close-stdin +0\.5 s of 2s \.\.\.`, d.plain())
		require.Regexp(t, `TERM +if that is not enough; K takes it at once`, d.plain())

		d.take(tea.KeyPressMsg{Code: 'K', Text: "K"})
		synctest.Wait()
		require.Equal(t, executor.StepTerm, <-x.latest().steps)
		d.pull()
		require.Regexp(t, `close-stdin +500\.0 ms +still running after 500ms`, d.plain())
		require.Regexp(t, `TERM +0\.0 s of 2s \.\.\.`, d.plain())

		d.take(tea.KeyPressMsg{Code: 'K', Text: "K"})
		d.take(<-done)
		d.pull()
		require.Less(t, time.Since(begin), session.Grace)
		require.Contains(t, d.rows()[0], "signal KILL")
		require.Regexp(t, `how it ended +signal KILL \(shutdown sequence\)`, d.plain())
		require.Regexp(t, `KILL +\d`, d.plain())
	})
}

// TestStubbornFrames shows the process pane while a server does not want to end.
func TestStubbornFrames(t *testing.T) {
	for name, size := range map[string][2]int{"120x36": {120, 36}, "80x24": {80, 24}} {
		inBubble(t, size[0], size[1], nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			done := stubborn(d, x)
			time.Sleep(session.Grace + time.Second)
			d.do(actInfo)
			d.pull()
			golden(t, "stubborn-"+name, d.plain())
			d.take(<-done)
		})
	}
}
