package compare

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

const (
	blockLines = iota
	blockList
	blockA
	blockB
	blockCount
)

func (v *view) Scope() string { return Scope }

func (v *view) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// Draw paints the list of a comparison of sessions, and below it the two answers, one next
// to the other or unified; of two calls only these.
func (v *view) Draw(c host.Context) {
	screen := c.Host.Screen()
	v.blocks[blockLines].Options = screen.Look() // for glyph
	if unified := v.isUnified(screen); unified != v.beside.unified {
		v.beside.arrange(unified)
	}
	r := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}
	title, counts := v.lists(), ""
	if v.calls != nil {
		title, counts = v.calls.title(), shown(v.result)
	} else {
		r = v.drawList(c, r)
	}
	if !v.beside.unified && r.H > 1 {
		var right paint.Rect
		r, right = r.CutLeft(r.W / 2)
		v.drawSide(c, right, 1, screen.Border("", counts, v.inside))
		counts = ""
	}
	v.drawSide(c, r, 0, screen.Border(title, counts, v.inside))
	screen.Canvas.Join()
}

// drawList paints the list with its title, and returns the room for the two answers and
// the rule above them, which names all lists. On a low screen they take that of the list while
// they have the focus.
func (v *view) drawList(c host.Context, r paint.Rect) paint.Rect {
	screen := c.Host.Screen()
	rule, r := r.CutTop(1)
	title := "A " + v.names[0] + v.glyph(" · ", ", ") + "B " + v.names[1]
	screen.Canvas.Pane(rule, screen.Border(title, v.tally.String(), !v.inside), &paint.Lines{})
	lines := v.lines(c, r.W-2)
	list, rest := r.CutTop(max(r.H*2/5, min(6, r.H)))
	switch {
	case v.list != listCalls:
		list, rest = r.CutTop(r.H - 1)
	case v.inside && r.H < 28:
		list, rest = r.CutTop(min(len(lines), r.H/3))
	}
	if len(lines) > 0 && !list.Empty() {
		most := max(list.H/2, 1)
		if v.inside && r.H < 28 {
			most = list.H
		}
		var above paint.Rect
		above, list = list.CutTop(min(len(lines), most))
		block := v.block(screen, blockLines, above)
		for y := range above.H {
			l := block.Line(y)
			l.PadTo(1)
			l.Text(lines[y].Style, lines[y].Text)
		}
		screen.Canvas.Draw(above, block)
	}
	t, block := v.tables[v.list], v.block(screen, blockList, list)
	if v.theme != screen.Theme { // a table then paints all its rows
		v.theme = screen.Theme
		for _, t := range v.tables {
			t.SetTheme(v.theme)
		}
	}
	t.SetSize(list.W, list.H)
	t.Paint(block, !v.inside)
	screen.Canvas.Draw(list, block)
	return rest
}

// lists returns the names of the lists, that of the shown one in brackets.
func (v *view) lists() string {
	names := [listCount]string{"calls", "values", "only types", "times"}
	if v.result != nil {
		names[listValues] += " " + wording.Thousands(valueCount(v.result.Report))
		names[listTypes] += " " + wording.Thousands(maskedCount(v.result.Report))
		names[listTimes] += v.tally.slower()
	}
	names[v.list] = "[" + names[v.list] + "]"
	if v.only {
		names[listCalls] += " only differences"
	}
	return names[0] + " " + strings.Join(names[1:], v.glyph(" · ", ", "))
}

func (v *view) block(screen *kit.Screen, which int, r paint.Rect) *paint.Lines {
	block := &v.blocks[which]
	block.Options = screen.Look()
	block.Resize(r.W, r.H)
	return block
}

func (v *view) lines(c host.Context, width int) (rows []kit.Row) {
	th := c.Host.Screen().Theme
	add := func(style paint.Style, text string) { rows = kit.AddRows(rows, "", text, style, width) }
	if why := v.closed(); why != "" {
		add(th.Odd, why)
	}
	switch {
	case v.busy != nil:
		add(th.Text, fmt.Sprintf("comparing ... %d %%   %s cancels", min(v.busy.rows.Load()*100/max(v.busy.of, 1), 100), c.Host.Key(actClose)))
	case v.failure != "":
		add(th.Failed, "x "+v.failure)
	case v.result == nil:
		add(th.Dim, "cancelled; "+c.Host.Key(actAgain)+" compares again")
	}
	if v.result == nil {
		return rows
	}
	if first := v.result.Report.First; v.calls != nil && first != nil && !first.HasValue() {
		add(th.Failed, v.whatDiffers(first))
	}
	for _, text := range v.extra {
		add(th.Text, text)
	}
	if n := len(v.rules.List); n > 0 {
		add(th.Dim, fmt.Sprintf("your rules: %d; %s writes them to a file", n, c.Host.Key(actAccept)))
	}
	return rows
}

