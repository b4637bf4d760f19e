package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
)

// An overlay stands over the panes, and has the keys, until it is closed: a
// catalog, a palette, a form. Overlays may open further ones.
type overlay interface {
	// scope is the part of the action table that is in force.
	scope() string
	// typed takes a key that means no action in the scope, or what was pasted.
	typed(a *App, msg tea.Msg) tea.Cmd
	// paint draws it on the canvas of the App, over what is there.
	paint(a *App)
}

// opened is an overlay with the subject it is about.
type opened struct {
	overlay
	subject *subject
}

// push opens an overlay over all others.
func (a *App) push(o overlay) {
	a.overlays = append(a.overlays, opened{o, a.subject})
	a.stale = true
}

// pop closes the overlay that has the keys.
func (a *App) pop() {
	if n := len(a.overlays); n > 0 {
		a.overlays = a.overlays[:n-1]
	}
	a.stale = true
}

// aside is the subject of the overlay that has the keys, if it is not the one on
// the screen.
func (a *App) aside() (s *subject, ok bool) {
	if n := len(a.overlays); n > 0 {
		s = a.overlays[n-1].subject
	}
	return s, s != nil && s != a.front
}

// paintOverlays paints them, the one with the keys last.
func (a *App) paintOverlays() {
	for _, o := range a.overlays {
		a.as(o.subject, func() { o.paint(a) })
	}
}

// remove closes an overlay, wherever it stands.
func (a *App) remove(o overlay) {
	for i, other := range a.overlays {
		if other.overlay == o {
			a.overlays = append(a.overlays[:i], a.overlays[i+1:]...)
			a.stale = true
			return
		}
	}
}

// top is the overlay that has the keys, nil if there is none. Whatever is on the
// screen, it is painted, and takes keys, as one about its own subject.
func (a *App) top() overlay {
	if n := len(a.overlays); n > 0 {
		return a.overlays[n-1].overlay
	}
	return nil
}

// on adapts what is done to an overlay of type O. It does nothing while another
// one has the keys: its actions can't be reached then.
func on[O overlay](do func(*App, O) tea.Cmd) func(*App) tea.Cmd {
	return func(a *App) tea.Cmd {
		if o, ok := a.top().(O); ok {
			return do(a, o)
		}
		return nil
	}
}

// below is where what stands in the middle of the screen is centred: between the
// lines that say what is wrong and the footer, which stay in sight where there is
// room for that.
func (a *App) below() paint.Rect {
	top := 1
	if a.height >= panesHeight {
		top += a.layout.verdict.H
	}
	return paint.Rect{Y: top, W: a.width, H: a.height - top - 1}
}
