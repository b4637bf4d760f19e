package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/help"
)

// quietTime is how long no key must come before a box that opens by itself, or that asks,
// takes keys, so that it takes none meant for something else.
const quietTime = 150 * time.Millisecond

// A guard drops keys until the box is on the screen and no key came for quietTime.
type guard struct {
	drawn, ready bool
	awaited      bool // a pause has begun
	dropped      int  // keys and pastes
}

// quiet is the end of a pause that began after a number of dropped keys.
type quiet struct {
	guard   *guard
	dropped int
}

// guarded returns the guard of the front box, or nil.
func (f *front) guarded() *guard {
	switch {
	case f.menu != nil:
		return nil
	case f.ask != nil:
		return &f.ask.guard
	case f.dialog != nil:
		return &f.dialog.guard
	case f.prompt != nil:
		return nil
	case len(f.views) > 0:
		return f.views[len(f.views)-1].guard
	}
	return nil
}

// drops reports whether a key is dropped. Only actions that work everywhere are not, apart
// from the menu: its lines answer.
func (t *actionTable) drops(sc *sessionScreen, msg tea.KeyPressMsg) bool {
	g := t.app.front.guarded()
	if g == nil || g.ready && t.app.panes.layout.mode != tooSmall {
		return false
	}
	if action, ok := t.keys.Lookup(sc.scope(), msg.String()); ok && action.Everywhere && action.ID != help.ActMenuTyping {
		return false
	}
	g.drop()
	return true
}

func (g *guard) drop() { g.dropped, g.awaited = g.dropped+1, false }

// awaitQuiet begins a pause if the front box needs one.
func (f *front) awaitQuiet(later func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	g := f.guarded()
	if g == nil || g.ready || g.awaited {
		return nil
	}
	g.awaited = true
	return later(quietTime, quiet{g, g.dropped})
}

// quietOver ends a pause, unless a key came in it or the box was not visible.
func quietOver(a *App, over quiet) {
	g := a.front.guarded()
	switch {
	case g != over.guard: // something covers it
		over.guard.awaited = false
	case g.dropped != over.dropped:
	case !g.drawn:
		g.awaited = false
	default:
		g.ready, a.canvas.stale = true, true
	}
}
