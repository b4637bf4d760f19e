package compare

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

const (
	// besideWidth is the smallest screen width at which both sides of an
	// exchange are next to each other, if they are not unified; on a narrower
	// screen one is above the other.
	besideWidth = 100
	// leftWidth is the smallest width at which the list is on their left.
	leftWidth = 170
)

const (
	blockTabs = iota
	blockLines
	blockA
	blockB
	blockList
)

func (v *view) Scope() string { return Scope }

func (v *view) Update(host.Context, tea.Msg) tea.Cmd { return nil }

func (v *view) Draw(c host.Context) {
	if v.calls != nil {
		v.drawCalls(c)
		return
	}
	screen := c.Host.Screen()
	tabs, rest := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}.CutTop(1)
	v.paintTabs(screen.Theme, v.block(screen, blockTabs, tabs).Line(0))
	screen.Canvas.Draw(tabs, &v.blocks[blockTabs])
	if lines := v.lines(c, screen.Width-2); len(lines) > 0 {
		var r paint.Rect
		r, rest = rest.CutTop(min(len(lines), max(rest.H/3, 1)))
		block := v.block(screen, blockLines, r)
		for y := range r.H {
			l := block.Line(y)
			l.PadTo(1)
			l.Text(lines[y].Style, lines[y].Text)
		}
		screen.Canvas.Draw(r, block)
	}
	if unified := v.isUnified(screen); unified != v.beside.unified {
		v.beside.arrange(unified)
	}
	list, sides := v.divide(rest)
	if !list.Empty() {
		v.paintList(screen, list)
	}
	for i, r := range sides {
		if !r.Empty() {
			v.paintSide(c, i, r, list.Empty())
		}
	}
	screen.Canvas.Join()
}

// divide places the list and both sides. On a small screen the focused part
// gets all the room.
func (v *view) divide(r paint.Rect) (list paint.Rect, sides [2]paint.Rect) {
	if v.list != listExchanges || v.result == nil {
		return r, sides
	}
	switch {
	case r.W >= leftWidth:
		list, r = r.CutLeft(r.W * 2 / 5)
	case v.inside && r.H < 28:
	default:
		list, r = r.CutTop(max(r.H*2/5, min(6, r.H)))
	}
	if v.beside.unified {
		sides[0] = r
		return list, sides
	}
	if r.W >= besideWidth || r.H < 8 {
		sides[0], sides[1] = r.CutLeft(r.W / 2)
	} else {
		sides[0], sides[1] = r.CutTop(r.H / 2)
	}
	return list, sides
}

func (v *view) block(screen *kit.Screen, which int, r paint.Rect) *paint.Lines {
	block := &v.blocks[which]
	block.Options = screen.Look()
	block.Resize(r.W, r.H)
	return block
}

func (v *view) paintTabs(th *paint.Theme, l *paint.Line) {
	names := []string{"Exchanges", "Differences", "Equal by type", "Times"}
	if v.result != nil {
		r := v.result.Report
		for i, n := range []int{v.result.Len(), groupCount(r), maskedCount(r), len(r.Timing)} {
			names[i] += " " + wording.Thousands(n)
		}
	}
	for i, name := range names {
		style := th.Dim
		if i == v.list {
			name, style = "["+name+"]", th.FocusTitle
		}
		l.Text(paint.Style{}, " ")
		l.Text(style, name)
	}
	if v.result != nil && v.list == listExchanges && v.only {
		l.Text(th.Odd, "  only differences")
	}
}

func (v *view) lines(c host.Context, width int) (rows []kit.Row) {
	th := c.Host.Screen().Theme
	add := func(style paint.Style, text string) { rows = kit.AddRows(rows, "", text, style, width) }
	if why := v.closed(); why != "" {
		add(th.Odd, why)
	}
	switch {
	case v.busy != nil:
		add(th.Text, fmt.Sprintf("comparing ... %d %%   %s cancels", v.busy.percent(), c.Host.Key(actClose)))
	case v.failure != "":
		add(th.Failed, "x "+v.failure)
	case v.result == nil:
		add(th.Dim, "cancelled; "+c.Host.Key(actAgain)+" compares again")
	}
	if v.result == nil {
		return rows
	}
	switch {
	case v.calls != nil:
	case v.result.Report.Differs:
		add(th.Strong, v.summary())
	default:
		add(th.Good, v.summary())
	}
	for _, text := range v.extra {
		add(th.Text, text)
	}
	if n := len(v.rules.List); n > 0 {
		add(th.Dim, fmt.Sprintf("your rules: %d; %s writes them to a file", n, c.Host.Key(actAccept)))
	}
	return rows
}

