package ui

import (
	"fmt"
	"strings"

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
	scroll kit.Scroll
	block  paint.Lines // as painted last,
	noAt   int         // with the answer no from this cell on
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
	screen := paint.Rect{W: a.screen.Width, H: a.screen.Height}
	width := min(kit.DialogWidth, a.screen.Width-2) - 4
	var rows []string
	for _, line := range d.asked.Lines {
		rows = append(rows, termsafe.Wrap(line, width)...)
	}
	no := strings.Join(a.actions.keysOf(actNo), ", ")
	answer := no + ": close"
	if d.asked.Yes != nil {
		answer = a.Key(actYes) + ": yes    "
		if d.asked.Always != nil {
			answer += a.Key(actAlways) + ": " + d.asked.AlwaysText + "    "
		}
		d.noAt = 1 + len(answer)
		answer += no + ": no, " + d.asked.No
	}
	if !d.ready {
		answer, d.noAt = dropsKeys, width+2
	}
	d.drawn = true
	d.scroll.Fit(a.screen.Height-6, len(rows)) // border, a blank and the answer; header and footer stay visible
	from, to := d.scroll.Shown()
	if !d.scroll.All() {
		answer += fmt.Sprintf("    (%d-%d of %d)", from+1, to, len(rows))
	}
	rows = append(rows[from:to:to], "", answer)

	block := &d.block
	block.Options = a.screen.Look()
	block.Resize(width+2, len(rows))
	for i, row := range rows {
		l := block.Line(i)
		l.PadTo(1)
		l.Text(a.screen.Theme.Text, row)
	}
	a.screen.Canvas.Box(screen.Center(width+4, len(rows)+2), a.screen.Border(d.asked.Title, "", true), block)
}
