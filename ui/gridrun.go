package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/grid"
	"mcpdbg/ui/paint"
)

// A GridRun is a run over many targets, which the interface shows as its first
// screen. Source is required; the functions are called from goroutines of the
// interface.
type GridRun struct {
	Source grid.Source
	// Title says what is run, such as "server-everything, weather".
	Title string
	// Open opens the recording of a target, be it still being written.
	Open func(ctx context.Context, target int) (Opened, error)
	// Fresh makes a session of a target's server on its host, with the flags of
	// the run and a recording of its own. The server is not started: Opened.Start
	// does that. Nil: it can't be done.
	Fresh func(ctx context.Context, target int) (Opened, error)
	// Stop has the run end: no target is begun any more, and those that run end
	// cleanly. It returns at once; Totals.Over tells when that is done. It is
	// called once at most.
	Stop func()
}

// gridChanged says that the run has changed.
type gridChanged struct{}

// A gridScreen is the first screen of a run over many targets. It is an overlay
// that takes all of the screen but the footer; while a session or a recording is
// looked at, it is not among the overlays.
type gridScreen struct {
	run  *GridRun
	grid *grid.Grid

	stopping bool    // Stop was called,
	quits    bool    // and the program ends with the run
	asks     *dialog // that asks about it; nil before

	opening string             // what is being opened
	giveUp  context.CancelFunc // ends that

	list, about, top paint.Lines
}

// noTarget is the target of what was not opened from a grid.
const noTarget = -1

func newGridScreen(a *App, run *GridRun) *gridScreen {
	look := grid.Look{Theme: a.theme, Options: a.look(), ASCII: a.opts.ASCII}
	return &gridScreen{run: run, grid: grid.New(run.Source, look)}
}

func (*gridScreen) scope() string { return scopeGrid }

func (*gridScreen) typed(*App, tea.Msg) tea.Cmd { return nil }

// scroll is what the wheel does.
func (g *gridScreen) scroll(n int) { g.grid.Scroll(n) }

// click moves the cursor to the target on a cell of the screen. Again says that
// it was there before.
func (g *gridScreen) click(x, y int) (again, hit bool) {
	list := g.list.Place()
	if !list.Contains(x, y) {
		return false, false
	}
	return g.grid.SelectLine(y - list.Y)
}

// gridShown tells whether the run is on the screen.
func (a *App) gridShown() bool {
	for _, o := range a.overlays {
		if _, ok := o.overlay.(*gridScreen); ok {
			return true
		}
	}
	return false
}

// underneath is the scope of what help and the palette open over: the pane that
// has the keys, or a run.
func (a *App) underneath() string {
	if a.gridShown() {
		return scopeGrid
	}
	return paneScopes[a.focus]
}

// ofTarget tells whether this is the recording of a target of the run.
func (a *App) ofTarget() bool { return a.grid != nil && a.session == nil && a.target != noTarget }

// toGrid goes back to the run. What is open stays open.
func (a *App) toGrid() {
	if a.gridShown() {
		return
	}
	a.zoom = false
	a.show(a.nobody)
	a.focusOn(trafficID)
	a.push(a.grid)
	a.grid.grid.Refresh()
}

// refreshGrid looks at the run. Once it has ended the program does, if that is
// what was wanted; who looks at something else is told.
func (a *App) refreshGrid() tea.Cmd {
	g := a.grid
	if g == nil {
		return nil
	}
	wasOver := g.over()
	g.grid.Refresh()
	switch {
	case g.quits && g.over():
		return a.leaveProgram()
	case a.gridShown():
		a.stale = true
	case g.over() && !wasOver:
		t := g.grid.Totals()
		a.say(fmt.Sprintf("the run is over: %s ok, %s failed; %s shows it", paint.Thousands(t.Passed), paint.Thousands(t.Failed), a.keyOf(actGrid)))
	}
	return nil
}

