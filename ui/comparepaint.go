package ui

import (
	"fmt"
	"strings"

	"mcpdbg/recordings/compare"
	"mcpdbg/session"
	"mcpdbg/ui/beside"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

const (
	// compareBeside is how wide the screen must be for both sides of an exchange
	// to stand beside each other; else one stands over the other.
	compareBeside = 100
	// compareLeft is how wide it must be for the list to stand at their left.
	compareLeft = 170
)

// The blocks of a comparison.
const (
	compareTabs = iota
	compareSaid
	compareA
	compareB
	compareList
)

// paint takes all of the screen between header and footer.
func (v *comparing) paint(a *App) {
	screen := paint.Rect{Y: 1, W: a.width, H: a.height - 2}
	tabs, rest := screen.CutTop(1)
	v.paintTabs(a, v.block(a, compareTabs, tabs).Line(0))
	a.canvas.Draw(tabs, &v.blocks[compareTabs])
	if said := v.lines(a, screen.W-2); len(said) > 0 {
		var r paint.Rect
		r, rest = rest.CutTop(min(len(said), max(rest.H/3, 1)))
		block := v.block(a, compareSaid, r)
		for y := range r.H {
			l := block.Line(y)
			l.PadTo(1)
			l.Text(said[y].style, said[y].text)
		}
		a.canvas.Draw(r, block)
	}
	list, sides := v.divide(rest)
	if !list.Empty() {
		v.paintList(a, list)
	}
	for i, r := range sides {
		if !r.Empty() {
			v.paintSide(a, i, r)
		}
	}
}

// divide finds the places of the list and of both sides. Where there is little
// room, what has the keys has it.
func (v *comparing) divide(r paint.Rect) (list paint.Rect, sides [2]paint.Rect) {
	if v.list != listExchanges || v.c == nil {
		return r, sides
	}
	switch {
	case r.W >= compareLeft:
		list, r = r.CutLeft(r.W * 2 / 5)
	case v.inside && r.H < 28:
	default:
		list, r = r.CutTop(max(r.H*2/5, min(6, r.H)))
	}
	if r.W >= compareBeside || r.H < 8 {
		sides[0], sides[1] = r.CutLeft(r.W / 2)
	} else {
		sides[0], sides[1] = r.CutTop(r.H / 2)
	}
	return list, sides
}

func (v *comparing) block(a *App, which int, r paint.Rect) *paint.Lines {
	block := &v.blocks[which]
	block.Options = a.look()
	block.Resize(r.W, r.H)
	return block
}

func (v *comparing) paintTabs(a *App, l *paint.Line) {
	names := []string{"Exchanges", "Differences", "Equal by type", "Times"}
	if v.c != nil {
		r := v.c.Report
		for i, n := range []int{v.c.Len(), groupCount(r), maskedCount(r), len(r.Timing)} {
			names[i] += " " + paint.Thousands(n)
		}
	}
	for i, name := range names {
		style := a.theme.Dim
		if i == v.list {
			name, style = "["+name+"]", a.theme.FocusTitle
		}
		l.Text(theme.Style{}, " ")
		l.Text(style, name)
	}
	if v.c != nil && v.list == listExchanges && v.only {
		l.Text(a.theme.Warn, "  those that differ")
	}
}

// lines are what there is to say over the list.
func (v *comparing) lines(a *App, width int) (rows []sheetRow) {
	add := func(style theme.Style, text string) { rows = addRows(rows, "", text, style, width) }
	if why := v.closed(); why != "" {
		add(a.theme.Warn, why)
	}
	switch {
	case v.busy != nil:
		add(a.theme.Text, fmt.Sprintf("comparing ... %d %%   %s gives up", v.busy.percent(), a.keyOf(actCompareClose)))
	case v.failure != "":
		add(a.theme.Error, "x "+v.failure)
	case v.c == nil:
		add(a.theme.Dim, "given up; "+a.keyOf(actCompareAgain)+" compares")
	}
	if v.c == nil {
		return rows
	}
	style := a.theme.OK
	if v.c.Report.Differs {
		style = a.theme.Strong
	}
	add(style, v.summary())
	for _, text := range v.said {
		add(a.theme.Text, text)
	}
	if n := len(v.rules.List); n > 0 {
		add(a.theme.Dim, fmt.Sprintf("rules of yours: %d; %s writes them to a file", n, a.keyOf(actCompareAccept)))
	}
	return rows
}

func (v *comparing) paintList(a *App, r paint.Rect) {
	in := r.Inner()
	t := v.tables[v.list]
	t.SetTheme(a.theme)
	t.SetSize(in.W, in.H)
	block := v.block(a, compareList, in)
	t.Paint(block, !v.inside)
	right := "A " + v.names[0] + "   B " + v.names[1]
	a.canvas.Box(r, a.border("Comparison", right, !v.inside), block)
}

// paintSide paints one side of the exchange under the cursor.
func (v *comparing) paintSide(a *App, side int, r paint.Rect) {
	in, b := r.Inner(), &v.beside
	block := v.block(a, compareA+side, in)
	b.fit(in.H)
	switch {
	case b.wrong != "":
		for y, text := range wrap(b.wrong+"; "+a.keyOf(actCompareOpenA)+" and "+a.keyOf(actCompareOpenB)+" open it in its session", max(in.W-2, 1)) {
			if y < in.H {
				l := block.Line(y)
				l.PadTo(1)
				l.Text(a.theme.Warn, text)
			}
		}
	case b.pair < 0 || b.lines() == 0:
	default:
		for y := range min(in.H, b.lines()-b.top) {
			v.paintLine(a, block.Line(y), b.top+y, side)
		}
	}
	left, right := v.sideTitles(side)
	a.canvas.Box(r, a.border(left, right, v.inside), block)
}

// sideTitles say where a side stands.
func (v *comparing) sideTitles(side int) (left, right string) {
	s := v.a
	if side == 1 {
		s = v.b
	}
	left = string(rune('A'+side)) + " " + v.names[side]
	if v.beside.pair < 0 || v.c == nil || v.beside.pair >= v.c.Len() {
		return left, ""
	}
	p := v.c.Pair(v.beside.pair)
	e := p.A
	if side == 1 {
		e = p.B
	}
	if e == nil {
		return left, "not here"
	}
	row := e.Request
	if e.Answered {
		row = e.Answer
	}
	right = position(s.log, row)
	if e.Answered {
		right += "  " + string(appendMillis(nil, e.Took.Microseconds())) + " ms"
	}
	return left, right
}

// position is the number of an entry, and its sequence number if it has one.
func position(source session.Source, row int) string {
	reader := rowReader{source: source}
	r, ok := reader.at(row)
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

// paintLine paints one line of one side.
func (v *comparing) paintLine(a *App, l *paint.Line, line, side int) {
	b := &v.beside
	selected := v.inside && line == b.at
	cursor := " "
	if line == b.at {
		cursor = ">"
	}
	l.Text(a.theme.Key, cursor)
	if line < len(b.noted) {
		v.paintNoted(a, l, &b.noted[line], side, selected)
		return
	}
	row := &b.rows[line-len(b.noted)]
	mark, style := " ", a.theme.Text
	switch row.Mark {
	case beside.Different:
		mark, style = "x", a.theme.Error
	case beside.Loose:
		mark, style = "~", a.theme.Dim
	}
	l.Text(style, mark)
	text := row.Left
	if side == 1 {
		text = row.Right
	}
	if text == "" && !row.Text {
		return
	}
	if row.Type != "" && !v.reveal && row.Left != "" && row.Right != "" {
		text = "<" + row.Type + ">"
	}
	var full paint.Line
	full.Reset(1<<14, a.look())
	full.PadTo(1 + row.Depth*2)
	name := a.theme.Name.If(!selected)
	if row.Name != "" {
		full.Text(name, row.Name+": ")
	}
	value := v.valueStyle(a, row, text).If(!selected)
	full.Text(value, text)
	if selected {
		l.Begin(a.theme.Selected)
	}
	l.Append(&full, b.x)
	if selected {
		l.Fill()
		l.End(a.theme.Selected)
	}
}

// valueStyle is the style of a value: that of its kind where it is equal.
func (v *comparing) valueStyle(a *App, row *beside.Row, text string) theme.Style {
	switch {
	case row.Mark == beside.Different:
		return a.theme.Error
	case row.Mark == beside.Loose:
		return a.theme.Dim
	case strings.HasPrefix(text, `"`):
		return a.theme.String
	}
	return a.theme.Text
}

// paintNoted paints a difference that has no place in the rows.
func (v *comparing) paintNoted(a *App, l *paint.Line, d *compare.Difference, side int, selected bool) {
	mark, style := "x", a.theme.Error
	if !d.Counts {
		mark, style = "~", a.theme.Dim
	}
	l.Text(style, mark+" ")
	s := d.A
	if side == 1 {
		s = d.B
	}
	text := place(d.Class, d.Pointer, d.Change)
	if s != nil && s.Value != "" && d.Class != compare.ClassMissing && d.Class != compare.ClassExtra {
		text += ": " + s.Value
	}
	if selected {
		style = a.theme.Selected
	}
	l.Text(style, text)
}
