package ui

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/fleet"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/grid"
)

// grids shows a run in front of the session of a driver.
func (d *driver) grids(r *fakeRun) {
	r.source = d.visible.ws.Log
	d.grid.view = fleet.New(&d.screen, r.run())
	d.visible.toGrid()
	d.content()
}

// onGrid returns a test of an action in the middle of a run.
func onGrid(test func(t *testing.T, d *driver, r *fakeRun)) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		test(t, d, r)
	}
}

// gridMoves returns a test that an action moves from the middle by n lines.
func gridMoves(id string, n int) actionTest {
	return onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.onTarget(100)
		require.Contains(t, d.plain(), " not following ━┓")
		d.do(id)
		at, _ := d.grid.view.Grid.Cursor()
		require.Equal(t, min(max(100+n, 0), 199), at)
	})
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
	"grid-down":           gridMoves("grid-down", 1),
	"grid-up":             gridMoves("grid-up", -1),
	"grid-page-down":      gridMoves("grid-page-down", 20),
	"grid-page-up":        gridMoves("grid-page-up", -20),
	"grid-half-page-down": gridMoves("grid-half-page-down", 10),
	"grid-half-page-up":   gridMoves("grid-half-page-up", -10),
	"grid-first":          gridMoves("grid-first", -200),
	"grid-last":           gridMoves("grid-last", 200),
	"grid": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do("grid")
		require.Contains(t, d.rows()[35], "x targets: this is not a smoke run")
		d.grids(halfway(t))
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
	"grid-open": onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.onTarget(170)
		require.Contains(t, d.plain(), "  waiting   for its turn")
		r.rows[153].Phase = "wait"
		d.onTarget(153)
		require.Contains(t, d.plain(), "  waiting   for its turn, 3.0s")
		d.onTarget(154)
		require.Contains(t, d.plain(), "  running   shutdown, after failing in auth")
		d.onTarget(170)
		d.do("grid-open")
		require.Contains(t, d.rows()[35], "x open: everything on host-171.example has no recording yet")
		d.onTarget(3)
		r.fails = errors.New("no such file")
		d.do("grid-open")
		require.Contains(t, d.rows()[35], "x everything on host-004.example: no such file")
		r.fails = nil
		d.do("grid-open")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		require.Contains(t, d.plain(), "2 Wire")
		d.do("grid", "grid-open")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		require.Equal(t, []int{3, 3}, r.opened, "an open session is shown")
		d.grid.view.Grid.SetFilter("nothing has this")
		d.do(host.ActRestart)
		synctest.Wait()
		d.take(addressed{d.visible, changed{}})
		require.Equal(t, []int{3}, r.fresh, "independent of the filter")
		require.Contains(t, d.rows()[0], "LIVE  ready  everything (host-004.example)")
		require.Contains(t, d.rows()[0], "ready")
	}),
	"grid-fresh": onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.onTarget(5)
		d.do("grid-fresh")
		synctest.Wait()
		d.take(addressed{d.visible, changed{}})
		require.Equal(t, []int{5}, r.fresh)
		require.Contains(t, d.rows()[0], "LIVE  ready  everything (host-006.example)")
		d.do("grid")
		d.grid.view.Run.StartNew = nil
		d.do("grid-fresh")
		require.Contains(t, d.rows()[35], "x debug: servers cannot be started from here")
	}),
	"grid-filter": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do("grid-filter")
		d.write("refused AUTH")
		require.Contains(t, d.plain(), "━ Targets 12 of 200  filter refused AUTH ━", "while it is typed")
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		require.Contains(t, d.plain(), "━ Targets 200 ━", "the filter is restored")
		d.do("grid-filter")
		d.write("no such words")
		require.Contains(t, d.plain(), "no matching targets")
		d.do(actAccept)
		require.Contains(t, d.plain(), "━ Targets 0 of 200")
		d.do("grid-open")
		require.Contains(t, d.rows()[35], "x open: no target listed")
	}),
	"grid-failed": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.onTarget(15)
		d.do("grid-failed")
		require.Contains(t, d.plain(), "━ Targets 36 of 200  failed only ━")
		require.Regexp(t, `>x host-016\.example`, d.plain(), "the cursor stays on its target")
		require.NotRegexp(t, `[+·] host-`, d.plain())
		d.do("grid-failed")
		require.Regexp(t, `>x host-016\.example`, d.plain())
	}),
	"grid-sort": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		for _, order := range []string{"failures first", "slowest first", "by host"} {
			d.onTarget(100)
			d.do("grid-sort")
			require.Contains(t, d.plain(), " "+order+"  not following ━┓")
			require.Regexp(t, `>\+ host-101\.example`, d.plain())
		}
		d.do("grid-sort")
		require.Contains(t, d.plain(), "━ not following ━┓")
		d.do("grid-sort", "grid-first")
		require.Regexp(t, `>x host-006\.example •••x····· auth +0.2s auth`, d.plain(), "targets with the same cause are adjacent")
	}),
	"grid-follow": onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		require.Regexp(t, `>. host-160\.example`, d.plain())
		d.do("grid-up")
		r.begin(170)
		d.take(gridChanged{})
		require.Regexp(t, `>. host-159\.example`, d.plain())
		require.Contains(t, d.plain(), "not following ━┓")
		d.do("grid-follow")
		require.Regexp(t, `>. host-171\.example`, d.plain())
		require.Contains(t, d.plain(), "FOLLOW ━┓")
		r.begin(190)
		d.take(gridChanged{})
		require.Regexp(t, `>. host-191\.example`, d.plain())
		d.do("grid-follow")
		require.Contains(t, d.plain(), "not following ━┓")
		r.over()
		d.take(gridChanged{})
		require.Contains(t, d.plain(), "DONE ━┓")
		d.do("grid-follow")
		require.Contains(t, d.rows()[35], "x follow: the run is over")
	}),
	"grid-next-failed": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do("grid-first", "grid-next-failed")
		require.Regexp(t, `>x host-004\.example`, d.plain())
		d.do("grid-next-failed")
		require.Regexp(t, `>x host-006\.example`, d.plain())
		d.do("grid-last", "grid-next-failed")
		require.Contains(t, d.rows()[35], "no failed target below")
	}),
	"grid-previous-failed": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.onTarget(5)
		d.do("grid-previous-failed")
		require.Regexp(t, `>x host-004\.example`, d.plain())
		d.do("grid-previous-failed")
		require.Contains(t, d.rows()[35], "no failed target above")
	}),
	"grid-copy": onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		r.rows[5].Message += "\x1b[2J"
		d.onTarget(5)
		d.do("grid-copy")
		require.Equal(t, "host-006.example  everything  failed  auth  auth  no login as deploy: publickey was refused[2J  /state/mcpdbg/recordings/smoke/host-006.example.jsonl", d.clip)
	}),
	"grid-opened": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.onTarget(3)
		d.do("grid-open", "grid", "grid-opened")
		require.Contains(t, d.plain(), "━ 1 Sessions 2 ━")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		d.screens = nil
		d.do("grid", "grid-opened")
		require.Contains(t, d.rows()[35], "x open sessions: no session is open")
	}),
	"grid-stop": onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.do("grid-stop")
		require.Contains(t, d.plain(), "17 running, 40 waiting.")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Zero(t, r.stopped, "enter means no")
		d.do("grid-stop", actYes)
		require.Equal(t, 1, r.stopped)
		require.Contains(t, d.rows()[0], "SMOKE  stopping 17 sessions ...")
		d.do("grid-stop")
		require.Contains(t, d.rows()[35], "x stop the run: the run is stopping")
		r.over()
		d.take(gridChanged{})
		require.Contains(t, d.rows()[0], "SMOKE  done: FAILED")
		require.Contains(t, d.rows()[1], "57 cancelled")
		require.False(t, d.quit, "the grid stays")
	}),
	"grid-close": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do("grid-failed", "grid-filter")
		d.write("auth")
		d.do(actAccept)
		require.Contains(t, d.plain(), "━ Targets 12 of 200  failed only  filter auth ━")
		d.do("grid-close")
		require.Contains(t, d.plain(), "━ Targets 200 ━")
		d.do("grid-close")
		require.Contains(t, d.rows()[35], "q quits")
		require.False(t, d.quit)
	}),
	"grid-commands": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do("grid-commands")
		require.NotContains(t, d.plain(), "tools/call", "only actions of the grid")
		d.write("failed only")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Contains(t, d.plain(), "━ Targets 36 of 200  failed only ━")
	}),
	"grid-help": onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do("grid-help")
		require.Contains(t, d.plain(), "List only targets that failed, or all.")
		d.do("close-help")
		require.Contains(t, d.plain(), "━ Targets 200 ━")
	}),
	"grid-quit": onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.do("grid-quit")
		require.Contains(t, d.plain(), "Stop the run and quit?")
		d.do(actNo)
		require.Zero(t, r.stopped)
		d.do("grid-quit", actYes)
		require.Equal(t, 1, r.stopped)
		require.False(t, d.quit, "running sessions are awaited")
		require.Contains(t, d.rows()[0], "SMOKE  stopping 17 sessions ...")
		r.over()
		d.take(gridChanged{})
		require.True(t, d.quit)
	}),
}

