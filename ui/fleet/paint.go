package fleet

import (
	"cmp"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// The sizes of the parts of the screen, in lines.
const (
	maxFacts   = 8  // maximum for the target under the cursor,
	spareFacts = 16 // maximum if the list leaves room
	minInside  = 12 // minimum inside the frame for it to have any
	maxSummary = 3  // maximum for the whole run
	minHeight  = 16 // minimum height of the screen for a line of causes
	labelWidth = 12 // cells for the labels of facts
)

// Draw fills the screen except the footer.
func (v *View) Draw(c host.Context) {
	screen := c.Host.Screen()
	all := paint.Rect{W: screen.Width, H: screen.Height - 1}
	v.Grid.SetTheme(screen.Theme)
	lines := v.summary(all.W - 2)
	head := 2
	if screen.Height >= minHeight {
		head = 3 + len(lines)
	}
	top, box := all.CutTop(head)
	v.paintTop(screen, top, lines)
	v.paintBox(c, box)
}

func (v *View) paintTop(screen *kit.Screen, r paint.Rect, lines []string) {
	block := &v.top
	block.Options = screen.Look()
	block.Resize(r.W, r.H)
	kit.PaintParts(block.Line(0), v.headerParts(screen))
	v.Grid.PaintTotals(block.Line(1))
	if r.H > 2 {
		v.Grid.PaintCauses(block.Line(2))
	}
	for i := 3; i < r.H; i++ {
		l := block.Line(i)
		l.PadTo(1)
		l.Text(screen.Theme.Text, lines[i-3])
	}
	screen.Canvas.Draw(r, block)
}

func (v *View) headerParts(screen *kit.Screen) []kit.Part {
	const badge = "SMOKE"
	state, style := v.state(screen.Theme)
	room := max(screen.Width-len(badge)-len(state)-6, 0) // and the gaps between them
	return []kit.Part{
		{Text: badge, Style: screen.Theme.Strong, Priority: kit.Must},
		{Text: state, Style: style, Priority: kit.Must},
		{Text: termsafe.Truncate(v.Run.Title, room, screen.Look().Ellipsis), Style: screen.Theme.Text, Priority: 92},
	}
}

func (v *View) state(th *paint.Theme) (string, paint.Style) {
	t := v.Grid.Totals()
	switch {
	case !t.Over && t.Active()+t.Waiting == 0:
		return "writing reports ...", th.Odd
	case !t.Over && v.stopping:
		return fmt.Sprintf("stopping %s ...", wording.Counted(t.Active(), "session")), th.Odd
	case !t.Over:
		return "running", th.Accent
	case !t.OK && t.Failed == 0 && t.Cancelled > 0:
		return "done: CANCELLED", th.Failed
	case !t.OK:
		return "done: FAILED", th.Failed
	case t.Failed > 0:
		return fmt.Sprintf("done: ok, %d not counted", t.Failed), th.Odd
	case t.Unsure > 0:
		return "done: " + grid.Unsure.String(), th.Odd
	}
	return "done: ok", th.Good
}

// summary returns the summary of a finished run, with as many facts on a line
// as fit.
func (v *View) summary(width int) []string {
	t := v.Grid.Totals()
	if !t.Over {
		return nil
	}
	const gap = "   "
	var lines []string
	for _, f := range t.Facts {
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
	return lines[:min(len(lines), maxSummary)]
}

func (v *View) paintBox(c host.Context, r paint.Rect) {
	screen := c.Host.Screen()
	in := r.Body()
	rows := 0
	if in.H >= minInside {
		part := 4
		if v.Over() {
			part = 3 // the causes of failures matter more than the list now
		}
		rows = max(min(maxFacts, in.H/part+1), min(spareFacts, in.H-v.Grid.Len()-1))
	}
	below, list := in.CutBottom(rows)
	v.Grid.SetSize(list.W, list.H)
	v.Grid.Paint(&v.list, c.View == host.View(v))
	left, right := v.titles(screen)
	v.frame.Resize(in.W, in.H)
	if rows > 0 {
		screen.PaintRule(v.frame.Line(in.H - rows))
	}
	screen.Canvas.Pane(r, screen.Border(left, right, true), &v.frame)
	screen.Canvas.Draw(list, &v.list)
	if rows > 0 {
		_, below = below.CutTop(1)
		v.paintAbout(screen, below)
	}
}

func (v *View) titles(screen *kit.Screen) (left, right string) {
	all, listed := v.Grid.Totals(), v.Grid.Len()
	left = "Targets " + wording.Thousands(all.All())
	if v.Grid.FailedOnly() || v.Grid.Filter() != "" {
		left = fmt.Sprintf("Targets %s of %s", wording.Thousands(listed), wording.Thousands(all.All()))
	}
	if v.Grid.FailedOnly() {
		left += "  failed only"
	}
	if text := v.Grid.Filter(); text != "" {
		left += "  filter " + termsafe.Truncate(text, max(screen.Width/4, 8), screen.Look().Ellipsis)
	}
	if v.opening != "" {
		return left, "opening " + v.opening + " ..."
	}
	if s := v.Grid.Sort(); s != grid.AsGiven {
		right = s.String() + "  "
	}
	return left, strings.TrimRight(right+v.Grid.Status(), " ")
}

func (v *View) paintAbout(screen *kit.Screen, r paint.Rect) {
	block := &v.about
	block.Options = screen.Look()
	block.Resize(r.W, r.H)
	rows := v.aboutRows(screen.Theme, r.W-labelWidth-1, true)
	if len(rows) > r.H {
		rows = v.aboutRows(screen.Theme, r.W-labelWidth-1, false)
	}
	screen.PaintSheet(block, 0, r.H, rows, labelWidth)
	screen.Canvas.Draw(r, block)
}

// aboutRows returns the facts about the target under the cursor, starting with
// the content of its line in full. The name is optional, as the list has it
// too; without it more facts fit on a small screen.
func (v *View) aboutRows(th *paint.Theme, width int, named bool) []kit.Row {
	target, row, ok := v.picked()
	if !ok {
		return nil
	}
	var facts []grid.Fact
	if named {
		facts = append(facts, grid.Fact{Label: "target", Text: nameOf(row)})
	}
	facts = append(facts, stateOf(&row))
	facts = append(facts, v.Run.Source.About(target)...)
	facts = append(facts, grid.Fact{Label: "recording", Text: row.Recording})
	var rows []kit.Row
	for _, f := range facts {
		style := th.Text
		if f.Bad {
			style = th.Failed
		}
		label := f.Label
		for line := range strings.Lines(wording.Clip(f.Text, maxAbout, wording.Dots)) {
			rows = kit.AddRows(rows, label, strings.TrimRight(line, "\r\n"), style, width)
			label = ""
		}
	}
	return rows
}

func stateOf(row *grid.Row) grid.Fact {
	f := grid.Fact{Label: cmp.Or(row.Cause, row.State.String()), Text: row.Message, Bad: row.State == grid.Failed}
	switch {
	case f.Text != "":
	case row.State == grid.Waiting:
		f.Text = "for its turn"
	case row.State != grid.Running:
	case row.FailedIn != "":
		f.Text = row.Phase + ", after failing in " + row.FailedIn
	case row.Idle():
		f.Label, f.Text = grid.Waiting.String(), fmt.Sprintf("for its turn, %.1fs", row.InPhase.Seconds())
	default:
		f.Text = fmt.Sprintf("%s for %.1fs", row.Phase, row.InPhase.Seconds())
	}
	return f
}

// maxAbout is the maximum number of bytes shown of a fact; the recording has
// the rest.
const maxAbout = 4 << 10
