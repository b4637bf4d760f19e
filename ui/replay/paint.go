package replay

import (
	"cmp"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session/via"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

const (
	width       = 110
	labelWidth  = 10 // of the fields
	reasonWidth = 36 // of the reason of a message
)

func (v *view) Draw(c host.Context) {
	screen, th := c.Host.Screen(), c.Host.Screen().Theme
	notes := v.notes()
	need := v.fields() + len(notes) + 4
	need += len(v.listed)
	r := screen.Body()
	r = r.Center(min(width, screen.Width), min(need, r.H))
	in := r.Inner()
	c.Block(&v.block, in)
	fields := v.fields()
	y := 0
	next := func() *paint.Line {
		y++
		return v.block.Line(y - 1)
	}
	for i := 0; i < fields && y < in.H; i++ {
		v.paintField(screen, next(), i)
	}
	for _, text := range notes {
		if y < in.H-1 {
			l := next()
			l.PadTo(2)
			l.Text(th.Dim, text)
		}
	}
	if v.failure != "" && y < in.H {
		l := next()
		l.PadTo(1)
		l.Text(th.Failed, "x "+v.failure)
	}
	if y < in.H {
		screen.PaintRule(next())
	}
	v.paintItems(th, y, in.H)
	c.Dialog(Scope, r, "Run again: "+v.of.Title, v.right(), &v.block)
}

func (v *view) right() string {
	switch {
	case v.starting:
		return "starting ..."
	case v.plan == nil && v.failure == "":
		return "reading the recording ..."
	case v.plan == nil:
		return ""
	}
	var counts [fates]int
	for i := range v.listed {
		becomes, _ := v.fate(&v.listed[i])
		counts[becomes]++
	}
	text := wording.Thousands(counts[sent]) + " to send"
	if n := counts[perhaps]; n > 0 {
		text += ", " + wording.Thousands(n) + " if read-only"
	}
	if n := counts[omitted] + counts[impossible]; n > 0 {
		text += ", " + wording.Thousands(n) + " not sent"
	}
	return text
}

func (v *view) notes() (rows []string) {
	add := func(text string) { rows = append(rows, text) }
	add("type to change the command; ctrl+w and " + v.clearKey + " delete")
	place := "on this machine"
	switch where := via.Where(v.header.ExecServer, v.header.Via, v.header.Host); {
	case len(v.header.Via) > 0 && v.header.ExecServer == "":
		place = "in " + where
	case where != "":
		place = "on " + where
	}
	if v.header.Cwd != "" {
		place += ", in " + v.header.Cwd
	}
	add("starts " + place)
	if v.plan == nil {
		return rows
	}
	if n := v.plan.ServerRequests(); n > 0 {
		add(fmt.Sprintf("%d recorded responses to server requests; you answer the others", n))
	}
	if run, of := v.plan.Process(); of > 1 {
		add(fmt.Sprintf("process %d of %d in the recording", run, of))
	}
	return rows
}

func (v *view) paintField(screen *kit.Screen, l *paint.Line, line int) {
	th := screen.Theme
	here := line == v.at
	cursor := "  "
	if here {
		cursor = "> "
	}
	l.Text(th.Accent, cursor)
	kind, value := v.kind(line)
	label := [...]string{"command", "", "calls", "mode", "speed"}[kind]
	if kind == lineValue {
		label = "${" + v.names[value] + "}"
	}
	l.Text(th.Strong.If(here), label)
	l.PadTo(max(labelWidth, l.Cells()+1))
	switch kind {
	case lineCommand:
		v.command.Paint(l, th, screen.ASCII, here)
	case lineValue:
		if len(v.values[value].Text) == 0 {
			empty := "empty: the placeholder stays"
			if value < len(v.env.Named) {
				empty = "empty: value from this environment"
			}
			paintEmpty(th, l, here, empty)
			return
		}
		v.values[value].Paint(l, th, screen.ASCII, here)
	case lineCalls:
		if len(v.calls.Text) > 0 {
			v.calls.Paint(l, th, screen.ASCII, here)
			return
		}
		paintEmpty(th, l, here, "all; type a filter, such as tool:NAME or n:131")
	case lineMode:
		text := map[replayer.Mode]string{
			replayer.Causal: "causal: after the preceding responses",
			replayer.Serial: "serial: one request at a time",
			replayer.Timed:  "timed: at the recorded times",
		}[replayer.Modes()[v.mode]]
		l.Text(th.Text, text)
	case lineSpeed:
		l.Text(th.Text, speedText(speeds[v.speed]))
	}
}

// paintEmpty paints an empty field with a hint.
func paintEmpty(th *paint.Theme, l *paint.Line, here bool, hint string) {
	if here {
		l.Text(th.Caret, " ")
		l.Text(paint.Style{}, " ")
	}
	l.Text(th.Dim, hint)
}

func speedText(x float64) string {
	if x == replayer.MaxSpeed {
		return "max"
	}
	return fmt.Sprintf("%gx", x)
}

func (v *view) paintItems(th *paint.Theme, from, height int) {
	if v.plan == nil || from >= height {
		return
	}
	items, rows := v.listed, height-from
	at := v.at - v.fields()
	v.top = max(min(v.top, max(at, 0), len(items)-rows), at-rows+1, 0)
	for y := range min(rows, len(items)-v.top) {
		v.paintItem(th, v.block.Line(from+y), &items[v.top+y], v.top+y == at)
	}
}

func (v *view) paintItem(th *paint.Theme, l *paint.Line, it *replayer.Item, here bool) {
	becomes, why := v.fate(it)
	style := th.Text
	if becomes > perhaps {
		style = th.Dim
	}
	l.BeginRow(th.Cursor(true).If(here))
	l.PadTo(2)
	l.Text(style, [fates]string{sent: "[x] ", perhaps: "[?] ", omitted: "[ ] ", impossible: "[-] "}[becomes])
	name := cmp.Or(it.Tool, it.Method)
	if it.Kind == replayer.Raw {
		name = strings.TrimSpace("raw bytes " + it.Method + " " + it.Tool)
	} else if number, ok := v.of.Whole.Rows.OfEntry(it.N); ok {
		row, _ := v.of.Whole.Rows.At(number)
		name += "  " + v.said.Of(v.of.Whole.Source, number, row).Text
	}
	width := max(l.Room()-reasonWidth, 8)
	l.Field(style, []byte(name), width, termsafe.Left)
	l.Text(paint.Style{}, " ")
	whyStyle := th.Dim
	if v.switchedOn(it) {
		whyStyle = th.Odd
	}
	l.Text(whyStyle, why)
	l.EndRow()
}
