package form

import (
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// margin is the cells before a label: the cursor, two marks and a blank.
	margin = 4
	// maxLabel is the maximum width of the labels in cells.
	maxLabel = 36
	// errorRoom is the minimum number of cells after a value for its problem.
	errorRoom = 12
	// maxBytesPerCell limits the bytes of one cell, a character with its marks; more of a
	// text need not be read.
	maxBytesPerCell = 20
	// longestShown is the maximum number of bytes read of a text for one row.
	longestShown = 1 << 14
)

// SetSize sets the size in cells. Below about 30 by 3 little is visible.
func (f *Form) SetSize(w, h int) {
	f.width, f.height = max(w, 0), max(h, 0)
	f.moveTo(f.cursor)
}

func (f *Form) visible() int { return f.height - panelHeight(f.height) }

// Paint paints the visible rows into out, and below them the details of the row under the
// cursor.
func (f *Form) Paint(out *paint.Lines, focused bool) {
	out.Options = f.text
	out.Resize(f.width, f.height)
	h := f.visible()
	if len(f.rows) == 0 && h > 0 {
		out.Line(0).Text(f.theme.Dim, " nothing to fill in: enter sends it")
	}
	for y := 0; y < h && f.top+y < len(f.rows); y++ {
		p := painter{f: f, l: out.Line(y), row: f.rows[f.top+y], current: f.top+y == f.cursor, focused: focused}
		p.paint()
	}
	below := panel{f}
	below.paint(out, h)
}

type painter struct {
	f                *Form
	l                *paint.Line
	row              row
	current, focused bool
}

func (p *painter) labelWidth() int {
	return min(p.f.labels+4, max(p.f.width*2/5, 12), maxLabel)
}

func (p *painter) put(s paint.Style, text string) { p.l.Text(s, text) }

func (p *painter) paint() {
	fl, th := p.row.field, p.f.theme
	problem := p.f.problem(fl)
	cursor := " "
	if p.current {
		cursor = ">"
	}
	p.put(th.Accent, cursor)
	p.marks(fl, problem)
	p.label()
	if p.row.option != noOption {
		return
	}
	p.l.PadTo(margin + p.labelWidth())
	p.value(fl)
	if problem != "" && p.l.Room() >= errorRoom {
		p.put(th.Failed, "  x "+short(problem))
	}
}

// marks paints the state of a field: required or invalid; absent, null, or not in the
// schema.
func (p *painter) marks(fl *field, problem string) {
	th := p.f.theme
	if p.row.option != noOption {
		p.put(paint.Style{}, "   ")
		return
	}
	switch {
	case problem != "", fl.folded && p.f.below(fl):
		p.put(th.Failed, "x")
	case fl.required && !p.inList(fl):
		p.put(th.Odd, "*")
	default:
		p.put(paint.Style{}, " ")
	}
	switch {
	case fl.state == absent:
		p.put(th.Dim, "- ")
	case fl.state == null:
		p.put(th.Dim, "n ")
	case fl.extra:
		p.put(th.Dim, "? ")
	default:
		p.put(paint.Style{}, "  ")
	}
}

func (p *painter) inList(fl *field) bool { return fl.parent == nil || fl.parent.is() == kindList }

func (p *painter) label() {
	th, fl := p.f.theme, p.row.field
	p.l.PadTo(margin + p.f.indent(p.row))
	end := margin + p.labelWidth() - 1
	text := short(p.f.label(p.row))
	switch {
	case p.row.option != noOption:
		p.put(th.Strong, check(fl.holds(p.row.option)))
		p.name(th.Text, text, p.l.Room())
		p.optionValue()
		return
	case fl.foldable() && fl.folded:
		p.put(paint.Style{}, "> ")
	case fl.foldable():
		p.put(paint.Style{}, "v ")
	}
	p.name(th.Name, text, end-p.l.Cells())
}

// name paints the name of a field or an option, with the look of the cursor.
func (p *painter) name(s paint.Style, text string, room int) {
	p.l.Enter(p.f.theme.Cursor(p.focused).If(p.current))
	if termsafe.Width(text) > room {
		p.l.Field(s, []byte(text), room, termsafe.Left)
	} else {
		p.put(s, text)
	}
	p.l.Leave()
}

