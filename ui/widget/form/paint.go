package form

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// maxLabel is the maximum width of the labels in cells.
	maxLabel = 36
	// valueCells is the width of the values, if there is room.
	valueCells = 24
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

func (f *Form) visible() int { return f.height - f.panelHeight() }

// Paint paints the visible rows into a block from a row on, and below them the details of
// the row under the cursor, which is marked if it has the focus.
func (f *Form) Paint(out *paint.Lines, from int, focused bool) {
	h := f.visible()
	if len(f.rows) == 0 && h > 0 {
		out.Line(from).Text(f.options.Theme.Dim, "   nothing to fill in")
	}
	for y := 0; y < h && f.top+y < len(f.rows); y++ {
		p := painter{f: f, l: out.Line(from + y), row: f.rows[f.top+y], current: focused && f.top+y == f.cursor}
		p.paint()
	}
	below := panel{f}
	below.paint(out, from+h, from+f.height)
}

type painter struct {
	f       *Form
	l       *paint.Line
	row     row
	current bool
}

func (p *painter) put(s paint.Style, text string) { p.l.Text(s, text) }

// margin returns the cells before a label: the cursor, and a mark if a row has one.
func (p *painter) margin() int {
	if p.f.folds {
		return 5
	}
	return 3
}

// valueFrom returns the cell where the values begin.
func (p *painter) valueFrom() int {
	return p.margin() + min(p.f.labels+3, max(p.f.width*2/5, 10), maxLabel)
}

func (p *painter) paint() {
	fl, th := p.row.field, p.f.options.Theme
	p.l.PadTo(1)
	p.put(th.Accent.If(p.current), map[bool]string{true: ">", false: " "}[p.current])
	if p.l.PadTo(3); fl.foldable() && p.row.option == noOption {
		p.put(th.Dim, map[bool]string{true: "+", false: "-"}[fl.folded])
	}
	p.label()
	if p.row.option != noOption {
		return
	}
	from := p.valueFrom()
	p.l.PadTo(from)
	note, style := p.note(fl)
	end := from + min(valueCells, (p.f.width-from)*3/5)
	if p.value(fl, end-from, style == th.Failed); p.l.Cells() < end {
		p.l.PadTo(end)
		p.put(style, note)
	}
}

// note returns what is at the right of a value: what would be right, or else what it must be.
func (p *painter) note(fl *field) (string, paint.Style) {
	th, cross := p.f.options.Theme, p.f.cross()
	want, _ := p.f.problem(fl)
	switch {
	case want != "" && !missing(fl, want):
		return cross + short(want), th.Failed
	case fl.folded && p.f.found().below[fl] > 0:
		return cross + "see the fields in it", th.Failed
	case fl.extra:
		return "not in the schema", th.Dim
	case fl.is() == kindList && p.f.options.Adds != "":
		return short(fl.spec.hint) + "   " + p.f.options.Adds, th.Dim
	case fl.parent != nil && fl.parent.is() == kindList && p.f.options.Removes != "":
		return short(fl.spec.hint) + "   " + p.f.options.Removes, th.Dim
	case fl.chosen() && p.current:
		return short(fl.spec.hint) + "   space next", th.Dim
	}
	return short(fl.spec.hint), th.Dim
}

// missing reports whether a problem is only that a required field is not sent.
func missing(fl *field, want string) bool { return fl.state == absent && want == "required" }

func (p *painter) label() {
	th, fl := p.f.options.Theme, p.row.field
	p.l.PadTo(p.margin() + p.f.indent(p.row))
	text := short(p.f.label(p.row))
	if p.row.option != noOption {
		p.put(th.Strong, check(fl.holds(p.row.option)))
		p.name(th.Text, text, p.l.Room())
		p.optionValue()
		return
	}
	room := p.valueFrom() - 1 - p.l.Cells()
	if fl.starred() {
		p.name(th.Name, text, room-2)
		p.put(th.Odd, " *")
		return
	}
	p.name(th.Name, text, room)
}

// starred reports whether a field is marked as required: a member, not an item of a list.
func (fl *field) starred() bool { return fl.required && fl.parent != nil && fl.parent.is() != kindList }

// name paints the name of a field or an option, with the look of the cursor.
func (p *painter) name(s paint.Style, text string, room int) {
	p.l.Enter(p.f.options.Theme.Cursor(true).If(p.current))
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
		p.put(p.f.options.Theme.Dim, "  (not an option)")
		return
	}
	p.meaning(fl.spec.options[i])
}

func (p *painter) meaning(o option) {
	if text := optionText(o.value); text != o.label {
		p.put(p.f.options.Theme.Dim, "  = "+short(text))
	}
}

func check(on bool) string {
	if on {
		return "[x] "
	}
	return "[ ] "
}

// value paints a value. One that is wrong leaves room for what would be right.
func (p *painter) value(fl *field, cells int, wrong bool) {
	th := p.f.options.Theme
	switch {
	case p.current && fl.typed():
		p.edited(fl, cells)
	case fl.state == absent:
		p.put(p.absent(fl))
	case fl.state == null:
		p.put(th.Literal, "null")
	case fl.typed():
		text := quoted(fl)
		if wrong && termsafe.Width(short(text)) >= cells {
			p.l.Field(styleOf(fl, th), []byte(short(text)), cells-1, termsafe.Left)
			return
		}
		p.text(styleOf(fl, th), text)
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
		p.put(th.Dim, wording.Plural(fl.present(), "member"))
	}
}

func (p *painter) absent(fl *field) (paint.Style, string) {
	if want, _ := p.f.problem(fl); missing(fl, want) {
		return p.f.options.Theme.Failed, p.f.cross() + want
	}
	return p.f.options.Theme.Dim, "not sent"
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

// edited paints a text around its cursor. A default is selected as a whole: the next
// character replaces it.
func (p *painter) edited(fl *field, cells int) {
	th := p.f.options.Theme
	switch in := p.f.write(fl); {
	case in == inArea:
		p.put(th.Dim, wording.Plural(p.f.writing.area.LineCount(), "line")+", below")
	case in == inEditor:
		p.text(styleOf(fl, th), quoted(fl))
	case fl.preset && fl.text != "":
		p.text(th.Caret, fl.text)
	case fl.state != given:
		style, text := p.absent(fl)
		if fl.state == null {
			style, text = th.Literal, "null"
		}
		_, first := utf8.DecodeRuneInString(text)
		p.put(th.Caret, text[:first])
		p.put(style, text[first:])
	default:
		if termsafe.Width(fl.text) >= cells {
			cells = p.l.Room()
		}
		PaintInput(p.l, &p.f.writing.line, cells-1)
	}
}

// cross is the mark of what is wrong.
func (f *Form) cross() string { return paint.Glyph(f.options.Text, "✗ ", "E ") }
