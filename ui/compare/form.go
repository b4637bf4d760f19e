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

// A half is the part of both messages that is shown.
type half uint8

const (
	bothHalves half = iota
	answers
	requests
)

// members returns the members of a document that are in the half, nil for all.
func (h half) members() []string {
	switch h {
	case answers:
		return []string{"error", "result"}
	case requests:
		return []string{"params"}
	}
	return nil
}

// sideStyle is that of what the other side does not have.
func sideStyle(th *paint.Theme, side int) paint.Style {
	if side == 1 {
		return th.Good
	}
	return th.Failed
}

// - for a line that differs on the left, + on the right, ~ for one that may differ.
func lineMark(th *paint.Theme, differs, loose bool, side int) (string, paint.Style) {
	switch {
	case loose:
		return "~", th.Dim
	case !differs:
		return " ", th.Text
	case side == 1:
		return "+", sideStyle(th, side)
	}
	return "-", sideStyle(th, side)
}

// Words that differ from the other side are underlined; without colours, where the whole
// line is, they are reversed.
func paintValue(th *paint.Theme, l *paint.Line, style paint.Style, text string, changed []textSpan) {
	emphasis := th.Escape
	if th.Profile == paint.NoColor {
		emphasis = th.Match
	}
	at := 0
	for _, span := range changed {
		l.Text(style, text[at:span.From])
		l.Begin(emphasis)
		l.Text(style, text[span.From:span.To])
		l.End(emphasis)
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
