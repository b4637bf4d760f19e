package ui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/fleet"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// grids shows a run in front of the session of a driver.
func (d *driver) grids(r *uitest.Run) {
	r.Source = d.visible.ws.Log
	d.grid.view = fleet.New(&d.screen, r.Grid())
	d.grid.show()
	d.content()
}

// onGrid returns a test of an action in the middle of a run.
func onGrid(test func(t *testing.T, d *driver, r *uitest.Run)) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := uitest.Halfway(t)
		d.grids(r)
		test(t, d, r)
	}
}

// onTarget moves the cursor to a target, wherever it is.
func (d *driver) onTarget(i int) {
	g := d.grid.view.Grid
	g.Home()
	for range g.Len() {
		if at, _ := g.Cursor(); at == i {
			break
		}
		g.Move(1)
	}
	d.canvas.stale, d.front.notice = true, notice{}
}

var gridTests = map[string]actionTest{
	"grid": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("grid")
		require.Contains(t, d.rows()[35], "x targets: this is not a smoke run")
		d.grids(uitest.Halfway(t))
		d.front.notice = notice{}
		d.do("grid-opened")
		require.Contains(t, d.rows()[0], "LIVE  ready  fake (local)")
		require.Contains(t, d.rows()[35], "q back to the grid")
		d.do("grid")
		require.Contains(t, d.plain(), "━ Targets 200 ━")
		d.do("grid-opened", host.ActBack)
		require.Contains(t, d.plain(), "━ Targets 200 ━", "esc goes back too if nothing else is open")
		d.do("grid-opened", actZoom, actQuit)
		require.NotContains(t, d.plain(), "━ Targets 200 ━", "esc ends the zoom first")
		d.do(actQuit)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
		require.False(t, d.quit)
	},
	"grid-open": onGrid(func(t *testing.T, d *driver, r *uitest.Run) {
		d.onTarget(3)
		d.do("grid-open")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		require.Contains(t, d.plain(), "2 Calls")
		d.do("grid", "grid-open")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		require.Equal(t, []int{3}, r.Opened, "an open session is shown")
		d.grid.view.Grid.SetFilter("nothing has this")
		d.do(host.ActRestart)
		synctest.Wait()
		d.take(addressed{d.visible, changed{}})
		require.Equal(t, []int{3}, r.Fresh, "independent of the filter")
		require.Contains(t, d.rows()[0], "LIVE  ready  everything (host-004.example)")
		require.Contains(t, d.rows()[0], "ready")
	}),
	"grid-fresh": onGrid(func(t *testing.T, d *driver, r *uitest.Run) {
		d.onTarget(5)
		d.do("grid-fresh")
		synctest.Wait()
		d.take(addressed{d.visible, changed{}})
		require.Equal(t, []int{5}, r.Fresh)
		require.Contains(t, d.rows()[0], "LIVE  ready  everything (host-006.example)")
	}),
	"grid-opened": onGrid(func(t *testing.T, d *driver, _ *uitest.Run) {
		d.onTarget(3)
		d.do("grid-open", "grid", "grid-opened")
		require.Contains(t, d.plain(), "━ 1 Sessions 2 ━")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
	}),
	"grid-stop": onGrid(func(t *testing.T, d *driver, r *uitest.Run) {
		d.do("grid-stop")
		require.Contains(t, d.plain(), "17 running, 40 waiting.")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Zero(t, r.Stopped, "enter means no")
		d.do("grid-stop", actYes)
		require.Equal(t, 1, r.Stopped)
		require.Contains(t, d.rows()[0], "SMOKE  stopping 17 sessions ...")
		d.do("grid-stop")
		require.Contains(t, d.rows()[35], "x stop the run: the run is stopping")
		r.Finish()
		d.take(gridChanged{})
		require.Contains(t, d.rows()[0], "SMOKE  done: FAILED")
		require.Contains(t, d.rows()[1], "57 cancelled")
		require.False(t, d.quit, "the grid stays")
	}),
	"grid-commands": onGrid(func(t *testing.T, d *driver, _ *uitest.Run) {
		d.do("grid-commands")
		require.NotContains(t, d.plain(), "tools/call", "only actions of the grid")
		d.write("failed only")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Contains(t, d.plain(), "━ Targets 36 of 200  failed only ━")
	}),
	"grid-help": onGrid(func(t *testing.T, d *driver, _ *uitest.Run) {
		d.do("grid-help")
		require.Regexp(t, `(?s)─ Menu: Smoke run grid ─.* f +failed only `, d.plain())
		d.do("menu-close")
		require.Contains(t, d.plain(), "━ Targets 200 ━")
	}),
	"grid-quit": onGrid(func(t *testing.T, d *driver, r *uitest.Run) {
		d.do("grid-quit")
		require.Contains(t, d.plain(), "Stop the run and quit?")
		d.do(actNo)
		require.Zero(t, r.Stopped)
		d.do("grid-quit", actYes)
		require.Equal(t, 1, r.Stopped)
		require.False(t, d.quit, "running sessions are awaited")
		require.Contains(t, d.rows()[0], "SMOKE  stopping 17 sessions ...")
		r.Finish()
		d.take(gridChanged{})
		require.True(t, d.quit)
	}),
}

