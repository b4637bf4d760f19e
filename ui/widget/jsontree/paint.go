package jsontree

import (
	"strconv"
	"unicode/utf8"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

const gutter = 1

// textMark precedes the text of a string.
const textMark = "| "

// maxBytesPerCell limits the bytes of one cell, a character with its marks; more of a
// text need not be read.
const maxBytesPerCell = 20

// Paint paints the visible lines into out.
func (t *Tree) Paint(out *paint.Lines, focused bool) {
	out.Options = t.options
	out.Resize(t.width, t.height)
	for y := 0; y < t.height && t.top+y < len(t.lines); y++ {
		row, i := out.Line(y), t.top+y
		row.BeginRow(t.theme.Cursor(focused).If(i == t.cursor))
		t.paintLine(row, i, t.width-gutter, t.scrollX)
		row.EndRow()
	}
}

// indent does not indent lines beyond half the width, so that they stay visible.
func (t *Tree) indent(depth int32) int {
	return min(2*int(depth), max(t.width/2, 8))
}

// painter paints one line.
type painter struct {
	t *Tree
	l *paint.Line
}

func (p *painter) put(s paint.Style, text string) { p.l.Text(s, text) }

func (p *painter) line(i int) {
	l, th := &p.t.lines[i], p.t.theme
	p.l.PadTo(p.t.indent(l.depth))
	switch l.kind {
	case errorLine:
		p.put(th.Failed, "x "+l.err.Error())
	case moreLine:
		p.put(th.Dim, "  "+p.t.options.Ellipsis+p.t.rest(i))
	case closeLine:
		p.put(paint.Style{}, "  "+string(closer(p.t.doc[l.off])))
	case textLine:
		if !p.t.asText {
			p.put(th.Dim, textMark)
		}
		p.text(th.String.If(!p.t.asText), l.off, p.textEnd(l))
	case valueLine:
		p.put(paint.Style{}, p.t.foldMark(l))
		p.key(l)
		p.value(l)
	}
}

// textEnd returns where the text of a line ends, without a blank after the last word that
// has no cell.
func (p *painter) textEnd(l *line) int {
	used, _ := termsafe.Fit(p.t.doc[l.off:l.end], p.l.Room(), p.t.options)
	if l.off+used == l.end-1 && p.t.doc[l.end-1] == ' ' {
		return l.end - 1
	}
	return l.end
}

func (t *Tree) rest(i int) string {
	g := t.lines[i].gap
	switch {
	case g.in != '{' && g.in != '[':
		return " " + formatSize(g.textEnd()-g.pos) + " more"
	case g.skipping:
		return " rest not read yet" // there may be none
	}
	all := t.lines[t.lines.parent(i)].count
	end := all
	if g.stop > 0 { // the member after the gap is shown again
		end = t.lines[i+1].index
	}
	if all == unknown || end <= g.index {
		return " more"
	}
	return " " + wording.Thousands(end-g.index) + " more of " + wording.Thousands(all)
}

func (t *Tree) foldMark(l *line) string {
	switch {
	case l.unfolded:
		return "v "
	case t.canUnfold(l):
		return "> "
	}
	return "  "
}

func (p *painter) key(l *line) {
	if l.keyEnd == 0 {
		if l.depth > 0 {
			p.put(p.t.theme.Dim, strconv.Itoa(l.index)+": ")
		}
		return
	}
	off, end := l.keyOff, l.keyEnd
	if isWord(p.t.doc[off+1 : end-1]) {
		off, end = off+1, end-1
	}
	p.text(p.t.theme.Name, off, end)
	p.put(paint.Style{}, ": ")
}

func isWord(key []byte) bool {
	const longest = 64
	if len(key) == 0 || len(key) > longest {
		return false
	}
	for _, c := range key {
		if !isDigit(c) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && c != '-' && c != '$' && c != '/' && c != '.' {
			return false
		}
	}
	return true
}

func (p *painter) value(l *line) {
	th := p.t.theme
	switch c := p.t.doc[l.off]; {
	case c == '"':
		p.str(l)
	case c == '{' || c == '[':
		p.container(l, c)
	case c == '-' || isDigit(c):
		p.text(th.Number, l.off, l.end)
	default:
		p.text(th.Literal, l.off, l.end)
	}
}

// sizedFrom is the bytes from which a folded container shows its size.
const sizedFrom = 1024

func (p *painter) container(l *line, open byte) {
	switch {
	case l.unfolded:
		p.put(paint.Style{}, string(open))
	case l.count == 0:
		p.put(paint.Style{}, string(open)+string(closer(open)))
	default:
		p.folded(l, open)
	}
}

// folded paints a preview of a container, or without room for one the number of its
// members.
func (p *painter) folded(l *line, open byte) {
	size := ""
	if n := l.end - l.off; l.end != unknown && n >= sizedFrom {
		size = " (" + formatSize(n) + ")"
	}
	switch v := p.t.preview(l, p.l.Room()-len(size)); {
	case len(v.items) > 0:
		p.preview(v.text(p.t.doc, open))
	case l.count == unknown:
		p.put(paint.Style{}, string(open)+" "+p.t.options.Ellipsis+" "+string(closer(open)))
	default:
		p.put(paint.Style{}, string(open)+" "+strconv.Itoa(l.count)+" "+string(closer(open)))
	}
	if size != "" {
		p.put(p.t.theme.Dim, size)
	}
}

// str paints as much of a string as fits, and its length if it is cut.
func (p *painter) str(l *line) {
	th := p.t.theme
	end := l.end
	if end == unknown {
		end = len(p.t.doc)
	}
	token := p.t.doc[l.off:min(end, l.off+p.l.Room()*maxBytesPerCell+1)]
	if used, _ := termsafe.Fit(token, p.l.Room(), p.t.options); l.end != unknown && l.off+used == l.end && !l.unfolded {
		p.text(th.String, l.off, l.end)
		return
	}
	rest := p.t.options.Ellipsis + `"`
	if l.end != unknown {
		rest += " (" + formatSize(l.end-l.off-2) + ")"
	}
	used := 1
	if !l.unfolded {
		used, _ = termsafe.Fit(token, p.l.Room()-termsafe.Width(rest), p.t.options)
	}
	p.text(th.String, l.off, l.off+used)
	p.put(th.Dim, rest)
}

func (p *painter) text(s paint.Style, off, end int) {
	end = min(end, off+(p.l.Room()+termsafe.LongestEscape)*maxBytesPerCell)
	for off < end {
		from, to, mark := p.nextMark(off, end)
		p.l.Bytes(s, p.t.doc[off:from])
		p.l.Bytes(mark, p.t.doc[from:to])
		off = to
	}
}

// nextMark returns the first part of [off, end) to highlight and its style, or an empty
// part at end.
func (p *painter) nextMark(off, end int) (from, to int, s paint.Style) {
	from, to = end, end
	if q := p.t.query; q != "" {
		if i := newMatcher(q).first(p.t.doc[off:end]); i >= 0 {
			from, to, s = off+i, off+i+len(q), p.t.theme.Match
		}
	}
	if e := p.t.err; e != nil && off <= e.Offset && e.Offset < from {
		_, size := utf8.DecodeRune(p.t.doc[e.Offset:end])
		from, to, s = e.Offset, e.Offset+size, p.t.theme.Failed
	}
	return from, to, s
}

// formatSize formats bytes as the panes do: 188, 1.1K, 18.2M.
func formatSize(n int) string {
	for _, unit := range []struct {
		size int
		name string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n >= unit.size {
			return strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 1, 64) + unit.name
		}
	}
	return strconv.Itoa(n)
}

// PaintLine paints line i alone, for a view with more lines around the tree.
func (t *Tree) PaintLine(l *paint.Line, i int) {
	if i >= 0 && i < len(t.lines) {
		t.paintLine(l, i, l.Room(), 0)
	}
}

// paintLine paints the cells of line i from a column on, as many as width.
func (t *Tree) paintLine(l *paint.Line, i, width, from int) {
	t.content.Reset(width+from, t.options)
	t.content.PartOf(l)
	(&painter{t, &t.content}).line(i)
	l.Append(&t.content, from)
}
