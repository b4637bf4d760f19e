package form

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// A panel shows what is known about the row under the cursor, below the rows.
type panel struct{ f *Form }

func panelHeight(height int) int {
	const least, most = 6, 6 // minimum rows of a form with a panel, maximum rows of the panel
	if height < least {
		return 0
	}
	return min(most, height/3)
}

// paint paints the type of the row under the cursor, its problem, options and
// description.
func (p *panel) paint(out *paint.Lines, from int) {
	_, h := out.Size()
	if from >= h || len(p.f.rows) == 0 {
		return
	}
	p.paintHead(out.Line(from))
	y := from + 1
	for _, line := range p.about(h - y) {
		if y < h {
			l := out.Line(y)
			l.PadTo(1)
			line(l)
			y++
		}
	}
}

// paintHead paints the line above the panel: the field and its type, and a summary of the
// form.
func (p *panel) paintHead(l *paint.Line) {
	th := p.f.theme
	var head strings.Builder
	if fl := p.f.current().field; fl != nil {
		head.WriteString(short(strings.TrimPrefix(fl.path(), "/")) + ": " + short(fl.spec.hint))
		if fl.required {
			head.WriteString(", required")
		}
		switch {
		case fl.extra:
			head.WriteString(", not in the schema")
		case fl.state == absent:
			head.WriteString(", absent")
		case fl.state == null:
			head.WriteString(", null")
		case fl.asJSON:
			head.WriteString(", as JSON")
		}
	}
	l.Begin(th.Dim)
	right := p.summary()
	l.PadTo(1)
	l.Field(paint.Style{}, []byte(head.String()), max(l.Room()-termsafe.Width(right)-1, 0), termsafe.Left)
	l.Text(paint.Style{}, right)
	l.End(th.Dim)
}

func (p *panel) summary() string {
	text := fmt.Sprintf(" %d of %d", min(p.f.cursor+1, len(p.f.rows)), len(p.f.rows))
	found := p.f.found()
	if n := len(found.all); n > 0 && p.f.showMissing {
		return fmt.Sprintf(" x %s, row%s", wording.Plural(n, "problem"), text)
	}
	if found.err != nil {
		return " not checked, row" + text
	}
	return text
}

// about returns at most n lines to paint, the most important first.
func (p *panel) about(n int) []func(*paint.Line) {
	th, r := p.f.theme, p.f.current()
	var out []func(*paint.Line)
	add := func(s paint.Style, text string, lines int) {
		for _, line := range wrap(text, p.f.width-2, min(lines, n-len(out)), p.f.text.Ellipsis) {
			out = append(out, func(l *paint.Line) { l.Text(s, line) })
		}
	}
	if r.field == nil {
		return nil
	}
	problem := p.f.problem(r.field)
	if problem == "" {
		problem = p.f.problem(p.f.root)
	}
	if problem != "" {
		add(th.Failed, "x "+problem, 2)
	}
	if err := p.f.found().err; err != nil {
		add(th.Odd, "cannot check: "+err.Error(), 1)
	}
	for _, pattern := range p.unmatched(r.field) {
		add(th.Odd, "cannot check the pattern "+pattern, 1)
	}
	if labels, at := p.optionsFor(r.field); len(labels) > 0 && len(out) < n {
		out = append(out, func(l *paint.Line) { p.paintStrip(l, labels, at) })
	}
	if title := r.field.spec.title; title != "" && title != p.f.label(row{r.field, noOption}) {
		add(th.Strong, title, 1)
	}
	add(th.Text, r.field.spec.description, n)
	return out
}

func (p *panel) unmatched(fl *field) []string {
	if fl.spec.pattern == "" {
		return nil
	}
	for _, pattern := range p.f.check.Unchecked() {
		if pattern == fl.spec.pattern {
			return []string{pattern}
		}
	}
	return nil
}

func (p *panel) optionsFor(fl *field) (labels []string, at int) {
	at = -1
	if fl.typed() {
		for i, text := range p.f.suggestions[fl.path()] {
			labels = append(labels, text)
			if text == fl.text {
				at = i
			}
		}
		return labels, at
	}
	if fl.is() == kindChoice {
		for _, o := range fl.spec.options {
			labels = append(labels, o.label)
		}
		return labels, fl.choice
	}
	return nil, at
}

func (p *panel) paintStrip(l *paint.Line, labels []string, at int) {
	th := p.f.theme
	l.Text(th.Dim, fmt.Sprintf("%d/%d ", at+1, len(labels)))
	from, room := max(at, 0), l.Room()-4
	for from > 0 {
		room -= termsafe.Width(short(labels[from])) + 2
		if room < termsafe.Width(short(labels[from-1]))+2 {
			break
		}
		from--
	}
	if from > 0 {
		l.Text(th.Dim, p.f.text.Ellipsis)
	}
	for i := from; i < len(labels) && l.Room() > 0; i++ {
		if i == at {
			l.Text(th.Accent, "["+short(labels[i])+"]")
		} else {
			l.Text(th.Text, " "+short(labels[i])+" ")
		}
	}
}

// wrap breaks text into at most n rows of at most width cells, at blanks where possible.
// The rows are not yet safe to print.
func wrap(text string, width, n int, ellipsis string) []string {
	width = max(width, termsafe.LongestEscape)
	var rows []string
	for text != "" && len(rows) < n {
		line, rest, _ := strings.Cut(text, "\n")
		fits, _ := termsafe.Fit([]byte(line[:min(len(line), width*maxBytesPerCell)]), width, termsafe.Options{})
		if fits < len(line) {
			if blank := strings.LastIndexByte(line[:fits], ' '); blank > 0 {
				fits = blank
			}
			fits = max(fits, 1) // always make progress
			rest = strings.TrimLeft(text[fits:], " ")
		}
		if len(rows) == n-1 && strings.TrimSpace(rest) != "" {
			used, _ := termsafe.Fit([]byte(line[:fits]), width-termsafe.Width(ellipsis), termsafe.Options{})
			return append(rows, line[:used]+ellipsis)
		}
		if row := strings.TrimRight(line[:fits], " \r\t"); row != "" {
			rows = append(rows, row)
		}
		text = rest
	}
	return rows
}
