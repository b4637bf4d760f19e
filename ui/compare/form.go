package compare

import (
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

type form uint8

const (
	formByWidth form = iota // side by side on a screen of besideFrom and more
	formBeside
	formUnified
)

// besideFrom is the screen width from which on both sides are next to each other unless
// the user has chosen.
const besideFrom = 120

func (v *view) isUnified(screen *kit.Screen) bool {
	return v.form == formUnified || v.form == formByWidth && screen.Width < besideFrom
}

func (v *view) other(screen *kit.Screen) form {
	if v.isUnified(screen) {
		return formBeside
	}
	return formUnified
}

// - and + for a line of one side only, x for one that differs from that next to it, ~ for
// one that may differ.
func lineMark(th *paint.Theme, differs, loose bool, only rowSide) (string, paint.Style) {
	switch {
	case loose:
		return "~", th.Dim
	case !differs:
		return " ", th.Text
	case only == onlyLeft:
		return "-", th.Failed
	case only == onlyRight:
		return "+", th.Failed
	}
	return "x", th.Failed
}

// Words that differ from the other side look like a match.
func paintValue(th *paint.Theme, l *paint.Line, style paint.Style, text string, changed []textSpan) {
	at := 0
	for _, span := range changed {
		l.Text(style, text[at:span.From])
		l.Begin(th.Match)
		l.Text(style, text[span.From:span.To])
		l.End(th.Match)
		at = span.To
	}
	l.Text(style, text[at:])
}

func changedWords(row *valueRow, side int) []textSpan {
	if row.Mark != markDifferent || row.Only != bothSides {
		return nil
	}
	left, right := differingWords(row.Left, row.Right)
	if side == 1 {
		return right
	}
	return left
}
