package home

import (
	"fmt"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// The widths of the columns of a row, in cells, and the width of the list from which
// on a column is there. The name has most of what they leave, the verdict the rest.
const (
	kindWidth     = 10
	kindFrom      = 100
	agoWidth      = 11
	dateWidth     = 16
	dateFrom      = 140
	sizeWidth     = 8
	sizeFrom      = 120
	messagesWidth = 14
	messagesFrom  = 72
	whereWidth    = 18
	minName       = 20
	maxName       = 60
)

type row struct {
	th    *paint.Theme
	line  *paint.Line
	width int // of the list
	now   time.Time
}

func (v *View) paintItem(screen *kit.Screen, l *paint.Line, m kit.Pick, width int) {
	this := v.item(m.Item)
	item := &this
	r := row{th: screen.Theme, line: l, width: width, now: time.Now()}
	mark, style := " ", r.th.Text
	if item.Blocked != "" {
		mark, style = "x", r.th.Failed
	}
	l.Text(style, mark+" ")
	r.name(item)
	if width >= kindFrom {
		r.field(r.th.Dim, kindOf(item), kindWidth, termsafe.Left)
	}
	if item.Kind == host.RecordingItem {
		r.recording(item, v.age(r.now, m.Item))
		return
	}
	r.other(item)
}

func kindOf(item *host.Item) string {
	if item.Tap {
		return "tap"
	}
	return item.Kind.String()
}

func (r row) field(s paint.Style, text string, width int, align termsafe.Align) {
	r.line.Field(s, []byte(text), width, align)
	r.line.Text(paint.Style{}, " ")
}

func (r row) name(item *host.Item) {
	fixed := agoWidth + 3
	for _, column := range []struct{ from, width int }{{kindFrom, kindWidth}, {dateFrom, dateWidth}, {sizeFrom, sizeWidth}, {messagesFrom, messagesWidth}} {
		if r.width >= column.from {
			fixed += column.width + 1
		}
	}
	room := r.line.Room()
	width := min(max((room-fixed)*3/5, minName), maxName, room)
	from := r.line.Cells()
	r.line.Field(r.th.Text, []byte(item.Name), width, termsafe.Left)
	r.line.PadTo(from + width + 1)
}

func (r row) recording(item *host.Item, age string) {
	if r.width >= dateFrom {
		r.field(r.th.Dim, item.When.Format("2006-01-02 15:04"), dateWidth, termsafe.Left)
	}
	r.field(r.th.Text, age, agoWidth, termsafe.Right)
	if r.width >= sizeFrom {
		size := ""
		if item.Size > 0 {
			size = wording.Size(item.Size)
		}
		r.field(r.th.Dim, size, sizeWidth, termsafe.Right)
	}
	if r.width >= messagesFrom {
		r.field(r.th.Dim, messages(item), messagesWidth, termsafe.Right)
	}
	r.line.Text(paint.Style{}, " ")
	r.verdict(item)
}

// "" if not known.
func messages(item *host.Item) string {
	if !item.Counted {
		return ""
	}
	return wording.Counted(int(min(item.Sent+item.Received, 1<<31)), "message")
}

// "" for none
func errorCount(item *host.Item) string {
	if item.Errors == 0 {
		return ""
	}
	return wording.Counted(int(min(item.Errors, 1<<31)), "error")
}

func (r row) verdict(item *host.Item) {
	parts := []struct {
		style paint.Style
		text  string
	}{{r.th.Strong, ""}, {r.th.Failed, errorCount(item)}, {r.th.Odd, item.Verdict}}
	switch {
	case item.Live:
		parts[0].text, parts[2].text = "LIVE", item.State
	case item.Verdict == host.VerdictOK:
		parts[2].style = r.th.Good
	}
	between := ""
	for _, part := range parts {
		if part.text != "" {
			r.line.Text(r.th.Dim, between)
			r.line.Text(part.style, part.text)
			between = "  "
		}
	}
}

func (r row) other(item *host.Item) {
	if r.width < kindFrom {
		r.field(r.th.Dim, item.Kind.String(), agoWidth, termsafe.Right)
		r.line.Text(paint.Style{}, " ")
	}
	if item.Blocked != "" {
		r.line.Text(r.th.Odd, item.Blocked)
		return
	}
	if item.Kind != host.CommandItem && r.line.Room() > whereWidth*2 {
		r.field(r.th.Text, item.Where, whereWidth, termsafe.Left)
	}
	r.line.Text(r.th.Dim, item.From)
}

// age returns how old a recording is. If the recording before or after it has the same
// name and age, it is the time of its start; if that is the same too, its short name.
func (v *View) age(now time.Time, item int) string {
	items := v.found.Items
	this := &items[item]
	age := wording.Ago(now, this.When)
	for _, n := range []int{item - 1, item + 1} {
		switch {
		case n < 0 || n >= len(items) || items[n].Kind != host.RecordingItem || items[n].Name != this.Name:
		case wording.Ago(now, items[n].When) != wording.Ago(now, this.When):
		case clock(now, items[n].When) == clock(now, this.When) && this.Short != "":
			return this.Short
		default:
			age = clock(now, this.When)
		}
	}
	return age
}

func clock(now, then time.Time) string {
	if now.Sub(then) < 24*time.Hour {
		return then.Format("15:04:05")
	}
	return then.Format("01-02 15:04")
}

func recorded(now time.Time, item *host.Item) string {
	text := fmt.Sprintf("%s, %s", item.When.Format("2006-01-02 15:04:05"), wording.Ago(now, item.When))
	if item.Long > 0 {
		text += fmt.Sprintf(", %s long", wording.Time(item.Long))
	}
	if item.Size > 0 {
		text += ", " + wording.Size(item.Size)
	}
	if item.Live {
		text += ", being recorded"
	}
	return text
}

// "" if the messages were not counted.
func exchanged(item *host.Item) string {
	if !item.Counted {
		return ""
	}
	text := fmt.Sprintf("%d sent, %d received", item.Sent, item.Received)
	if n := errorCount(item); n != "" {
		text += ", " + n
	}
	return text
}