// drawSide paints one side below its facts, or both if they are unified.
func (v *view) drawSide(c host.Context, pane paint.Rect, side int, frame paint.Frame) {
	screen, r, y := c.Host.Screen(), pane.Body(), 0
	block := v.block(screen, blockA+side, r)
	add := func(style paint.Style, text string) *paint.Line {
		l := block.Line(y)
		y++
		l.Text(style, " "+text)
		return l
	}
	for i, name := range []string{"A", "B"} {
		if facts := v.facts(i); y < r.H && (v.beside.unified || i == side) {
			add(screen.Theme.Strong, name).Text(screen.Theme.Dim, wording.IfAny("  ", facts))
		}
	}
	var lines []kit.Row
	if v.calls != nil {
		lines = v.lines(c, r.W-2)
	}
	if v.beside.failure != "" {
		why := v.beside.failure + "; " + c.Host.Key(actOpenA) + " and " + c.Host.Key(actOpenB) + " open the call in its session"
		lines = kit.AddRows(lines, "", why, screen.Theme.Odd, r.W-2)
	}
	for i := 0; i < len(lines) && y < r.H; i++ {
		if side == 1 { // the other side has it
			lines[i].Text = ""
		}
		add(lines[i].Style, lines[i].Text)
	}
	v.beside.fit(r.H - y)
	for at := v.beside.top; y < r.H && at < v.beside.lines() && v.beside.failure == ""; at++ {
		v.paintLine(screen, block.Line(y), at, side)
		y++
	}
	screen.Canvas.Pane(pane, frame, block)
}

// facts returns when the call of a side was made, and what its server took.
func (v *view) facts(side int) string {
	if v.calls != nil {
		return v.calls.facts[side]
	}
	if v.result == nil || v.beside.pair < 0 || v.beside.pair >= v.result.Len() {
		return ""
	}
	p := v.result.Pair(v.beside.pair)
	e := [2]*diff.End{p.A, p.B}[side]
	if e == nil {
		return "not in " + string(rune('A'+side))
	}
	row, _ := session.RowAt(v.logs[side], e.Request)
	if !e.Answered {
		return clock(row.T) + "  no answer"
	}
	return clock(row.T) + "  " + took(e)
}

func (v *view) paintLine(screen *kit.Screen, l *paint.Line, line, side int) {
	b := &v.beside
	l.BeginRow(screen.Theme.Cursor(v.inside).If(line == b.at))
	defer l.EndRow()
	at := b.order[line]
	row := &b.rows[at.n]
	if at.side == onlyRight {
		side = 1
	}
	if !b.unified && (row.Only == onlyLeft && side == 1 || row.Only == onlyRight && side == 0) {
		return
	}
	mark, style := lineMark(screen.Theme, row.Mark == markDifferent, row.Mark == markLoose, side)
	l.Text(style, mark)
	var full paint.Line
	full.Reset(1<<14, screen.Look())
	full.PartOf(l)
	full.PadTo(1 + row.Depth*2)
	if row.Name != "" {
		full.Text(screen.Theme.Name, row.Name+": ")
	}
	text, changed := v.valueText(row, side)
	paintValue(screen.Theme, &full, v.valueStyle(screen.Theme, row, side), text, changed)
	l.AppendCut(&full, b.x, l.Room())
}

// Values that are equal by type only are the type, unless that is a guess or they are revealed.
func (v *view) valueText(row *valueRow, side int) (text string, changed []textSpan) {
	text = row.Left
	if side == 1 {
		text = row.Right
	}
	switch {
	case row.Mark != markLoose || row.Only != bothSides:
	case row.Type != "" && !v.reveal:
		return "<" + row.Type + ">", nil
	case v.beside.unified && row.Left != row.Right:
		return row.Left + " -> " + row.Right, nil
	}
	return text, changedWords(row, side)
}

func (v *view) valueStyle(th *paint.Theme, row *valueRow, side int) paint.Style {
	switch row.Mark {
	case markDifferent:
		return sideStyle(th, side)
	case markLoose:
		return th.Dim
	}
	return th.Text
}
