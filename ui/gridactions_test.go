package ui

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/grid"
)

// grids puts a run in front of the session of a driver.
func (d *driver) grids(r *fakeRun) {
	r.source = d.log
	d.grid = newGridScreen(d.App, r.run())
	d.toGrid()
	d.screen()
}

// onGrid returns a test of what an action does on a run in the middle.
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
		require.Contains(t, d.plain(), " PAUSED ━┓")
		d.do(id)
		at, _ := d.grid.grid.Cursor()
		require.Equal(t, min(max(100+n, 0), 199), at)
	})
}

// onTarget moves the cursor to a target, wherever it stands.
func (d *driver) onTarget(i int) {
	g := d.grid.grid
	g.Home()
	for range g.Len() {
		if at, _ := g.Cursor(); at == i {
			break
		}
		g.Move(1)
	}
	d.stale, d.notice = true, notice{}
}

var gridTests = map[string]actionTest{
	actGridDown:     gridMoves(actGridDown, 1),
	actGridUp:       gridMoves(actGridUp, -1),
	actGridPageDown: gridMoves(actGridPageDown, 20),
	actGridPageUp:   gridMoves(actGridPageUp, -20),
	actGridHalfDown: gridMoves(actGridHalfDown, 10),
	actGridHalfUp:   gridMoves(actGridHalfUp, -10),
	actGridTop:      gridMoves(actGridTop, -200),
	actGridBottom:   gridMoves(actGridBottom, 200),
	actGrid: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actGrid)
		require.Contains(t, d.rows()[35], "x targets: this is no smoke run")
		d.grids(halfway(t))
		d.notice = notice{}
		d.do(actGridOpened)
		require.Contains(t, d.rows()[0], "LIVE  fake (local)")
		require.Contains(t, d.rows()[35], "q back to the grid")
		d.do(actGrid)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
		d.do(actGridOpened, actBack)
		require.Contains(t, d.plain(), "━ Targets 200 ━", "esc leads there too, when there is nothing else to leave")
		d.do(actGridOpened, actZoom, actQuit)
		require.NotContains(t, d.plain(), "━ Targets 200 ━", "first the zoom is left")
		d.do(actQuit)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
		require.False(t, d.quit)
	},
	actGridOpen: onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.onTarget(170)
		require.Contains(t, d.plain(), "  waiting   for its turn")
		r.rows[153].Phase = "wait"
		d.onTarget(153)
		require.Contains(t, d.plain(), "  waiting   for its turn, 3.0s")
		d.onTarget(154)
		require.Contains(t, d.plain(), "  running   shutdown, because it failed in auth")
		d.onTarget(170)
		d.do(actGridOpen)
		require.Contains(t, d.rows()[35], "x open: everything on host-171.example has no recording yet")
		d.onTarget(3)
		r.fails = errors.New("no such file")
		d.do(actGridOpen)
		require.Contains(t, d.rows()[35], "x everything on host-004.example: no such file")
		r.fails = nil
		d.do(actGridOpen)
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		require.Contains(t, d.plain(), "2 Traffic")
		d.do(actGrid, actGridOpen)
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		require.Equal(t, []int{3, 3}, r.opened, "what is open is shown")
		d.grid.grid.SetFilter("nothing has this")
		d.do(actRestart)
		synctest.Wait()
		d.take(about{d.subject, changed{}})
		require.Equal(t, []int{3}, r.fresh, "whatever the grid lists")
		require.Contains(t, d.rows()[0], "LIVE  everything (host-004.example)")
		require.Contains(t, d.rows()[0], "ready")
	}),
	actGridFresh: onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.onTarget(5)
		d.do(actGridFresh)
		synctest.Wait()
		d.take(about{d.subject, changed{}})
		require.Equal(t, []int{5}, r.fresh)
		require.Contains(t, d.rows()[0], "LIVE  everything (host-006.example)")
		d.do(actGrid)
		d.grid.run.Fresh = nil
		d.do(actGridFresh)
		require.Contains(t, d.rows()[35], "x debug: nothing can be started here")
	}),
	actGridFilter: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do(actGridFilter)
		d.write("refused AUTH")
		require.Contains(t, d.plain(), "━ Targets 12 of 200  filter refused AUTH ━", "while it is written")
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		require.Contains(t, d.plain(), "━ Targets 200 ━", "as it was before")
		d.do(actGridFilter)
		d.write("no such words")
		require.Contains(t, d.plain(), "no target is like that")
		d.do(actAccept)
		require.Contains(t, d.plain(), "━ Targets 0 of 200")
		d.do(actGridOpen)
		require.Contains(t, d.rows()[35], "x open: no target is listed")
	}),
	actGridOnly: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.onTarget(15)
		d.do(actGridOnly)
		require.Contains(t, d.plain(), "━ Targets 36 of 200  failed only ━")
		require.Regexp(t, `>x host-016\.example`, d.plain(), "the cursor stays on its target")
		require.NotRegexp(t, `[+·] host-`, d.plain())
		d.do(actGridOnly)
		require.Regexp(t, `>x host-016\.example`, d.plain())
	}),
	actGridSort: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		for _, order := range []string{"failures first", "slowest first", "by host"} {
			d.onTarget(100)
			d.do(actGridSort)
			require.Contains(t, d.plain(), " "+order+"  PAUSED ━┓")
			require.Regexp(t, `>\+ host-101\.example`, d.plain())
		}
		d.do(actGridSort)
		require.Contains(t, d.plain(), "━ PAUSED ━┓")
		d.do(actGridSort, actGridTop)
		require.Regexp(t, `>x host-006\.example •••x····· auth +0.2s auth`, d.plain(), "causes stand together")
	}),
	actGridFollow: onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		require.Regexp(t, `>. host-160\.example`, d.plain())
		d.do(actGridUp)
		r.begin(170)
		d.take(gridChanged{})
		require.Regexp(t, `>. host-159\.example`, d.plain())
		require.Contains(t, d.plain(), "PAUSED ━┓")
		d.do(actGridFollow)
		require.Regexp(t, `>. host-171\.example`, d.plain())
		require.Contains(t, d.plain(), "FOLLOW ━┓")
		r.begin(190)
		d.take(gridChanged{})
		require.Regexp(t, `>. host-191\.example`, d.plain())
		d.do(actGridFollow)
		require.Contains(t, d.plain(), "PAUSED ━┓")
		r.over()
		d.take(gridChanged{})
		require.Contains(t, d.plain(), "DONE ━┓")
		d.do(actGridFollow)
		require.Contains(t, d.rows()[35], "x follow: the run is over")
	}),
	actGridNext: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do(actGridTop, actGridNext)
		require.Regexp(t, `>x host-004\.example`, d.plain())
		d.do(actGridNext)
		require.Regexp(t, `>x host-006\.example`, d.plain())
		d.do(actGridBottom, actGridNext)
		require.Contains(t, d.rows()[35], "no target below failed")
	}),
	actGridPrev: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.onTarget(5)
		d.do(actGridPrev)
		require.Regexp(t, `>x host-004\.example`, d.plain())
		d.do(actGridPrev)
		require.Contains(t, d.rows()[35], "no target above failed")
	}),
	actGridCopy: onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		r.rows[5].Message += "\x1b[2J"
		d.onTarget(5)
		d.do(actGridCopy)
		require.Equal(t, "host-006.example  everything  failed  auth  auth  no login as deploy: publickey was refused[2J  /state/mcpdbg/recordings/smoke/host-006.example.jsonl", d.clip)
	}),
	actGridOpened: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.onTarget(3)
		d.do(actGridOpen, actGrid, actGridOpened)
		require.Contains(t, d.plain(), "━ 1 Sessions 2 ━")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		d.subjects = nil
		d.do(actGrid, actGridOpened)
		require.Contains(t, d.rows()[35], "x what is open: nothing is open")
	}),
	actGridStop: onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.do(actGridStop)
		require.Contains(t, d.plain(), "17 running, 40 waiting.")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Zero(t, r.stopped, "enter is no")
		d.do(actGridStop, actYes)
		require.Equal(t, 1, r.stopped)
		require.Contains(t, d.rows()[0], "SMOKE  ending 17 sessions ...")
		d.do(actGridStop)
		require.Contains(t, d.rows()[35], "x stop the run: the run is being ended")
		r.over()
		d.take(gridChanged{})
		require.Contains(t, d.rows()[0], "SMOKE  done: FAILED")
		require.Contains(t, d.rows()[1], "57 cancelled")
		require.False(t, d.quit, "the grid stays")
	}),
	actGridClose: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do(actGridOnly, actGridFilter)
		d.write("auth")
		d.do(actAccept)
		require.Contains(t, d.plain(), "━ Targets 12 of 200  failed only  filter auth ━")
		d.do(actGridClose)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
		d.do(actGridClose)
		require.Contains(t, d.rows()[35], "q quits")
		require.False(t, d.quit)
	}),
	actGridPalette: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do(actGridPalette)
		require.NotContains(t, d.plain(), "tools/call", "only what can be done on the grid")
		d.write("failed only")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Contains(t, d.plain(), "━ Targets 36 of 200  failed only ━")
	}),
	actGridHelp: onGrid(func(t *testing.T, d *driver, _ *fakeRun) {
		d.do(actGridHelp)
		require.Contains(t, d.plain(), "List only targets that failed, or all.")
		d.do(actCloseHelp)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
	}),
	actGridQuit: onGrid(func(t *testing.T, d *driver, r *fakeRun) {
		d.do(actGridQuit)
		require.Contains(t, d.plain(), "End the run and quit?")
		d.do(actNo)
		require.Zero(t, r.stopped)
		d.do(actGridQuit, actYes)
		require.Equal(t, 1, r.stopped)
		require.False(t, d.quit, "what runs is waited for")
		require.Contains(t, d.rows()[0], "SMOKE  ending 17 sessions ...")
		r.over()
		d.take(gridChanged{})
		require.True(t, d.quit)
	}),
}

