package ui

import (
	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/jsontree"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// besideWidth is how wide the pair view must be for its sides to stand beside
// each other; else one stands over the other.
const besideWidth = 72

// A pairView shows a request and its response. One of the sides has the keys.
type pairView struct {
	sides  [2]*jsontree.Tree // request, response
	heads  [2]string
	own    int // the side that was selected
	at     int // the side that has the keys
	w, h   int
	theme  *theme.Theme
	look   termsafe.Options
	blocks [2]paint.Lines
	fitted bool // the sides were unfolded for the first size
}

func newPair(e, partner *session.Entry, row session.Row, th *theme.Theme, look termsafe.Options) *pairView {
	p := &pairView{theme: th, look: look}
	both := [2]*session.Entry{e, partner}
	if row.Msg != framing.Request {
		both, p.own = [2]*session.Entry{partner, e}, 1
	}
	p.at = p.own
	for i, e := range both {
		p.sides[i] = jsontree.New(documentOf(e), th, look)
		p.heads[i] = direction(e.Kind) + " " + e.Msg.Kind.String() + "  " + size(e.FullSize)
	}
	p.heads[1] += "  after " + string(appendMillis(nil, both[1].T-both[0].T)) + " ms"
	return p
}

// tree is the side that has the keys.
func (p *pairView) tree() *jsontree.Tree { return p.sides[p.at] }

// beside tells whether the sides stand beside each other.
func (p *pairView) beside() bool { return p.w >= besideWidth }

// sizeOf is the size of a side, with its heading.
func (p *pairView) sizeOf(side int) (w, h int) {
	if p.beside() {
		w = (p.w - 1) / 2
		return w + side*((p.w-1)%2), p.h
	}
	h = p.h / 3 // requests are short
	if side == 1 {
		h = p.h - h
	}
	return p.w, h
}

func (p *pairView) setSize(w, h int) {
	p.w, p.h = w, h
	for i, t := range p.sides {
		w, h := p.sizeOf(i)
		t.SetSize(w, max(h-1, 0))
		if !p.fitted {
			t.UnfoldToFit(max(h-1, 0))
		}
	}
	p.fitted = p.fitted || h > 0
}

func (p *pairView) setTheme(th *theme.Theme) {
	p.theme = th
	for _, t := range p.sides {
		t.SetTheme(th)
	}
}

func (p *pairView) paint(out *paint.Lines, focused bool) {
	out.Resize(p.w, p.h)
	for i, t := range p.sides {
		p.blocks[i].Options = p.look
		t.Paint(&p.blocks[i], focused && i == p.at)
	}
	if !p.beside() {
		_, first := p.sizeOf(0)
		p.paintSide(out, 0, 0, 0)
		p.paintSide(out, 1, 0, first)
		return
	}
	w, _ := p.sizeOf(0)
	for y := range p.h {
		l := out.Line(y)
		p.paintLine(l, 0, y)
		l.PadTo(w)
		l.Text(p.theme.Border, "|")
		p.paintLine(l, 1, y)
	}
}

// paintSide paints a side from line y on.
func (p *pairView) paintSide(out *paint.Lines, side, from, y int) {
	_, h := p.sizeOf(side)
	for i := range h {
		p.paintLine(out.Line(y+i), side, from+i)
	}
}

// paintLine paints a line of a side: its heading is the first.
func (p *pairView) paintLine(l *paint.Line, side, y int) {
	if y > 0 {
		l.Append(p.blocks[side].Painted(y-1), 0)
		return
	}
	mark, style := " ", p.theme.Dim
	if side == p.at {
		mark, style = ">", p.theme.Strong
	}
	w, _ := p.sizeOf(side)
	l.Text(style, termsafe.Truncate(mark+p.heads[side], w, p.look.Ellipsis))
}

// other gives the keys to the other side.
func (p *pairView) other() { p.at = 1 - p.at }
