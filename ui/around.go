package ui

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// An aroundView shows the lines of stderr before and after a row, with how much
// earlier or later each came.
type aroundView struct {
	source session.Source
	index  *rowIndex
	rows   rowReader
	row    session.Row
	moment int // how many lines of stderr came before the row
	look   termsafe.Options
	w, h   int
	top    int // first line on the screen; the row itself is a line too
	placed bool
	num    []byte
}

func newAround(source session.Source, index *rowIndex, s selection, look termsafe.Options) *aroundView {
	moment, _ := slices.BinarySearch(index.stderr, uint32(s.number))
	look.TabStop = 8
	return &aroundView{source: source, index: index, rows: rowReader{source: source}, row: s.row, moment: moment, look: look}
}

// lines are those of stderr, and one for the row.
func (v *aroundView) lines() int { return len(v.index.stderr) + 1 }

func (v *aroundView) setSize(w, h int) {
	v.w, v.h = w, h
	if !v.placed && h > 0 {
		v.top, v.placed = v.moment-h/2, true
	}
	v.scroll(0)
}

func (v *aroundView) scroll(n int) { v.top = between(0, v.top+n, max(v.lines()-v.h, 0)) }

func (v *aroundView) move(action string) bool {
	n, ok := linesOf(action, v.h)
	v.scroll(n)
	return ok
}

func (v *aroundView) paint(out *paint.Lines, th *theme.Theme) {
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

// paintMoment paints the line of the row itself.
func (v *aroundView) paintMoment(l *paint.Line, th *theme.Theme) {
	what := v.source.Method(v.row.Method)
	if what == "" {
		what = v.row.Kind.String()
	}
	text := fmt.Sprintf("-- %s %s %s ", appendClock(nil, v.row.T), direction(v.row.Kind), what)
	l.Text(th.Strong, text)
	l.Text(th.Strong, strings.Repeat("-", max(l.Room(), 0)))
}

// offsetWidth is for how much earlier or later a line came.
const offsetWidth = 11

func (v *aroundView) paintLine(l *paint.Line, i int, th *theme.Theme) {
	row, ok := v.rows.at(int(v.index.stderr[i]))
	if !ok {
		return
	}
	v.num = appendOffset(v.num[:0], row.T-v.row.T)
	l.Field(th.Dim, v.num, offsetWidth, termsafe.Right)
	l.Text(th.Text, " ")
	e, err := v.source.Entry(row, lineRead)
	if err != nil {
		l.Text(th.Error, "(not kept)")
		return
	}
	l.Bytes(th.Stderr, e.Payload)
}

// appendOffset appends how much later something came, in microseconds, as
// +12.3 ms or -4.1 s.
func appendOffset(dst []byte, us int64) []byte {
	sign := byte('+')
	if us < 0 {
		sign, us = '-', -us
	}
	dst = append(dst, sign)
	if us < 10_000_000 {
		return append(appendMillis(dst, us), " ms"...)
	}
	return fmt.Appendf(dst, "%d s", us/1_000_000)
}