// optionValue paints the value of a labelled option, or marks a value that is not an
// option.
func (p *painter) optionValue() {
	fl, i := p.row.field, p.row.option
	if i >= len(fl.spec.options) {
		p.put(p.f.theme.Dim, "  (not an option)")
		return
	}
	p.meaning(fl.spec.options[i])
}

func (p *painter) meaning(o option) {
	if text := optionText(o.value); text != o.label {
		p.put(p.f.theme.Dim, "  = "+short(text))
	}
}

func check(on bool) string {
	if on {
		return "[x] "
	}
	return "[ ] "
}

func (p *painter) value(fl *field) {
	th := p.f.theme
	switch {
	case p.current && p.focused && fl.typed():
		p.edited(fl)
	case fl.state == absent:
		p.put(th.Dim, "("+short(fl.spec.hint)+")")
	case fl.state == null:
		p.put(th.Literal, "null")
	case fl.typed():
		p.text(styleOf(fl, th), quoted(fl))
	case fl.is() == kindBool:
		p.put(th.Literal, check(fl.choice == 1)+fl.spec.options[max(fl.choice, 0)].label)
	case fl.is() == kindChoice && fl.choice >= 0:
		o := fl.spec.options[fl.choice]
		p.put(th.String, short(o.label))
		p.meaning(o)
	case fl.is() == kindSet:
		p.put(th.Dim, fmt.Sprintf("%d of %d  ", len(fl.picked), len(fl.spec.options)))
		p.put(th.String, fl.pickedLabels(p.l.Room()))
	case fl.is() == kindList:
		p.put(th.Dim, wording.Plural(fl.present(), "item"))
	case fl.is() == kindObject:
		p.put(th.Dim, "{ "+strconv.Itoa(fl.present())+" }")
	}
}

func styleOf(fl *field, th *paint.Theme) paint.Style {
	switch fl.is() {
	case kindText:
		return th.String
	case kindInteger, kindNumber:
		return th.Number
	}
	return th.Text
}

// quoted adds quotes to a text with blanks that could be overlooked.
func quoted(fl *field) string {
	text := fl.text[:min(len(fl.text), longestShown)]
	if fl.is() == kindText && (strings.TrimSpace(text) != text || text == "" || text[0] == '"' || text[0] == '(') {
		return `"` + text + `"`
	}
	return text
}

func (p *painter) text(s paint.Style, text string) {
	p.put(s, text[:min(len(text), (p.l.Room()+termsafe.LongestEscape)*maxBytesPerCell)])
}

// pickedLabels returns the labels of the values in a set, as many as could fit.
func (fl *field) pickedLabels(room int) string {
	var out strings.Builder
	for i, v := range fl.picked {
		if out.Len() > room*maxBytesPerCell {
			break
		}
		if i > 0 {
			out.WriteString(", ")
		}
		if o := indexOf(fl.spec.options, v); o >= 0 {
			out.WriteString(fl.spec.options[o].label)
		} else {
			out.WriteString(optionText(v))
		}
	}
	return out.String()
}

func (fl *field) present() int {
	n := 0
	for _, child := range fl.children {
		if child.state != absent {
			n++
		}
	}
	return n
}

// edited paints the part of a text around its cursor. A default is selected as a whole:
// the next character replaces it.
func (p *painter) edited(fl *field) {
	th := p.f.theme
	style := styleOf(fl, th)
	room := p.l.Room() - 2 // the cursor, which may be on a wide character
	from := windowFrom(fl.text, fl.cursor, room-1)
	if from > 0 {
		p.put(th.Dim, p.f.text.Ellipsis)
	}
	if fl.preset && fl.text != "" {
		p.text(th.Caret, fl.text[from:])
		return
	}
	p.put(style, fl.text[from:fl.cursor])
	next := after(fl.text, fl.cursor)
	under := fl.text[fl.cursor:next]
	if under == "" {
		under = " "
	}
	p.put(th.Caret, under)
	p.text(style, fl.text[next:])
	switch fl.state {
	case null:
		p.put(th.Literal, "null")
	case absent:
		p.put(th.Dim, "("+short(fl.spec.hint)+")")
	}
}

// windowFrom returns where the visible part of a text begins, with at most room cells
// before the cursor.
func windowFrom(text string, cursor, room int) int {
	from := cursor
	for from > 0 {
		prev := before(text, from)
		room -= termsafe.Width(text[prev:from])
		if room < 0 {
			break
		}
		from = prev
	}
	return from
}