// TestGridInterrupts checks that ctrl+c asks for confirmation, that a second
// one confirms, and that a third one does not wait.
func TestGridInterrupts(t *testing.T) {
	r := halfway(t)
	d := drive(t, Options{Grid: r.run()}, 80, 24)
	ctrlC := tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	d.take(ctrlC)
	require.Contains(t, d.plain(), "Stop the run and quit?")
	require.Zero(t, r.stopped)
	d.take(ctrlC)
	require.Equal(t, 1, r.stopped)
	require.Contains(t, d.rows()[0], "stopping 17 sessions ...")
	require.False(t, d.quit)
	d.take(ctrlC)
	require.True(t, d.quit)
	require.Equal(t, 1, r.stopped)
}

// TestGridInterruptsElsewhere checks that the run that is being stopped
// replaces the visible session.
func TestGridInterruptsElsewhere(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
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
	r := halfway(t)
	d := drive(t, Options{Grid: r.run()}, 80, 24)
	d.do("grid-stop", actYes, "grid-quit")
	require.False(t, d.quit)
	require.Equal(t, 1, r.stopped)
	r.over()
	d.take(gridChanged{})
	require.True(t, d.quit)
}

// TestGridLeft checks that a finished run is left without a question.
func TestGridLeft(t *testing.T) {
	r := halfway(t)
	r.over()
	d := drive(t, Options{Grid: r.run()}, 80, 24)
	require.Contains(t, d.rows()[0], "done: FAILED")
	d.take(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.True(t, d.quit)
	require.Zero(t, r.stopped)
}

// TestGridEndsAtFailure checks that when the run ends, the cursor goes to the
// first failure unless the user has moved it.
func TestGridEndsAtFailure(t *testing.T) {
	for moved, want := range map[bool]int{false: 3, true: 158} {
		r := halfway(t)
		d := drive(t, Options{Grid: r.run()}, 80, 24)
		if moved {
			d.do("grid-up")
		}
		r.over()
		d.take(gridChanged{})
		at, _ := d.grid.view.Grid.Cursor()
		require.Equal(t, want, at)
	}
}

// TestGridEndsElsewhere checks that a message reports the end of the run once
// if something else is shown.
func TestGridEndsElsewhere(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		d.do("grid-opened")
		d.take(gridChanged{})
		require.NotContains(t, d.rows()[35], "run finished")
		r.over()
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
		d.grids(halfway(t))
		d.do("grid-opened", actSessions, actRemoveSession, actYes)
		require.Empty(t, d.screens)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
	})
}

