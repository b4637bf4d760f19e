package content

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// A View shows the parts of a message. It belongs to the goroutine of the program;
// make one with New, and close it.
type View struct {
	parts  *Parts
	style  style
	reads  bool // links can be read
	w, h   int
	starts []int // the first line of each part
	total  int   // lines

	cursor, top int
	changed     bool
	graphics    int // their version that was painted last
	verdict     Verdict
	before      Before

	pictures context.Context // ends the decoding of pictures
	close    context.CancelFunc
	decoding bool // a command decodes one
}

// Options are what a View needs of the pane that it is in. All are required.
type Options struct {
	Reads    bool // there is a server to read links from
	Theme    *paint.Theme
	Look     termsafe.Options
	Graphics *kit.Graphics
	Keys     Keys
}

// Keys are the keys of what can be done with a part, as they are shown.
type Keys struct {
	Read, Save, View, Render, Compare string
}

// bodyIndent is the number of cells before the body of a part.
const bodyIndent = 3

// New returns a view of parts.
func New(parts *Parts, o Options) *View {
	v := &View{parts: parts, reads: o.Reads, style: style{o.Theme, o.Look, o.Look.Ellipsis != termsafe.Ellipsis, o.Graphics, o.Keys}}
	v.pictures, v.close = context.WithCancel(context.Background()) // a command of it ends with the view
	return v
}

// Close ends what runs for the view, and takes its pictures from the terminal.
func (v *View) Close() {
	v.close()
	for _, p := range v.parts.list {
		if b, ok := p.shown.(*pictureBody); ok {
			b.drop(v.style)
		}
	}
}

// A Verdict is what is known about the structured content of a result.
type Verdict struct {
	Text string // "" for nothing
	Bad  bool
}

// A Before is what is known about the same call before: its last line, and how to compare
// both. The zero value says nothing.
type Before struct{ Text, Hint string }

// SetBefore shows what is known about the same call before.
func (v *View) SetBefore(to Before) {
	if to != v.before {
		v.before = to
		v.count()
	}
}

// Structured returns the structured content of the message, nil without any.
func (v *View) Structured() []byte {
	if v.parts.structured == nil {
		return nil
	}
	return v.parts.structured.text
}

// SetVerdict shows a verdict on the structured content.
func (v *View) SetVerdict(to Verdict) { v.verdict, v.changed = to, true }

// SetTheme changes the colours.
func (v *View) SetTheme(th *paint.Theme) {
	v.style.theme = th
	v.lay()
}

// SetSize sets the size in cells. The part under the cursor stays.
func (v *View) SetSize(w, h int) {
	if w == v.w && h == v.h {
		return
	}
	at, line := v.at(v.cursor)
	v.w, v.h = w, h
	v.lay()
	if at >= 0 {
		v.moveTo(v.starts[at] + min(line, v.lines(at)-1))
	}
}

// Bodies that have the width already cost nothing.
func (v *View) lay() {
	width := max(v.w-bodyIndent, termsafe.LongestEscape)
	for _, p := range v.parts.list {
		if p.shown != nil {
			p.shown.layout(v.style, width, v.h)
		}
	}
	v.count()
}

// count finds the first line of each part.
func (v *View) count() {
	v.starts, v.total, v.changed = v.starts[:0], 0, true
	for i := range v.parts.list {
		v.starts = append(v.starts, v.total)
		v.total += v.lines(i)
	}
	for _, note := range []string{v.parts.note, v.before.Text} {
		if note != "" {
			v.total++
		}
	}
	v.moveTo(v.cursor)
}

func (v *View) lines(part int) int {
	if b := v.parts.list[part].shown; b != nil {
		return 1 + b.lines()
	}
	return 1
}

// at returns the part that a line is in, -1 for those at the end that are in none, and its
// line there.
func (v *View) at(line int) (part, inner int) {
	part, found := slices.BinarySearch(v.starts, line)
	if !found {
		part--
	}
	if part < 0 || part >= len(v.starts) || line-v.starts[part] >= v.lines(part) {
		return -1, 0
	}
	return part, line - v.starts[part]
}

// Selected returns the part under the cursor, nil without one.
func (v *View) Selected() *Part {
	if part, _ := v.at(v.cursor); part >= 0 {
		return v.parts.list[part]
	}
	return nil
}