func (v *view) paintList(screen *kit.Screen, r paint.Rect) {
	in := r.Body()
	t := v.tables[v.list]
	t.SetTheme(screen.Theme)
	t.SetSize(in.W, in.H)
	block := v.block(screen, blockList, in)
	t.Paint(block, !v.inside)
	right := "A " + v.names[0] + "   B " + v.names[1]
	screen.Canvas.Pane(r, screen.Border("Comparison", right, !v.inside), block)
}

// paintSide paints one side of the exchange under the cursor, or both if they are
// unified. named adds the names of the sessions to the title, for a screen without the
// list, whose title has them.
func (v *view) paintSide(c host.Context, side int, r paint.Rect, named bool) {
	screen, in, b := c.Host.Screen(), r.Body(), &v.beside
	block := v.block(screen, blockA+side, in)
	b.fit(in.H)
	switch {
	case b.failure != "":
		for y, row := range tooLong(c, b.failure, nil, max(in.W-2, 1)) {
			if y < in.H {
				l := block.Line(y)
				l.PadTo(1)
				l.Text(row.Style, row.Text)
			}
		}
	case b.pair < 0 || b.lines() == 0:
	default:
		for y := range min(in.H, b.lines()-b.top) {
			v.paintLine(screen, block.Line(y), b.top+y, side)
		}
	}
	left, right := v.sideTitle(side, named)
	if b.unified {
		other, otherRight := v.sideTitle(1, named)
		left, right = "- "+left+"   + "+other, right+"   "+otherRight
	}
	screen.Canvas.Pane(r, screen.Border(left, right, v.inside), block)
}

// tooLong appends why the messages are not shown.
func tooLong(c host.Context, why string, rows []kit.Row, width int) []kit.Row {
	text := why + "; " + c.Host.Key(actOpenA) + " and " + c.Host.Key(actOpenB) + " open the call in its session"
	return kit.AddRows(rows, "", text, c.Host.Screen().Theme.Odd, width)
}

func (v *view) sideTitle(side int, named bool) (left, right string) {
	ws := v.a
	if side == 1 {
		ws = v.b
	}
	letter := string(rune('A' + side))
	if left = letter; named {
		left += " " + v.names[side]
	}
	if v.beside.pair < 0 || v.result == nil || v.beside.pair >= v.result.Len() {
		return left, ""
	}
	p := v.result.Pair(v.beside.pair)
	e := p.A
	if side == 1 {
		e = p.B
	}
	if e == nil {
		return left, "not in " + letter
	}
	row := e.Request
	if e.Answered {
		row = e.Response
	}
	right = position(ws.Log, row)
	if v.beside.unified {
		right = letter + " " + right
	}
	if e.Answered {
		right += "  " + string(wording.AppendMillis(nil, e.Took.Microseconds())) + " ms"
	}
	return left, right
}

// position formats the number of an entry, with its sequence number if it has
// one.
func position(source session.Source, row int) string {
	reader := workspace.Rows{Source: source}
	r, ok := reader.At(row)
	if !ok {
		return ""
	}
	e, err := source.Entry(r, 1)
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("n %d", e.N)
	if e.Seq > 0 {
		text += fmt.Sprintf(" seq %d", e.Seq)
	}
	return text
}

func (v *view) paintLine(screen *kit.Screen, l *paint.Line, line, side int) {
	b := &v.beside
	l.BeginRow(screen.Theme.Cursor(v.inside).If(line == b.at))
	defer l.EndRow()
	at := b.order[line]
	row, ok := b.row(at.n)
	if at.side == onlyRight {
		side = 1
	}
	if !ok {
		v.paintUnplaced(screen.Theme, l, at.n, side)
		return
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

// Values that are equal by type only are the type, unless they are revealed.
func (v *view) valueText(row *valueRow, side int) (text string, changed []textSpan) {
	text = row.Left
	if side == 1 {
		text = row.Right
	}
	switch {
	case row.Type == "" || row.Only != bothSides:
	case !v.reveal:
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

func (v *view) paintUnplaced(th *paint.Theme, l *paint.Line, n, side int) {
	d, of := &v.beside.unplaced[n], side
	if only := v.beside.sides(n); only != bothSides {
		of = int(only - onlyLeft)
	}
	mark, style := lineMark(th, true, !d.Counts, of)
	l.Text(style, mark+" ")
	s := d.A
	if side == 1 {
		s = d.B
	}
	text := placeText(d.Class, d.Pointer, d.Change)
	if s != nil && s.Value != "" && d.Class != diff.ClassMissing && d.Class != diff.ClassExtra {
		text += ": " + s.Value
	}
	l.Text(style, text)
}
