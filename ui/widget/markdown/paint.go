package markdown

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

const codeIndent = 2

type glyphs struct {
	bullet, quote, rule              string
	top, middle, bottom              [3]string // the left, inner and right corners of a table
	vertical, horizontal, underlined string
}

func glyphsOf(ascii bool) glyphs {
	if ascii {
		corners := [3]string{"+", "+", "+"}
		return glyphs{"*", "|", "-", corners, corners, corners, "|", "-", "-"}
	}
	return glyphs{"•", "│", "─", [3]string{"┌", "┬", "┐"}, [3]string{"├", "┼", "┤"}, [3]string{"└", "┴", "┘"}, "│", "─", "─"}
}

// Paint paints line i, with ASCII glyphs if ascii is set.
func (d *Document) Paint(l *paint.Line, i int, th *paint.Theme, ascii bool) {
	at := d.lines[i]
	if at.block == blank {
		d.paintBetween(l, i, th, glyphsOf(ascii))
		return
	}
	b, g := &d.blocks[at.block], glyphsOf(ascii)
	p := painter{l, th, g}
	p.levels(b.levels, at.first)
	switch b.kind {
	case rule:
		p.repeat(th.Dim, g.rule, d.room(b))
	case grid:
		b.table.paint(p, int(at.row))
	case program:
		l.PadTo(l.Cells() + codeIndent)
		p.rich(b.rich, at.from, at.to)
	default:
		p.rich(b.rich, at.from, at.to)
	}
}

// paintBetween paints the quotes around two blocks on the line between them.
func (d *Document) paintBetween(l *paint.Line, i int, th *paint.Theme, g glyphs) {
	if i == 0 || i+1 >= len(d.lines) || d.lines[i-1].block == blank || d.lines[i+1].block == blank {
		return
	}
	above, below := d.blocks[d.lines[i-1].block].levels, d.blocks[d.lines[i+1].block].levels
	x := 0
	for n := range min(len(above), len(below)) {
		if above[n].quote && below[n].quote {
			l.PadTo(x)
			l.Text(th.Dim, g.quote)
		}
		x += above[n].width
	}
}

type painter struct {
	l  *paint.Line
	th *paint.Theme
	g  glyphs
}

func (p painter) put(s paint.Style, text string) { p.l.Text(s, text) }

func (p painter) repeat(s paint.Style, glyph string, n int) {
	for range min(n, p.l.Room()) {
		p.put(s, glyph)
	}
}

func (p painter) levels(levels []level, first bool) {
	for _, level := range levels {
		end := p.l.Cells() + level.width
		switch {
		case level.quote:
			p.put(p.th.Dim, p.g.quote)
		case level.first && first && level.mark == "-":
			p.put(p.th.Accent, p.g.bullet)
		case level.first && first:
			p.put(p.th.Accent, level.mark)
		}
		p.l.PadTo(end)
	}
}

func (p painter) rich(r rich, from, to int) {
	begin := 0
	for _, run := range r.runs[runAt(r.runs, from):] {
		start, end := max(begin, from), min(run.end, to)
		if start >= to {
			return
		}
		if start < end {
			p.put(styleOf(p.th, run.look), r.text[start:end])
		}
		begin = run.end
	}
}

func styleOf(th *paint.Theme, l look) paint.Style {
	var s paint.Style
	for _, known := range []struct {
		look  look
		style paint.Style
	}{
		{strong, th.Strong}, {emphasis, th.Emphasis}, {code, th.Literal}, {link, th.Resource}, {address | source | comment | mark, th.Dim},
		{keyword, th.Literal}, {literal, th.String}, {number, th.Number}, {name, th.Name},
	} {
		if l&known.look != 0 {
			s = paint.Style{On: s.On + known.style.On, Off: known.style.Off + s.Off}
		}
	}
	return s
}

func width(text string) int { return termsafe.Width(text) }