// TestGridInterrupts: ctrl+c asks, a second one means yes, and a third one does
// not wait.
func TestGridInterrupts(t *testing.T) {
	r := halfway(t)
	d := drive(t, Options{Grid: r.run()}, 80, 24)
	ctrlC := tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	d.take(ctrlC)
	require.Contains(t, d.plain(), "End the run and quit?")
	require.Zero(t, r.stopped)
	d.take(ctrlC)
	require.Equal(t, 1, r.stopped)
	require.Contains(t, d.rows()[0], "ending 17 sessions ...")
	require.False(t, d.quit)
	d.take(ctrlC)
	require.True(t, d.quit)
	require.Equal(t, 1, r.stopped)
}

// TestGridInterruptsElsewhere: what is looked at makes way for the run that is
// being ended.
func TestGridInterruptsElsewhere(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		d.onTarget(3)
		d.do(actGridOpen, actInterrupt)
		require.Contains(t, d.plain(), "End the run and quit?")
		require.Contains(t, d.rows()[0], "FILE  host-004.example.jsonl")
		d.do(actYes)
		require.Contains(t, d.rows()[0], "SMOKE  ending 17 sessions ...")
	})
}

// TestGridQuitsWhenStopped: who has stopped the run can quit without another
// question; what runs is still waited for.
func TestGridQuitsWhenStopped(t *testing.T) {
	r := halfway(t)
	d := drive(t, Options{Grid: r.run()}, 80, 24)
	d.do(actGridStop, actYes, actGridQuit)
	require.False(t, d.quit)
	require.Equal(t, 1, r.stopped)
	r.over()
	d.take(gridChanged{})
	require.True(t, d.quit)
}

