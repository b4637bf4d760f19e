package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/send"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
)

// opened is an open view with its session. Views cover the panes; the last one has the
// focus.
type opened struct {
	view   host.View
	screen *sessionScreen
	guard  *guard // of a view that opened by itself, or nil
}

func (sc *sessionScreen) push(v host.View) {
	sc.app.front.views = append(sc.app.front.views, opened{view: v, screen: sc})
	sc.app.canvas.stale = true
}

func (a *App) pop() {
	if n := len(a.front.views); n > 0 {
		a.front.views = a.front.views[:n-1]
	}
	a.canvas.stale = true
}

func (a *App) focused() *sessionScreen {
	if n := len(a.front.views); n > 0 {
		return a.front.views[n-1].screen
	}
	return a.visible
}

func (cv *canvas) paintOverlays() {
	a := cv.app
	for _, o := range a.front.views {
		c := o.screen.context()
		if c.View = o.view; a.front.ask != nil { // which has the focus
			c.View = nil
		}
		if o.guard != nil {
			a.screen.Drops, o.guard.drawn = !o.guard.ready, true
		}
		o.view.Draw(c)
		a.screen.Drops = false
	}
}

// top returns the focused view, or nil. A view is painted and takes keys for its own
// session, whichever is visible.
func (f *front) top() host.View {
	if n := len(f.views); n > 0 {
		return f.views[n-1].view
	}
	return nil
}

// pickerOf returns nil if a view has no picker.
func pickerOf(v host.View) *kit.Picker {
	if p, ok := v.(host.Picking); ok {
		return p.Picks()
	}
	return nil
}

// textOf returns nil if a view has no text that scrolls.
func textOf(v host.View) *kit.Text {
	if r, ok := v.(host.Reading); ok {
		return r.Text()
	}
	return nil
}

// underneath returns the scope below the menu and the palette.
func (sc *sessionScreen) underneath() string {
	if _, palette := sc.app.front.top().(*help.Palette); !palette || sc.app.front.ask != nil {
		return sc.scopeBelow()
	}
	if n := len(sc.app.front.views); n > 1 {
		return sc.app.front.views[n-2].view.Scope()
	}
	if sc.composer.IsOpen() {
		return sc.composer.Scope()
	}
	return sc.paneScope()
}

// wantsHelp reports whether a message is the key of help where it is not text: in a list
// with an empty search, or where letters are not typed.
func (t *actionTable) wantsHelp(v host.View, msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok || !slices.Contains(t.keysOf(help.ActMenu), key.String()) {
		return false
	}
	switch v.Scope() {
	case problems.ScopeList, compare.Scope, traffic.ScopeWaterfall, traffic.ScopeSequence, traffic.ScopeLatency, process.ScopePane, problems.ScopeCauses, problems.ScopeStart, send.ScopePolicies, steer.ScopeDrop:
		return true
	}
	p := pickerOf(v)
	return p != nil && p.Query == ""
}
