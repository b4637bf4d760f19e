package copies

import (
	"fmt"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
)

// The sizes of the dialog, in cells.
const (
	width      = 96
	labelWidth = 10
	maxRules   = 8 // listed
)

func (v *exportView) Draw(c host.Context) {
	screen := c.Host.Screen()
	w := min(width, screen.Width)
	facts := v.facts(screen.Theme, w-2)
	r := screen.Body()
	r = r.Center(w, min(lineCount+1+len(facts)+2, r.H))
	in := r.Inner()
	c.Block(&v.block, in)
	for y := range in.H {
		l := v.block.Line(y)
		switch {
		case y < lineCount:
			v.paintLine(screen, l, y)
		case y == lineCount && v.job.done() > 0:
			l.PadTo(2)
			screen.PaintProgress(l, v.job.done())
		case y == lineCount:
			screen.PaintRule(l)
		case y-lineCount-1 < len(facts):
			l.PadTo(2)
			l.Text(facts[y-lineCount-1].Style, facts[y-lineCount-1].Text)
		}
	}
	c.Dialog(ScopeExport, r, "Export "+v.title, v.right(), &v.block)
}

func (v *exportView) right() string {
	switch {
	case v.job != nil:
		return v.job.doing()
	case v.file != "" && v.found == nil && v.wrong == "":
		return "searching for secrets ..."
	}
	return ""
}

func (v *exportView) paintLine(screen *kit.Screen, l *paint.Line, line int) {
	th, here := screen.Theme, line == v.at
	cursor := "  "
	if here {
		cursor = "> "
	}
	l.Text(th.Accent, cursor)
	l.Text(th.Strong.If(here), [...]string{"format", "secrets", "file"}[line])
	l.PadTo(labelWidth)
	switch line {
	case lineFormat:
		f := v.formats[v.format]
		l.Text(th.Strong, f.Name)
		l.Text(th.Dim, "  "+f.About)
	case lineRedact:
		if v.redact {
			l.Text(th.Good, "removed")
			return
		}
		l.Text(th.Odd, "kept: the file contains everything")
	case lineFile:
		v.path.Paint(l, th, screen.ASCII, here)
	}
}

// facts returns the lines below the choices: an error, what redaction removes, and what
// that cannot know.
func (v *exportView) facts(th *paint.Theme, width int) (rows []kit.Row) {
	add := func(style paint.Style, text string) { rows = kit.AddRows(rows, "", text, style, max(width-3, 1)) }
	if v.wrong != "" {
		add(th.Failed, "x "+v.wrong)
	}
	switch {
	case v.file == "" && v.wrong != "":
		return rows
	case v.file == "":
		add(th.Odd, "The session is not recorded: secrets cannot be removed from it.")
		return rows
	case v.found == nil:
		return rows
	}
	verb := "will be removed"
	if !v.redact {
		verb = "stay in the file"
	}
	add(th.Strong, fmt.Sprintf("%s in %s %s", wording.Counted(v.found.Removed, "secret"), wording.Thousands(v.found.Entries)+" entries", verb))
	rules := v.found.ByRule()
	for i, rule := range rules {
		if i == maxRules {
			add(th.Dim, fmt.Sprintf("       and by %d more rules", len(rules)-i))
			break
		}
		add(th.Text, fmt.Sprintf("%6d  %s", rule.Count, rule.Rule))
	}
	if n := v.found.GivenUnknown; n > 0 && v.redact {
		add(th.Odd, wording.Counted(n, "value")+" given to the session cannot be searched for: the recording was made with the key of another machine.")
	}
	add(th.Dim, "Rules cannot know every secret: read the file before you share it.")
	return rows
}
