package ui

import (
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// opened is an open view with the session it belongs to. Views cover the panes;
// the last one has the focus.
type opened struct {
	view   host.View
	screen *sessionScreen
}

// push opens a view above all others.
func (sc *sessionScreen) push(v host.View) {
	sc.app.front.views = append(sc.app.front.views, opened{v, sc})
	sc.app.canvas.stale = true
}

// pop closes the focused view.
func (a *App) pop() {
	if n := len(a.front.views); n > 0 {
		a.front.views = a.front.views[:n-1]
	}
	a.canvas.stale = true
}

// focused returns the session of the topmost view, or else the visible one.
func (a *App) focused() *sessionScreen {
	if n := len(a.front.views); n > 0 {
		return a.front.views[n-1].screen
	}
	return a.visible
}

// paintOverlays paints the open views, the focused one last.
func (cv *canvas) paintOverlays() {
	a := cv.app
	for _, o := range a.front.views {
		c := o.screen.context()
		if a.front.ask != nil { // which has the focus
			c.View = nil
		}
		o.view.Draw(c)
	}
}

// top returns the focused view, nil if there is none. Whichever session is
// visible, a view is painted and takes keys for its own session.
func (f *front) top() host.View {
	if n := len(f.views); n > 0 {
		return f.views[n-1].view
	}
	return nil
}

// pickerOf returns the picker of a view, nil if it has none.
func pickerOf(v host.View) *kit.Picker {
	if p, ok := v.(host.Picking); ok {
		return p.Picks()
	}
	return nil
}

// textOf returns the text of a view that scrolls, nil if it has none.
func textOf(v host.View) *kit.Scroll {
	if r, ok := v.(host.Reading); ok {
		return r.Text()
	}
	return nil
}