// TestGridGivesUp checks that opening a target can be cancelled.
func TestGridGivesUp(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
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
		r := halfway(t)
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
		r := halfway(t)
		d.grids(r)
		d.do("grid-first")
		d.content()
		d.press(20, 8)
		require.Regexp(t, `>x host-004\.example`, d.rows()[8])
		require.Empty(t, r.opened)
		d.visible.scrollAt(20, 8, 3)
		d.canvas.stale = true
		require.Regexp(t, `>x host-004\.example`, d.rows()[5])
		d.press(20, 5)
		require.Equal(t, []int{3}, r.opened)
	})
}

// TestGridClock checks that clocks run only while the run does and is visible.
func TestGridClock(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		require.Equal(t, spinEvery, d.pace())
		r.totals.Took = 65 * time.Second
		d.take(tick{})
		require.Contains(t, d.rows()[1], " 1:05 ")
		d.do("grid-opened")
		require.Zero(t, d.pace())
		d.do("grid")
		r.over()
		d.take(gridChanged{})
		require.Zero(t, d.pace())
	})
}

// TestGridIsUntrusted checks that text of hosts and servers cannot leave its
// place.
func TestGridIsUntrusted(t *testing.T) {
	for _, text := range hostile {
		r := newFakeRun(t, 3)
		for i := range r.rows {
			r.rows[i] = grid.Row{Host: text, Server: fmt.Sprint(i, text), State: grid.Failed, Phases: []string{text}, Phase: text, Cause: text, Message: text, Recording: text}
		}
		r.about = []grid.Fact{{Label: text, Text: text, Bad: true}}
		r.totals = grid.Totals{Over: true, Causes: []grid.Count{{Name: text, N: 3}}, Facts: r.about}
		run := r.run()
		run.Title = text
		d := drive(t, Options{Grid: run}, 120, 36)
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}, {39, 9}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.content(), size[0], size[1])
			requireBorders(t, d.rows())
		}
	}
}

// TestGridProgram checks that the program on a terminal follows a run to its
// end, and shows a recording in between.
func TestGridProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newFakeRun(t, 40)
		r.source = newLog(t)
		term := inTerminal(t, Options{Grid: r.run()}, 100, 30)
		require.Contains(t, term.content(), "40 waiting")
		r.begin(15)
		term.wait()
		require.Regexp(t, `>. host-016\.example`, term.content())
		r.end(0, 10)
		r.begin(25)
		term.wait()
		term.requireShown()
		term.press("f", "\r")
		require.Contains(t, term.content(), "FILE  host-004.example.jsonl")
		term.requireShown()
		r.end(10, 26)
		term.waitFor(300 * time.Millisecond) // frames of moving lines are delayed a little
		term.press("q")
		require.Contains(t, term.content(), "Targets 6 of 40  failed only")
		r.begin(39)
		r.end(26, 40)
		r.over()
		term.wait()
		require.Contains(t, term.content(), "done: FAILED")
		term.press("\x1b")
		term.requireShown()
		r.set(func(r *fakeRun) { r.totals.Facts[0].Text = "another.json" })
		term.wait()
		require.Contains(t, term.content(), "json another.json", "shown although no clock runs now")
		term.press("q")
		term.ran.Wait()
		require.NoError(t, term.err)
	})
}
