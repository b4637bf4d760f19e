package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

type dialog struct {
	guard
	asked  *host.Dialog
	screen *sessionScreen
	text   kit.Text
	block  paint.Lines
}

func (sc *sessionScreen) confirm(d *host.Dialog) {
	opened := &dialog{asked: d, screen: sc}
	opened.ready = d.Yes == nil && d.About == host.AboutAction // a key has opened it
	sc.app.front.dialog, sc.app.canvas.stale = opened, true
}

// yes answers with one of the functions of the dialog.
func (d *dialog) yes(do func(host.Context) tea.Cmd) tea.Cmd {
	d.screen.app.front.dialog = nil
	return d.screen.tagged(do(d.screen.context()))
}

func (cv *canvas) paintDialog() {
	a := cv.app
	d := a.front.dialog
	screen := paint.Rect{Y: 1, W: a.screen.Width, H: a.screen.Height - 2}
	width := min(kit.DialogWidth, a.screen.Width-2) - 4
	var rows []string
	for _, line := range d.asked.Lines {
		rows = append(rows, termsafe.Wrap(line, width)...)
	}
	r, c := screen.Center(width+4, len(rows)+2), d.screen.context()
	right := d.text.Paint(c.Block(&d.block, r.Inner()), 0, r.H-2, len(rows), func(l *paint.Line, i int) {
		l.PadTo(1)
		l.Text(a.screen.Theme.Text, rows[i])
	})
	d.drawn = true
	a.screen.Drops = !d.ready
	c.Dialog(scopeDialog, r, d.asked.Title, right, &d.block)
	a.screen.Drops = false
}