// TestGridInterrupts checks that ctrl+c asks for confirmation, that a second
// one confirms, and that a third one does not wait.
func TestGridInterrupts(t *testing.T) {
	r := uitest.Halfway(t)
	d := drive(t, Options{Grid: r.Grid()}, 80, 24)
	ctrlC := tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	d.take(ctrlC)
	require.Contains(t, d.plain(), "Stop the run and quit?")
	require.Zero(t, r.Stopped)
	d.take(ctrlC)
	require.Equal(t, 1, r.Stopped)
	require.Contains(t, d.rows()[0], "stopping 17 sessions ...")
	require.False(t, d.quit)
	d.take(ctrlC)
	require.True(t, d.quit)
	require.Equal(t, 1, r.Stopped)
}

// TestGridInterruptsElsewhere checks that the run that is being stopped
// replaces the visible session.
func TestGridInterruptsElsewhere(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := uitest.Halfway(t)
		d.grids(r)
		d.onTarget(3)
		d.do("grid-open", host.ActInterrupt)
		require.Contains(t, d.plain(), "Stop the run and quit?")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		d.do(actYes)
		require.Contains(t, d.rows()[0], "SMOKE  stopping 17 sessions ...")
	})
}

// TestGridQuitsWhenStopped checks that after stopping the run, quitting needs
// no further confirmation, and still waits for running sessions.
func TestGridQuitsWhenStopped(t *testing.T) {
	r := uitest.Halfway(t)
	d := drive(t, Options{Grid: r.Grid()}, 80, 24)
	d.do("grid-stop", actYes, "grid-quit")
	require.False(t, d.quit)
	require.Equal(t, 1, r.Stopped)
	r.Finish()
	d.take(gridChanged{})
	require.True(t, d.quit)
}

// TestGridLeft checks that a finished run is left without a question.
func TestGridLeft(t *testing.T) {
	r := uitest.Halfway(t)
	r.Finish()
	d := drive(t, Options{Grid: r.Grid()}, 80, 24)
	require.Contains(t, d.rows()[0], "done: FAILED")
	d.take(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.True(t, d.quit)
	require.Zero(t, r.Stopped)
}

// TestGridEndsElsewhere checks that a message reports the end of the run once
// if something else is shown.
func TestGridEndsElsewhere(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := uitest.Halfway(t)
		d.grids(r)
		d.do("grid-opened")
		d.take(gridChanged{})
		require.NotContains(t, d.rows()[35], "run finished")
		r.Finish()
		d.take(gridChanged{})
		require.Contains(t, d.rows()[35], "run finished: 107 ok, 36 failed; ctrl+g shows it")
		d.front.notice, d.canvas.stale = notice{}, true
		d.take(gridChanged{})
		require.NotContains(t, d.rows()[35], "run finished")
	})
}

