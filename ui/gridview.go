package ui

import (
	"cmp"
	"fmt"
	"strings"

	"mcpdbg/ui/grid"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// How the grid divides the screen, in lines.
const (
	gridAbout     = 8  // for the target under the cursor, at most,
	gridSpare     = 16 // unless the list leaves room for more
	gridLeast     = 12 // inside the frame, for it to have any
	gridSaid      = 3  // about the whole run, at most
	gridLeastTall = 16 // the screen, for the causes to have a line
	gridLabels    = 12 // cells for the labels of facts
)

// paint takes all of the screen but the footer.
func (g *gridScreen) paint(a *App) {
	screen := paint.Rect{W: a.width, H: a.height - 1}
	g.grid.SetTheme(a.theme)
	said := g.saidLines(screen.W - 2)
	head := 2
	if a.height >= gridLeastTall {
		head = 3 + len(said)
	}
	top, box := screen.CutTop(head)
	g.paintTop(a, top, said)
	g.paintBox(a, box)
}

// paintTop paints what is to be said of the whole run.
func (g *gridScreen) paintTop(a *App, r paint.Rect, said []string) {
	block := &g.top
	block.Options = a.look()
	block.Resize(r.W, r.H)
	paintHeader(block.Line(0), g.headerParts(a), a.theme)
	g.grid.PaintTotals(block.Line(1))
	if r.H > 2 {
		g.grid.PaintCauses(block.Line(2))
	}
	for i := 3; i < r.H; i++ {
		l := block.Line(i)
		l.PadTo(1)
		l.Text(a.theme.Text, said[i-3])
	}
	a.canvas.Draw(r, block)
}

// headerParts are the pieces of the first line: what is run, and how that goes.
func (g *gridScreen) headerParts(a *App) []part {
	const badge = "SMOKE"
	state, style := g.state(a.theme)
	room := max(a.width-len(badge)-len(state)-6, 0) // with what stands between
	return []part{
		{text: badge, style: a.theme.Strong, priority: must},
		{text: state, style: style, priority: must},
		{text: termsafe.Truncate(g.run.Title, room, a.look().Ellipsis), style: a.theme.Text, priority: 92},
	}
}

// state says how the run goes.
func (g *gridScreen) state(th *theme.Theme) (string, theme.Style) {
	t := g.grid.Totals()
	switch {
	case !t.Over && t.Active()+t.Waiting == 0:
		return "writing reports ...", th.Warn
	case !t.Over && g.stopping:
		return fmt.Sprintf("ending %s ...", howMany(t.Active(), "session")), th.Warn
	case !t.Over:
		return "running", th.Warn
	case t.Failed > 0:
		return "done: FAILED", th.Error
	case t.Cancelled > 0:
		return "done: CANCELLED", th.Error
	}
	return "done: ok", th.OK
}

// howMany is a count of things, the word for one of which is given.
func howMany(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return paint.Thousands(n) + " " + what + "s"
}

// saidLines are what there is to know of a run that is over, as many of them on a
// line as fit.
func (g *gridScreen) saidLines(width int) []string {
	t := g.grid.Totals()
	if !t.Over {
		return nil
	}
	const gap = "   "
	var lines []string
	for _, f := range t.Said {
		text := f.Label + " " + f.Text
		if f.Bad {
			text = "x " + text
		}
		last := len(lines) - 1
		if last >= 0 && termsafe.Width(lines[last]+gap+text) <= width {
			lines[last] += gap + text
		} else {
			lines = append(lines, text)
		}
	}
	return lines[:min(len(lines), gridSaid)]
}

// paintBox paints the list, and below a rule what is known of the target under
// the cursor.
func (g *gridScreen) paintBox(a *App, r paint.Rect) {
	in := r.Inner()
	rows := 0
	if in.H >= gridLeast {
		part := 4
		if g.over() {
			part = 3 // why targets failed matters more than the list now
		}
		rows = max(min(gridAbout, in.H/part+1), min(gridSpare, in.H-g.grid.Len()-1))
	}
	below, list := in.CutBottom(rows)
	g.grid.SetSize(list.W, list.H)
	g.grid.Paint(&g.list, a.ask == nil && a.top() == g)
	left, right := g.titles(a)
	a.canvas.Box(r, a.border(left, right, true), &paint.Lines{})
	a.canvas.Draw(list, &g.list)
	if rows > 0 {
		g.paintAbout(a, below)
	}
}

// titles stand in the border of the list.
func (g *gridScreen) titles(a *App) (left, right string) {
	all, listed := g.grid.Totals(), g.grid.Len()
	left = "Targets " + paint.Thousands(all.All())
	if g.grid.Only() || g.grid.Filter() != "" {
		left = fmt.Sprintf("Targets %s of %s", paint.Thousands(listed), paint.Thousands(all.All()))
	}
	if g.grid.Only() {
		left += "  failed only"
	}
	if text := g.grid.Filter(); text != "" {
		left += "  filter " + termsafe.Truncate(text, max(a.width/4, 8), a.look().Ellipsis)
	}
	if g.opening != "" {
		return left, "opening " + g.opening + " ..."
	}
	if s := g.grid.Sort(); s != grid.AsGiven {
		right = s.String() + "  "
	}
	return left, right + g.grid.Status()
}

// paintAbout paints what is known of the target under the cursor.
func (g *gridScreen) paintAbout(a *App, r paint.Rect) {
	block := &g.about
	block.Options = a.look()
	block.Resize(r.W, r.H)
	a.paintRule(block.Line(0))
	rows := g.aboutRows(a, r.W-gridLabels-1, true)
	if len(rows) > r.H-1 {
		rows = g.aboutRows(a, r.W-gridLabels-1, false)
	}
	for i, row := range rows {
		if i == r.H-2 && len(rows) > r.H-1 {
			block.Line(i+1).Text(a.theme.Dim, fmt.Sprintf("  ... %s; enter opens the recording", howMany(len(rows)-i, "more line")))
			break
		}
		a.paintSheetRow(block.Line(i+1), row, gridLabels)
	}
	a.canvas.Draw(r, block)
}

// aboutRows are what is known of the target under the cursor: first what its line
// says, in full. Without its name, which the list has too, more of that is seen
// where there is little room.
func (g *gridScreen) aboutRows(a *App, width int, named bool) []sheetRow {
	target, row, ok := g.picked()
	if !ok {
		return nil
	}
	var facts []grid.Fact
	if named {
		facts = append(facts, grid.Fact{Label: "target", Text: nameOf(row)})
	}
	facts = append(facts, stateOf(&row))
	facts = append(facts, g.run.Source.About(target)...)
	facts = append(facts, grid.Fact{Label: "recording", Text: row.Recording})
	var rows []sheetRow
	for _, f := range facts {
		style := a.theme.Text
		if f.Bad {
			style = a.theme.Error
		}
		label := f.Label
		for line := range strings.Lines(brief(f.Text, maxAbout)) {
			rows = addRows(rows, label, strings.TrimRight(line, "\r\n"), style, width)
			label = ""
		}
	}
	return rows
}

// stateOf says what has become of a target, or where it is.
func stateOf(row *grid.Row) grid.Fact {
	f := grid.Fact{Label: cmp.Or(row.Cause, row.State.String()), Text: row.Message, Bad: row.State == grid.Failed}
	switch {
	case f.Text != "":
	case row.State == grid.Waiting:
		f.Text = "for its turn"
	case row.State != grid.Running:
	case row.FailedIn != "":
		f.Text = row.Phase + ", because it failed in " + row.FailedIn
	case row.Waits():
		f.Label, f.Text = grid.Waiting.String(), fmt.Sprintf("for its turn, %.1fs", row.InPhase.Seconds())
	default:
		f.Text = fmt.Sprintf("%s for %.1fs", row.Phase, row.InPhase.Seconds())
	}
	return f
}

// maxAbout is how many bytes of a fact are looked at: what does not fit on the
// screen is in the recording.
const maxAbout = 4 << 10
