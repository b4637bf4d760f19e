package home

import (
	"fmt"
	"strings"
	"time"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// The sizes of the parts of the screen, in cells.
const (
	aboutRows  = 8 // for the item under the cursor, and for notes
	maxWrong   = 4 // lines of an error
	labelWidth = 10
)

// firstText is the text of the first start.
var firstText = []string{
	"No MCP client on this machine lists a server, and there are no recordings yet.",
	"Type a command to start a server, such as npx -y @scope/server stdio.",
	"Or press enter: the demo server is built into this program.",
}

// Draw paints a line to type in, the list, and below a rule the facts about the item
// under the cursor.
func (v *View) Draw(c host.Context) {
	screen := c.Host.Screen()
	r := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}
	in := r.Inner()
	c.Block(&v.block, in)
	v.picker.PaintQuery(screen, v.block.Line(0), "type to find, or a command to start; "+c.Host.Key("help")+" for help")

	wrong := wrongLines(v.wrong, in.W-4, in.H-2)
	for i, text := range wrong {
		v.block.Line(i+1).Text(screen.Theme.Failed, text)
	}
	about := v.facts(screen.Theme, in.W)
	rows := min(aboutRows, in.H/2, len(about)+1)
	if v.isFirst() && in.H < aboutRows {
		rows = 0
	}
	list := in
	_, list = list.CutTop(1 + len(wrong))
	bottom, list := list.CutBottom(rows)
	if v.isFirst() {
		lines := firstLines(in.W-2, list.H-2)
		for i, text := range lines {
			v.block.Line(i+1+len(wrong)).Text(screen.Theme.Text, " "+text)
		}
		_, list = list.CutTop(len(lines) + 1)
	}
	if bottom.H > 1 {
		screen.PaintRule(v.block.Line(bottom.Y - in.Y))
		screen.PaintSheet(&v.block, bottom.Y-in.Y+1, bottom.H-1, about, labelWidth)
	}

	c.Block(&v.list, list)
	v.picker.Paint(screen, &v.list, 0, func(l *paint.Line, m kit.Pick) { v.paintItem(screen, l, m, list.W) })
	if len(v.picker.Shown) == 0 && list.H > 0 {
		v.list.Line(0).Text(screen.Theme.Dim, "  "+v.why())
	}
	c.Dialog(Scope, r, "Open", v.right(c), &v.block)
	screen.Canvas.Draw(list, &v.list)
}

func wrongLines(text string, width, height int) (lines []string) {
	for line := range strings.Lines(text) {
		for _, part := range termsafe.Wrap(strings.TrimRight(line, "\r\n"), max(width, 1)) {
			mark := "  "
			if len(lines) == 0 {
				mark = "x "
			}
			if len(lines) < min(maxWrong, height) {
				lines = append(lines, mark+part)
			}
		}
	}
	return lines
}

// firstLines returns the lines of firstText; if they do not fit, only the
// last sentence.
func firstLines(width, height int) []string {
	for from := range firstText {
		var lines []string
		for _, text := range firstText[from:] {
			lines = append(lines, termsafe.Wrap(text, width)...)
		}
		if len(lines) <= height {
			return lines
		}
	}
	return nil
}

func (v *View) isFirst() bool {
	for _, item := range v.found.Items {
		if item.Kind != host.DemoItem {
			return false
		}
	}
	return !v.loading && v.picker.Query == ""
}

func (v *View) why() string {
	if v.loading {
		return "searching for servers and recordings ..."
	}
	return "No matches"
}

func (v *View) right(c host.Context) string {
	if v.opening != "" {
		return "opening " + v.opening + " ..."
	}
	if v.loading {
		return "searching ..."
	}
	shown := len(v.picker.Shown)
	if strings.TrimSpace(v.picker.Query) != "" {
		shown-- // the command
	}
	text := fmt.Sprintf("%d of %d", shown, len(v.found.Items))
	if len(c.Host.Workspaces()) == 0 {
		text += "   " + c.Host.Key(host.ActInterrupt) + " quits"
	}
	return text
}

func (v *View) facts(th *paint.Theme, width int) []kit.Row {
	var rows []kit.Row
	add := func(label, text string, style paint.Style) {
		for line := range strings.Lines(text) {
			rows = kit.AddRows(rows, label, strings.TrimRight(line, "\r\n"), style, width-labelWidth-3)
			label = ""
		}
	}
	if item, ok := v.picked(); ok {
		add("blocked", item.Blocked, th.Odd)
		add("command", item.Command, th.Text)
		if item.Kind == host.CommandItem {
			return append(rows, kit.AddRows(nil, "flags", "may come first: --ssh HOST, -e NAME=VALUE, -C FOLDER; there is no shell, but quotes work", th.Dim, width-labelWidth-3)...)
		}
		add("source", item.From, th.Text)
		add("location", item.Where, th.Text)
		if item.Kind == host.RecordingItem {
			add("client", item.Client, th.Text)
			add("recorded", recorded(time.Now(), &item), th.Text)
			add("messages", exchanged(&item), th.Text)
			if item.Verdict != host.VerdictOK {
				add("cause", item.Verdict, th.Odd)
			}
		}
		for _, in := range item.Inputs {
			add("input", in.ID, th.Text)
		}
		for _, note := range item.Notes {
			add("note", note, th.Text)
		}
	}
	for _, note := range v.found.Notes {
		add("!", note, th.Odd)
	}
	return rows
}
