package grid

import (
	"fmt"
	"slices"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
)

const mostBar = 40

type count struct {
	text  string
	style paint.Style
	spare int // where space is short, the highest is dropped first; 0 is never dropped
}

// PaintTotals paints the progress of the run into one line: counts, time,
// progress bar.
func (g *Grid) PaintTotals(l *paint.Line) {
	t, th := &g.totals, g.theme
	var counts []count
	add := func(n int, what string, style paint.Style, spare int) {
		if n > 0 {
			counts = append(counts, count{wording.Thousands(n) + " " + what, style, spare})
		}
	}
	add(t.All(), "targets", th.Strong, 2)
	add(t.Passed, Passed.String(), th.Good, 0)
	add(t.Unsure, Unsure.String(), th.Odd, 0)
	add(t.Failed, "failed", th.Failed, 0)
	add(t.Tolerated, Tolerated.String(), th.Odd, 0)
	add(t.Skipped, Skipped.String(), th.Dim, 1)
	add(t.Cancelled, "cancelled", th.Odd, 1)
	add(t.Connecting, "connecting", th.Text, 4)
	add(t.Running, "running", th.Text, 0)
	add(t.Waiting, "waiting", th.Dim, 3)
	counts = append(counts, count{text: clock(t.Took), style: th.Text})
	for i, c := range fit(counts, l.Room()-1) {
		l.PadTo(l.Cells() + min(i+1, 2))
		l.Text(c.style, c.text)
	}
	g.paintProgress(l)
}

// fit drops counts until the rest fit in width cells, separated by two blanks.
func fit(counts []count, width int) []count {
	for {
		used, spare := -2, -1
		for i, c := range counts {
			used += 2 + len(c.text)
			if c.spare > 0 && (spare < 0 || c.spare > counts[spare].spare) {
				spare = i
			}
		}
		if used <= width || spare < 0 {
			return counts
		}
		counts = slices.Delete(counts, spare, spare+1)
	}
}

func (g *Grid) paintProgress(l *paint.Line) {
	t := &g.totals
	if t.All() == 0 {
		return
	}
	percent := fmt.Sprintf(" %d %%", t.Done()*100/t.All())
	width := min(l.Room()-2-len(" 100 %")-1, mostBar)
	const least = 8
	l.Text(paint.Style{}, "  ")
	if width >= least {
		done := t.Done() * width / t.All()
		for i := range width {
			if i < done {
				l.Text(g.theme.Good, g.glyphs.bar)
			} else {
				l.Text(g.theme.Dim, g.glyphs.rest)
			}
		}
	}
	if l.Room() >= len(percent) {
		l.Text(g.theme.Text, percent)
	}
}

// PaintCauses paints the number of failures by cause into one line.
func (g *Grid) PaintCauses(l *paint.Line) {
	l.PadTo(1)
	if len(g.totals.Causes) == 0 {
		l.Text(g.theme.Dim, "no failures")
		if !g.totals.Over {
			l.Text(g.theme.Dim, " so far")
		}
		return
	}
	l.Text(g.theme.Dim, "causes:")
	for _, c := range g.totals.Causes {
		l.Text(paint.Style{}, "  ")
		l.Text(g.theme.Text, c.Name+" ")
		l.Text(g.theme.Strong, wording.Thousands(c.N))
	}
}