// TestGridRemovesLast checks that removing the last opened session shows the
// grid.
func TestGridRemovesLast(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.grids(uitest.Halfway(t))
		d.do("grid-opened", actSessions, actRemoveSession, actYes)
		require.Empty(t, d.screens)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
	})
}

// TestGridGivesUp checks that opening a target can be cancelled.
func TestGridGivesUp(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := uitest.Halfway(t)
		d.grids(r)
		d.onTarget(3)
		opening := d.visible.tagged(d.visible.Do("grid-open"))
		d.canvas.stale = true
		require.Contains(t, d.plain(), "opening everything on host-004.example ...")
		d.do("grid-open")
		require.Contains(t, d.rows()[35], "is being opened")
		d.do("grid-close")
		d.run(opening)
		require.Len(t, d.screens, 1)
		require.NotContains(t, d.plain(), "opening everything")
	})
}

// TestGridOpensForWhatIsGone checks that a target opens, and others after it, even if the
// session in which it was requested is closed meanwhile.
func TestGridOpensForWhatIsGone(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := uitest.Halfway(t)
		d.grids(r)
		d.onTarget(3)
		d.do("grid-open")
		recording := d.visible
		opening := recording.tagged(d.visible.restart())
		d.do(actSessions, actRemoveSession)
		require.NotContains(t, d.screens, recording)
		d.run(opening)
		require.Contains(t, d.rows()[0], "LIVE  ready  everything (host-004.example)")
		require.NotContains(t, d.plain(), "is being opened")
	})
}

// TestGridByMouse checks that a click selects a target, a second one opens it,
// and the wheel scrolls.
func TestGridByMouse(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := uitest.Halfway(t)
		d.grids(r)
		d.do("grid-first")
		d.content()
		d.press(20, 8)
		require.Regexp(t, `>✗ host-004\.example`, d.rows()[8])
		require.Empty(t, r.Opened)
		d.pointer.scrollAt(d.visible, 20, 8, 3)
		d.canvas.stale = true
		require.Regexp(t, `>✗ host-004\.example`, d.rows()[5])
		d.press(20, 5)
		require.Equal(t, []int{3}, r.Opened)
	})
}

// TestGridClock checks that clocks run only while the run does and is visible.
func TestGridClock(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := uitest.Halfway(t)
		d.grids(r)
		require.Equal(t, spinEvery, d.pace())
		r.Sum.Took = 65 * time.Second
		d.take(tick{})
		require.Contains(t, d.rows()[1], " 1:05 ")
		d.do("grid-opened")
		require.Zero(t, d.pace())
		d.do("grid")
		r.Finish()
		d.take(gridChanged{})
		require.Zero(t, d.pace())
	})
}

// TestGridProgram checks that the program on a terminal follows a run to its
// end, and shows a recording in between.
func TestGridProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := uitest.NewRun(t, 40)
		r.Source = newLog(t)
		term := inTerminal(t, Options{Grid: r.Grid()}, 100, 30)
		require.Contains(t, term.Text(), "40 waiting")
		r.Begin(15)
		term.Wait()
		require.Regexp(t, `>. host-016\.example`, term.Text())
		r.End(0, 10)
		r.Begin(25)
		term.Wait()
		term.RequireShown()
		term.Press("f", "\r")
		require.Contains(t, term.Text(), "FILE  host-004.example.jsonl")
		term.RequireShown()
		r.End(10, 26)
		term.WaitFor(300 * time.Millisecond) // frames of moving lines are delayed a little
		term.Press("q")
		require.Contains(t, term.Text(), "Targets 6 of 40  failed only")
		r.Begin(39)
		r.End(26, 40)
		r.Finish()
		term.Wait()
		require.Contains(t, term.Text(), "done: FAILED")
		term.Press("\x1b")
		term.RequireShown()
		r.Set(func(r *uitest.Run) { r.Sum.Facts[0].Text = "another.json" })
		term.Wait()
		require.Contains(t, term.Text(), "json another.json", "shown although no clock runs now")
		term.Press("q")
		term.Ran.Wait()
		require.NoError(t, term.Err)
	})
}
