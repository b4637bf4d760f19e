package form

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// A panel shows what is known about the row under the cursor, below the rows.
type panel struct{ f *Form }

// panelHeight returns the rows of the panel: what the rows of the form leave, or else a
// third; more for a text of several lines.
func (f *Form) panelHeight() int {
	const most = 6
	n := f.height - len(f.rows)
	if f.height >= most {
		n = max(n, f.height/3)
	}
	switch fl := f.typing(); {
	case fl != nil && f.write(fl) == inArea && f.height > 4:
		return min(max(n, f.writing.area.LineCount()+3), f.height*2/3)
	case n < 2 || f.options.Brief && !f.explained:
		return 0
	}
	return min(most, n)
}

// Height returns how many rows the form needs.
func (f *Form) Height() int {
	const panel = 4
	switch fl := f.typing(); {
	case len(f.rows) == 0:
		return 0
	case fl != nil && f.write(fl) == inArea:
		return len(f.rows) + panel + min(f.writing.area.LineCount(), 2*panel)
	case f.options.Brief && !f.explained:
		return len(f.rows)
	}
	return len(f.rows) + panel
}

// paint paints what the row under the cursor must be, its description and options, and
// what is wrong.
func (p *panel) paint(out *paint.Lines, from, h int) {
	w := p.f.width
	fl := p.f.current().field
	if from >= h || fl == nil {
		return
	}
	out.Line(from).Rule(p.f.options.Theme.Rule, paint.Glyph(p.f.options.Text, "─", "-"))
	below := p.below(fl, h-from-2)
	room := h - from - 1 - len(below)
	area := &p.f.writing.area
	lines := p.f.write(fl) == inArea && fl.typed()
	if lines {
		room = 1
	}
	y, at := from+1, ""
	if len(p.f.rows) > p.f.visible() {
		at = fmt.Sprintf("  %d of %d ", p.f.cursor+1, len(p.f.rows))
	}
	for _, line := range p.f.wrap(p.about(fl), w-2-len(at), room) {
		l := out.Line(y)
		l.PadTo(1)
		l.Text(p.f.options.Theme.Text, line)
		l.PadTo(w - len(at))
		l.Text(p.f.options.Theme.Dim, at)
		y, at = y+1, ""
	}
	if lines {
		rows := h - y - len(below)
		area.SetWidth(max(w-4, 1))
		area.SetHeight(max(rows, 1))
		PaintArea(out, area, y, rows)
		y += rows
	}
	for i, line := range below[:min(len(below), max(h-y, 0))] {
		l := out.Line(y + i)
		l.PadTo(1)
		line(l)
	}
}

// about returns what a field must be, and its description.
func (p *panel) about(fl *field) string {
	text := short(strings.TrimPrefix(fl.path(), "/")) + ": " + short(fl.spec.hint)
	switch {
	case fl.extra:
		text += ", not in the schema"
	case fl.asJSON && fl.spec.kind != kindJSON:
		text += ", as JSON"
	}
	for _, more := range []string{fl.spec.title, fl.spec.description} {
		if more != "" && more != p.f.label(row{fl, noOption}) {
			text += ". " + strings.TrimSuffix(more, ".")
		}
	}
	return text + "."
}

// below returns at most n lines below the description: the options, where the text can be
// edited, and what is wrong.
func (p *panel) below(fl *field, n int) []func(*paint.Line) {
	th := p.f.options.Theme
	var out []func(*paint.Line)
	add := func(s paint.Style, text string) {
		for _, line := range p.f.wrap(text, p.f.width-2, 2) {
			out = append(out, func(l *paint.Line) { l.Text(s, line) })
		}
	}
	want, have := p.f.problem(fl)
	if want == "" {
		want, have = p.f.problem(p.f.root)
	}
	if want != "" {
		text := p.f.cross() + want
		if have != "" {
			text += " (you have " + have + ")"
		}
		if p.f.options.Anyway != "" && !missing(fl, want) {
			text += paint.Glyph(p.f.options.Text, " · ", " * ") + p.f.options.Anyway
		}
		add(th.Failed, text)
	}
	if err := p.f.found().err; err != nil {
		add(th.Odd, "cannot check: "+err.Error())
	}
	if schema, err := p.f.compiled(); err == nil && fl.spec.pattern != "" && slices.Contains(schema.Unchecked(), fl.spec.pattern) {
		add(th.Odd, "cannot check the pattern "+fl.spec.pattern)
	}
	if fl.typed() && p.f.write(fl) == inEditor {
		add(th.Odd, "This text is edited only in your editor: it is long, or has characters that do not show.")
	}
	if all := p.f.suggestions[fl.path()]; fl.typed() && len(all) > 0 {
		out = append(out, func(l *paint.Line) { p.paintStrip(l, all, slices.Index(all, fl.text)) })
	}
	return out[:min(len(out), max(n, 0))]
}

// paintStrip paints the suggestions, from the one that is taken on.
func (p *panel) paintStrip(l *paint.Line, all []string, at int) {
	th := p.f.options.Theme
	l.Text(th.Dim, fmt.Sprintf("%d/%d ", at+1, len(all)))
	for i := max(at, 0); i < len(all) && l.Room() > 0; i++ {
		if i == at {
			l.Text(th.Accent, "["+short(all[i])+"]")
		} else {
			l.Text(th.Text, " "+short(all[i])+" ")
		}
	}
}

// wrap breaks text into at most n rows of at most width cells.
func (f *Form) wrap(text string, width, n int) []string {
	width = max(width, termsafe.LongestEscape)
	rows := termsafe.Wrap(strings.ReplaceAll(wording.Cut(text, width*maxBytesPerCell*(n+1)), "\n", " "), width)
	if len(rows) > max(n, 0) {
		if rows = rows[:max(n, 0)]; n > 0 {
			rows[n-1] = termsafe.Truncate(rows[n-1]+" "+strings.Repeat(".", width), width, f.options.Text.Ellipsis)
		}
	}
	return rows
}