// over tells whether the run is.
func (g *gridScreen) over() bool { return g.grid.Totals().Over }

// picked is the target under the cursor.
func (g *gridScreen) picked() (target int, row grid.Row, ok bool) {
	if target, ok = g.grid.Cursor(); ok {
		row = g.run.Source.Row(target)
	}
	return target, row, ok
}

// nameOf names a target.
func nameOf(row grid.Row) string { return strings.TrimSpace(row.Server + " on " + row.Host) }

// openTarget shows the recording of the target under the cursor.
func (a *App) openTarget(g *gridScreen) tea.Cmd {
	target, row, _ := g.picked()
	for _, s := range a.subjects {
		if s.target == target && s.session == nil {
			a.leaveGrid(s)
			return nil
		}
	}
	return a.openFrom(target, row, g.run.Open)
}

// openFresh starts the server of a target anew, on its host.
func (a *App) openFresh(target int) tea.Cmd {
	run := a.grid.run
	return a.openFrom(target, run.Source.Row(target), run.Fresh)
}

// openFrom opens something of a target. That comes back whatever becomes meanwhile
// of what is on the screen.
func (a *App) openFrom(target int, row grid.Row, open func(context.Context, int) (Opened, error)) tea.Cmd {
	g, name := a.grid, nameOf(row)
	ctx, giveUp := context.WithCancel(a.ctx)
	g.opening, g.giveUp = name, giveUp
	return a.nobody.tagged(func() tea.Msg {
		opened, err := open(ctx, target)
		late := ctx.Err() != nil
		giveUp()
		return result{then: func(a *App) tea.Cmd {
			g.opening, a.stale = "", true
			switch {
			case err != nil && !errors.Is(err, context.Canceled):
				a.complain(fmt.Sprintf("%s: %v", name, err))
				return nil
			case err != nil:
				return nil
			case late:
				return a.end(&subject{title: name, session: opened.Session, release: opened.Close})
			}
			a.remove(g)
			cmd := a.add(opened)
			a.target = target
			return cmd
		}}
	})
}

// leaveGrid goes from the run to what is open.
func (a *App) leaveGrid(s *subject) {
	a.remove(a.grid)
	a.show(s)
}

// toOpened goes to what was opened last.
func (a *App) toOpened(*gridScreen) tea.Cmd {
	a.leaveGrid(a.subjects[len(a.subjects)-1])
	if len(a.subjects) > 1 {
		a.focusOn(sessionsID)
	}
	return nil
}

// copyTarget copies the line of a target.
func (a *App) copyTarget(g *gridScreen) tea.Cmd {
	_, row, _ := g.picked()
	words := []string{row.Host, row.Server, row.State.String(), row.Phase, row.Cause, row.Message, row.Recording}
	var said []string
	for _, word := range words {
		if word != "" {
			said = append(said, word)
		}
	}
	return func() tea.Msg { return toClipboard(nameOf(row), strings.Join(said, "  "), false) }
}

// askTargetFilter asks which targets are to be listed, which are so while it is
// written.
func (a *App) askTargetFilter(g *gridScreen) tea.Cmd {
	before := g.grid.Filter()
	a.prompt = newPrompt("show targets with", "words of host, server, phase, verdict or message", before, func(_ *App, text string) (tea.Cmd, error) {
		g.grid.SetFilter(text)
		return nil, nil
	})
	a.prompt.check = func(text string) error {
		g.grid.SetFilter(text)
		return nil
	}
	a.prompt.closed = func() { g.grid.SetFilter(before) }
	return nil
}

// closeGrid gives up what is being opened, or lists all targets.
func (a *App) closeGrid(g *gridScreen) tea.Cmd {
	switch {
	case g.opening != "":
		g.giveUp()
	case g.grid.Filter() != "" || g.grid.Only():
		g.grid.SetOnly(false)
		g.grid.SetFilter("")
	default:
		a.say(a.keyOf(actGridQuit) + " quits")
	}
	return nil
}