// TestGridLeft: a run that is over is left at once.
func TestGridLeft(t *testing.T) {
	r := halfway(t)
	r.over()
	d := drive(t, Options{Grid: r.run()}, 80, 24)
	require.Contains(t, d.rows()[0], "done: FAILED")
	d.take(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.True(t, d.quit)
	require.Zero(t, r.stopped)
}

// TestGridEndsAtFailure: when the run is over, who has not moved sees the first
// failure, and who has stays where they are.
func TestGridEndsAtFailure(t *testing.T) {
	for moved, want := range map[bool]int{false: 3, true: 158} {
		r := halfway(t)
		d := drive(t, Options{Grid: r.run()}, 80, 24)
		if moved {
			d.do(actGridUp)
		}
		r.over()
		d.take(gridChanged{})
		at, _ := d.grid.grid.Cursor()
		require.Equal(t, want, at)
	}
}

// TestGridEndsElsewhere: who looks at something else is told once that the run is
// over.
func TestGridEndsElsewhere(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		d.do(actGridOpened)
		d.take(gridChanged{})
		require.NotContains(t, d.rows()[35], "the run is over")
		r.over()
		d.take(gridChanged{})
		require.Contains(t, d.rows()[35], "the run is over: 107 ok, 36 failed; ctrl+g shows it")
		d.notice, d.stale = notice{}, true
		d.take(gridChanged{})
		require.NotContains(t, d.rows()[35], "the run is over")
	})
}

// TestGridRemovesLast: what was opened last is removed, and the grid is there.
func TestGridRemovesLast(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.grids(halfway(t))
		d.do(actGridOpened, actSessions, actRemoveSession, actYes)
		require.Empty(t, d.subjects)
		require.Contains(t, d.plain(), "━ Targets 200 ━")
	})
}

