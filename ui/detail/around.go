package detail

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// An aroundView shows the lines of stderr before and after a row, with how much
// earlier or later each came.
type aroundView struct {
	shown  *workspace.Projection
	row    session.Row
	moment int // number of lines of stderr before the row
	look   termsafe.Options
	w, h   int
	top    int // first line on the screen; the row itself is a line too
	placed bool
	num    []byte
}

func newAround(p *workspace.Projection, s workspace.Selection, look termsafe.Options) *aroundView {
	moment, _ := slices.BinarySearch(p.Index.Stderr, uint32(p.Index.Exchanges.Parent(s.Number)))
	look.TabStop = 8
	return &aroundView{shown: p, row: s.Row, moment: moment, look: look}
}

func (v *aroundView) lines() int { return len(v.shown.Index.Stderr) + 1 }

func (v *aroundView) setSize(w, h int) {
	v.w, v.h = w, h
	if !v.placed && h > 0 {
		v.top, v.placed = v.moment-h/2, true
	}
	v.scroll(0)
}

func (v *aroundView) scroll(n int) { v.top = kit.Between(0, v.top+n, max(v.lines()-v.h, 0)) }

func (v *aroundView) move(action string) bool {
	n, ok := kit.LinesOf(action, v.h)
	v.scroll(n)
	return ok
}

func (v *aroundView) paint(out *paint.Lines, th *paint.Theme) {
	out.Options = v.look
	out.Resize(v.w, v.h)
	for y := range v.h {
		i := v.top + y
		switch {
		case i == v.moment:
			v.paintMoment(out.Line(y), th)
		case i < v.moment:
			v.paintLine(out.Line(y), i, th)
		case i < v.lines():
			v.paintLine(out.Line(y), i-1, th)
		}
	}
}

func (v *aroundView) paintMoment(l *paint.Line, th *paint.Theme) {
	what := v.shown.Source.Method(v.row.Method)
	if what == "" {
		what = filter.EventSource(v.row.Kind)
	}
	rule := paint.Glyph(v.look, "─", "-")
	text := fmt.Sprintf("%s%s %s %s %s ", rule, rule, wording.AppendClock(nil, v.row.T), kit.Direction(v.row.Kind), what)
	l.Text(th.Strong, text)
	l.Text(th.Strong, strings.Repeat(rule, max(l.Room(), 0)))
}

// lineRead is how many bytes of a line are read to show it.
const lineRead = 2048

// offsetWidth is the width of the column of time offsets.
const offsetWidth = 11

func (v *aroundView) paintLine(l *paint.Line, i int, th *paint.Theme) {
	row, ok := v.shown.Rows.At(int(v.shown.Index.Stderr[i]))
	if !ok {
		return
	}
	v.num = appendOffset(v.num[:0], row.T-v.row.T)
	l.Field(th.Dim, v.num, offsetWidth, termsafe.Right)
	l.Text(th.Text, " ")
	e, err := v.shown.Source.Entry(row, lineRead)
	if err != nil {
		l.Text(th.Failed, "(not kept)")
		return
	}
	l.Bytes(th.Text, e.Payload)
}

// appendOffset takes microseconds: +12.3 ms or -4.1 s.
func appendOffset(dst []byte, us int64) []byte {
	sign := byte('+')
	if us < 0 {
		sign, us = '-', -us
	}
	dst = append(dst, sign)
	if us < 10_000_000 {
		return append(wording.AppendMillis(dst, us), " ms"...)
	}
	return fmt.Appendf(dst, "%d s", us/1_000_000)
}