func (v *View) moveTo(line int) {
	v.cursor = kit.Between(0, line, max(v.total-1, 0))
	v.top = min(max(v.top, v.cursor-max(v.h, 1)+1), v.cursor)
	v.top = max(min(v.top, v.total-v.h), 0)
}

// Act moves the cursor, or folds a part of a tree; it returns false for other actions.
func (v *View) Act(action string) bool {
	v.changed = true
	if n, ok := kit.LinesOf(action, v.h); ok {
		v.moveTo(v.cursor + n)
		return true
	}
	part, line := v.at(v.cursor)
	if part < 0 {
		return false
	}
	b, ok := v.parts.list[part].shown.(*treeBody)
	if !ok || line == 0 {
		return action == host.ActOpen || action == kit.Left || action == kit.Right
	}
	b.tree.SetCursor(line - 1)
	if action == host.ActOpen {
		b.tree.Toggle()
	} else if !kit.MoveTree(b.tree, action, true) {
		return false
	}
	v.count()
	v.moveTo(v.starts[part] + 1 + b.tree.Cursor())
	return true
}

// Click moves the cursor to a line of the screen.
func (v *View) Click(y int) {
	if y >= 0 && v.top+y < v.total {
		v.moveTo(v.top + y)
		v.changed = true
	}
}

// Changed reports whether the view must be painted again, once for each change.
func (v *View) Changed() bool {
	changed := v.changed || v.graphics != v.style.graphics.Version()
	v.changed, v.graphics = false, v.style.graphics.Version()
	return changed
}

// Paint paints the visible lines.
func (v *View) Paint(out *paint.Lines, focused bool) {
	out.Options = v.style.look
	out.Resize(v.w, v.h)
	for y := range min(v.h, v.total-v.top) {
		l, line := out.Line(y), v.top+y
		part, inner := v.at(line)
		l.BeginRow(v.style.theme.Cursor(focused).If(line == v.cursor))
		if part >= 0 && inner > 0 { // a picture keeps its colours
			if _, colored := v.parts.list[part].shown.(*pictureBody); colored {
				l.Leave()
			}
		}
		v.paintLine(l, y, part, inner)
		l.EndRow()
	}
}

func (v *View) paintLine(l *paint.Line, y, part, line int) {
	switch {
	case part < 0 && v.before.Text != "" && v.top+y == v.total-1:
		l.Text(v.style.theme.Strong, "before")
		l.Text(paint.Style{}, "     "+v.before.Text+"    ")
		l.Text(v.style.theme.Accent, v.style.keys.Compare)
		l.Text(v.style.theme.Dim, " "+v.before.Hint)
	case part < 0:
		l.Text(v.style.theme.Odd, v.parts.note)
	case line == 0:
		v.paintHead(l, v.parts.list[part])
	default:
		l.PadTo(bodyIndent)
		v.parts.list[part].shown.paint(v.style, l, line-1)
	}
}

func (v *View) paintHead(l *paint.Line, p *Part) {
	th := v.style.theme
	if p.failed {
		mark := "✗ "
		if v.style.ascii {
			mark = "x "
		}
		l.Text(th.Failed, mark+p.label+"  "+p.facts)
		return
	}
	if p.number > 0 {
		l.Text(th.Accent, strconv.Itoa(p.number)+" ")
	}
	l.Text(th.Strong, p.label)
	l.Text(th.Dim, "  "+p.facts)
	if v.parts.structured == p && v.verdict.Text != "" {
		style := th.Dim
		if v.verdict.Bad {
			style = th.Failed
		}
		l.Text(style, "   "+v.verdict.Text)
	}
	if hints := v.hints(p); len(hints) > 0 {
		l.Text(th.Dim, "   "+strings.Join(hints, v.style.dot()))
	}
}

func (v *View) hints(p *Part) (hints []string) {
	keys := v.style.keys
	if p.Link != "" && v.reads {
		hints = append(hints, keys.Read+" reads it")
	}
	if p.long && p.form == plainForm {
		hints = append(hints, keys.Render+" lays the Markdown out")
	}
	if b, ok := p.shown.(*pictureBody); ok && b.blocks(v.style) {
		hints = append(hints, "half blocks")
	}
	if p.data != "" {
		hints = append(hints, keys.Save+" save as")
	}
	if p.viewed != "" {
		hints = append(hints, keys.View+" open in a viewer")
	}
	return hints
}