// TestGridGivesUp: what is being opened can be given up.
func TestGridGivesUp(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		d.onTarget(3)
		opening := d.openTarget(d.grid)
		d.stale = true
		require.Contains(t, d.plain(), "opening everything on host-004.example ...")
		d.do(actGridOpen)
		require.Contains(t, d.rows()[35], "is being opened")
		d.do(actGridClose)
		d.run(opening)
		require.Len(t, d.subjects, 1)
		require.NotContains(t, d.plain(), "opening everything")
	})
}

// TestGridOpensForWhatIsGone: what is being opened comes, and others can be opened
// after it, also when what it was asked for in is removed meanwhile.
func TestGridOpensForWhatIsGone(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		d.onTarget(3)
		d.do(actGridOpen)
		recording := d.subject
		opening := recording.tagged(d.restart())
		d.do(actSessions, actRemoveSession)
		require.NotContains(t, d.subjects, recording)
		d.run(opening)
		require.Contains(t, d.rows()[0], "LIVE  everything (host-004.example)")
		require.Empty(t, d.grid.opening)
	})
}

// TestGridByMouse: a click chooses a target, another one opens it, the wheel
// scrolls.
func TestGridByMouse(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		d.do(actGridTop)
		d.screen()
		d.press(20, 8)
		require.Regexp(t, `>x host-004\.example`, d.rows()[8])
		require.Empty(t, r.opened)
		d.scrollAt(20, 8, 3)
		d.stale = true
		require.Regexp(t, `>x host-004\.example`, d.rows()[5])
		d.press(20, 5)
		require.Equal(t, []int{3}, r.opened)
	})
}

// TestGridClock: clocks go on while the run does, and only while it is seen.
func TestGridClock(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		r := halfway(t)
		d.grids(r)
		require.Equal(t, spinEvery, d.pace())
		r.totals.Took = 65 * time.Second
		d.take(tick{})
		require.Contains(t, d.rows()[1], " 1:05 ")
		d.do(actGridOpened)
		require.Zero(t, d.pace())
		d.do(actGrid)
		r.over()
		d.take(gridChanged{})
		require.Zero(t, d.pace())
	})
}

// TestGridIsUntrusted: what hosts and servers say cannot leave its place.
func TestGridIsUntrusted(t *testing.T) {
	for _, text := range hostile {
		r := newFakeRun(t, 3)
		for i := range r.rows {
			r.rows[i] = grid.Row{Host: text, Server: fmt.Sprint(i, text), State: grid.Failed, Phases: []string{text}, Phase: text, Cause: text, Message: text, Recording: text}
		}
		r.about = []grid.Fact{{Label: text, Text: text, Bad: true}}
		r.totals = grid.Totals{Over: true, Causes: []grid.Count{{Name: text, N: 3}}, Said: r.about}
		run := r.run()
		run.Title = text
		d := drive(t, Options{Grid: run}, 120, 36)
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}, {39, 9}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.screen(), size[0], size[1])
			requireBorders(t, d.rows())
		}
	}
}

// TestGridProgram: the program on a terminal follows a run to its end, and shows
// a recording on the way.
func TestGridProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newFakeRun(t, 40)
		r.source = newLog(t)
		term := inTerminal(t, Options{Grid: r.run()}, 100, 30)
		require.Contains(t, term.screen(), "40 waiting")
		r.begin(15)
		term.wait()
		require.Regexp(t, `>. host-016\.example`, term.screen())
		r.end(0, 10)
		r.begin(25)
		term.wait()
		term.requireShown()
		term.press("f", "\r")
		require.Contains(t, term.screen(), "FILE  host-004.example.jsonl")
		term.requireShown()
		r.end(10, 26)
		term.waitFor(300 * time.Millisecond) // lines that move wait a little
		term.press("q")
		require.Contains(t, term.screen(), "Targets 6 of 40  failed only")
		r.begin(39)
		r.end(26, 40)
		r.over()
		term.wait()
		require.Contains(t, term.screen(), "done: FAILED")
		term.press("\x1b")
		term.requireShown()
		r.set(func(r *fakeRun) { r.totals.Said[0].Text = "another.json" })
		term.wait()
		require.Contains(t, term.screen(), "json another.json", "no clock brings what is new now")
		term.press("q")
		term.ran.Wait()
		require.NoError(t, term.err)
	})
}
