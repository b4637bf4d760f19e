package ui

import (
	"fmt"
	"strings"

	"mcpdbg/recordings/replay"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

const (
	againWidth = 110
	againLabel = 10 // of the fields
	againWhat  = 40 // of a message
)

// paint draws the plan over the panes.
func (g *again) paint(a *App) {
	notes := g.notes()
	need := g.fields() + len(notes) + 4
	if g.plan != nil {
		need += len(g.plan.Items())
	}
	r := a.below()
	r = r.Center(min(againWidth, a.width), min(need, r.H))
	in := r.Inner()
	g.block.Options = a.look()
	g.block.Resize(in.W, in.H)
	fields := g.fields()
	y := 0
	next := func() *paint.Line {
		y++
		return g.block.Line(y - 1)
	}
	for i := 0; i < fields && y < in.H; i++ {
		g.paintField(a, next(), i)
	}
	for _, text := range notes {
		if y < in.H-1 {
			l := next()
			l.PadTo(2)
			l.Text(a.theme.Dim, text)
		}
	}
	if g.wrong != "" && y < in.H {
		l := next()
		l.PadTo(1)
		l.Text(a.theme.Error, "x "+g.wrong)
	}
	if y < in.H {
		a.paintRule(next())
	}
	g.paintItems(a, y, in.H)
	a.canvas.Box(r, a.border("Run "+g.of.title+" again", g.right(), true), &g.block)
}

// right says what the plan comes to.
func (g *again) right() string {
	switch {
	case g.starting:
		return "starting ..."
	case g.plan == nil && g.wrong == "":
		return "reading the recording ..."
	case g.plan == nil:
		return ""
	}
	sent, held, _ := g.counts()
	return fmt.Sprintf("%s to send, %s not sent", paint.Thousands(sent), paint.Thousands(held))
}

// notes say what else there is to know of the command.
func (g *again) notes() (rows []string) {
	add := func(text string) { rows = append(rows, text) }
	place := "on this machine"
	if g.header.Host != "" {
		place = "on " + g.header.Host
	}
	if g.header.Cwd != "" {
		place += ", in " + g.header.Cwd
	}
	add("starts " + place)
	if g.plan == nil {
		return rows
	}
	if n := g.plan.Questions(); n > 0 {
		add(fmt.Sprintf("%d recorded answers to what the server asks; the rest is asked of you", n))
	}
	if run, of := g.plan.Process(); of > 1 {
		add(fmt.Sprintf("process %d of the %d in the recording", run, of))
	}
	return rows
}

func (g *again) paintField(a *App, l *paint.Line, line int) {
	here := line == g.at
	cursor := "  "
	if here {
		cursor = "> "
	}
	l.Text(a.theme.Key, cursor)
	kind, value := g.kind(line)
	label := [...]string{"command", "", "mode", "speed"}[kind]
	if kind == lineValue {
		label = "${" + g.names[value] + "}"
	}
	l.Text(a.theme.Strong.If(here), label)
	l.PadTo(max(againLabel, l.Cells()+1))
	switch kind {
	case lineCommand:
		g.command.paint(l, a.theme, a.opts.ASCII, here)
	case lineValue:
		if len(g.values[value].text) == 0 {
			if here {
				l.Text(a.theme.Selected, " ")
				l.Text(theme.Style{}, " ")
			}
			empty := "empty: it stays as it is"
			if value < len(g.env.Named) {
				empty = "empty: that of this environment"
			}
			l.Text(a.theme.Dim, empty)
			return
		}
		g.values[value].paint(l, a.theme, a.opts.ASCII, here)
	case lineMode:
		text := map[replay.Mode]string{
			replay.Causal: "causal: when the answers before have come",
			replay.Serial: "serial: one request at a time",
			replay.Timed:  "timed: at the recorded times",
		}[replay.Modes()[g.mode]]
		l.Text(a.theme.Text, text)
	case lineSpeed:
		l.Text(a.theme.Text, againSpeed(speeds[g.speed]))
	}
}

func againSpeed(x float64) string {
	if x == replay.MaxSpeed {
		return "max"
	}
	return fmt.Sprintf("%gx", x)
}

// paintItems paints the messages, as many as there is room for.
func (g *again) paintItems(a *App, from, height int) {
	if g.plan == nil || from >= height {
		return
	}
	items, rows := g.plan.Items(), height-from
	at := g.at - g.fields()
	g.top = max(min(g.top, max(at, 0), len(items)-rows), at-rows+1, 0)
	for y := range min(rows, len(items)-g.top) {
		g.paintItem(a, g.block.Line(from+y), &items[g.top+y], g.top+y == at)
	}
}

func (g *again) paintItem(a *App, l *paint.Line, it *replay.Item, here bool) {
	sent, why := g.sends(it)
	cursor, box, style := "  ", "[ ] ", a.theme.Dim
	if here {
		cursor = "> "
	}
	if sent {
		box, style = "[x] ", a.theme.Text
	}
	if !it.Gated() && !sent {
		box = "[-] "
	}
	l.Text(a.theme.Key, cursor)
	l.Text(style, box)
	name := strings.TrimSpace(it.Method + " " + it.Tool)
	if it.Kind == replay.Raw {
		name = strings.TrimSpace("raw bytes " + name)
	}
	width := min(againWhat, max(l.Room()/2, 8))
	if here {
		style = a.theme.Selected
	}
	l.Begin(style)
	l.Field(theme.Style{}, []byte(name), width, termsafe.Left)
	l.End(style)
	l.Text(theme.Style{}, " ")
	whyStyle := a.theme.Dim
	if g.switchedOn(it) {
		whyStyle = a.theme.Warn
	}
	l.Text(whyStyle, why)
}
