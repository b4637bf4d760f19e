package problems

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

type choice struct {
	action, key, text string
	x, y              int  // in the block of the card
	off               bool // not possible
}

// choices are those of every card, in this order.
func choices(c host.Context) []choice {
	made := []choice{
		{action: actGoFromCause, text: "go to the row"},
		{action: actAgain, text: "restart"},
		{action: actReport, text: "copy report"},
		{action: actProcess, text: "process"},
	}
	for i, can := range []func(host.Context) (bool, string){hasRow, host.CanRestart, notHome, notHome} {
		ok, _ := can(c)
		made[i].off, made[i].key = !ok, c.Host.Key(made[i].action)
	}
	return made
}

func (ch *choice) width() int { return termsafe.Width(ch.key) + 1 + termsafe.Width(ch.text) }

func (ch *choice) paint(th *paint.Theme, l *paint.Line) {
	l.PadTo(ch.x)
	if ch.off {
		l.Text(th.Dim, ch.key+" "+ch.text)
		return
	}
	l.Text(th.Accent, ch.key)
	l.Text(th.Text, " "+ch.text)
}

// offer adds the choices of a cause, in as many lines as they need, and why one of
// them is not possible.
func (v *card) offer(c host.Context, cause, width, others int) {
	const left, gap = 3, 3
	th := c.Host.Screen().Theme
	at := left
	line := cardLine{cause: cause}
	for _, ch := range choices(c) {
		if cause < 0 && ch.action == actGoFromCause {
			continue
		}
		if at > left && at+ch.width() > width {
			v.lines = append(v.lines, line)
			line, at = cardLine{cause: cause}, left
		}
		ch.x = at
		at += ch.width() + gap
		line.choices = append(line.choices, ch)
	}
	if more := wording.Counted(others, "more cause"); others > 0 && at+termsafe.Width(more) <= width {
		line.note = more
	}
	v.lines = append(v.lines, line)
	if ok, why := host.CanRestart(c); !ok {
		v.add(cause, "", c.Host.Key(actAgain)+": "+why, th.Dim, width)
	}
}

// Press carries out the choice at a cell of the screen.
func (v *card) Press(c host.Context, x, y int) (cmd tea.Cmd, hit bool) {
	place := v.block.Place()
	for _, ch := range v.choices {
		if place.Contains(x, y) && ch.y == y-place.Y+v.text.YOffset() && x-place.X >= ch.x && x-place.X < ch.x+ch.width() {
			return c.Host.Do(c.Workspace, ch.action, ""), true
		}
	}
	return nil, false
}
