package detail

import (
	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// sideBySideWidth is how wide the pair view must be to show its sides next to each
// other; a narrower one stacks them.
const sideBySideWidth = 72

// A request and its response, one of which has the focus.
type pairView struct {
	sides  [2]*jsontree.Tree // request, response
	heads  [2]string
	own    int // the side of the selected row
	at     int // the focused side
	w, h   int
	theme  *paint.Theme
	look   termsafe.Options
	blocks [2]paint.Lines
	fitted bool // the sides were unfolded for the first size
}

func newPair(e, partner *session.Entry, row session.Row, th *paint.Theme, look termsafe.Options) *pairView {
	p := &pairView{theme: th, look: look}
	both := [2]*session.Entry{e, partner}
	if row.Msg != framing.Request {
		both, p.own = [2]*session.Entry{partner, e}, 1
	}
	p.at = p.own
	for i, e := range both {
		p.sides[i] = jsontree.New(documentOf(e), th, look)
		p.heads[i] = kit.Direction(e.Kind) + " " + e.Msg.Kind.String() + "  " + wording.Size(e.FullSize)
	}
	p.heads[1] += "  after " + string(wording.AppendMillis(nil, both[1].T-both[0].T)) + " ms"
	return p
}

func (p *pairView) tree() *jsontree.Tree { return p.sides[p.at] }

func (p *pairView) sideBySide() bool { return p.w >= sideBySideWidth }

func (p *pairView) sizeOf(side int) (w, h int) {
	if p.sideBySide() {
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

func (p *pairView) setTheme(th *paint.Theme) {
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
	if !p.sideBySide() {
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
		l.Text(p.theme.Rule, paint.Glyph(p.look, "│", "|"))
		p.paintLine(l, 1, y)
	}
}

func (p *pairView) paintSide(out *paint.Lines, side, from, y int) {
	_, h := p.sizeOf(side)
	for i := range h {
		p.paintLine(out.Line(y+i), side, from+i)
	}
}

// The first line is the heading.
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
