package steer

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// Scope is the scope of the pane of held messages.
const Scope = "held"

// A Pane lists the held messages of a tap, the oldest first.
type Pane struct {
	Context func() host.Context

	selected int // number of the selected message; 0 before
	w, h     int
	top      int
}

// Rows returns how many lines a pane of a screen of some height needs, with its title: 0
// without anything held, and while nothing is to be held.
func Rows(w *workspace.Workspace, height int) int {
	const share = 7 // of the height, at most
	if w.Tap == nil {
		return 0
	}
	n := len(w.Tap.State.Held)
	if n == 0 && w.Tap.State.Holding == "" {
		return 0
	}
	return 1 + min(n, max(height/share, 2))
}

// Current returns the selected message: at first, and once it is no longer held, the oldest.
func (p *Pane) Current() (h control.Held, ok bool) {
	held := p.held()
	if len(held) == 0 {
		return control.Held{}, false
	}
	return held[p.at()], true
}

func (p *Pane) held() []control.Held {
	if t := p.Context().Workspace.Tap; t != nil {
		return t.State.Held
	}
	return nil
}

// at returns the index of the selected message: of the next one, if it is no longer held.
func (p *Pane) at() int {
	held := p.held()
	for i := range held {
		if held[i].N >= p.selected {
			return i
		}
	}
	return max(len(held)-1, 0)
}

// SetSize sets the size without the title, in cells.
func (p *Pane) SetSize(w, h int) { p.w, p.h = w, h }

// Titles returns the texts of the border.
func (p *Pane) Titles() (left, right string) {
	held := p.held()
	left = fmt.Sprintf("6 Held %d", len(held))
	if len(held) == 1 {
		left += ": " + target(&held[0])
	}
	if holding := p.Context().Workspace.Tap.State.Holding; holding != "" {
		right = "holding " + wording.Clip(termsafe.String(holding), maxFilter, wording.Dots)
	}
	return left, right
}

// maxFilter is how many bytes of a filter a title shows.
const maxFilter = 40

func target(h *control.Held) string {
	if h.ToServer {
		return "to the server"
	}
	return "to the client"
}

// Act moves the cursor.
func (p *Pane) Act(action string) bool {
	held := p.held()
	if len(held) == 0 {
		return false
	}
	at := p.at()
	switch action {
	case kit.Top:
		at = 0
	case kit.Bottom:
		at = len(held) - 1
	default:
		n, ok := kit.LinesOf(action, p.h)
		if !ok {
			return false
		}
		at += n
	}
	p.selected = held[kit.Between(0, at, len(held)-1)].N
	return true
}

// Click selects the message on a line.
func (p *Pane) Click(line int) {
	if held := p.held(); p.top+line < len(held) {
		p.selected = held[p.top+line].N
	}
}

// The widths of columns: of the direction, and the least and the most of the name.
const (
	targetCells = 10
	leastName   = 12
	mostName    = 24
)

// Paint paints the messages.
func (p *Pane) Paint(out *paint.Lines, focused bool) {
	c := p.Context()
	screen, t := c.Host.Screen(), c.Workspace.Tap
	out.Options = screen.Look()
	out.Resize(p.w, p.h)
	held, at := p.held(), p.at()
	p.top = max(min(p.top, at, len(held)-p.h), at-p.h+1, 0)
	for y, h := range held[min(p.top, len(held)):min(p.top+p.h, len(held))] {
		l, selected := out.Line(y), p.top+y == at
		l.BeginRow(screen.Theme.Cursor(focused).If(selected))
		p.paintHeld(l, t, &h)
		l.EndRow()
	}
}

func (p *Pane) paintHeld(l *paint.Line, t *workspace.Tap, h *control.Held) {
	screen := p.Context().Host.Screen()
	th, look := screen.Theme, screen.Look()
	dot := paint.Glyph(look, " · ", " - ")
	wait, late := t.HeldText(h, dot)
	if 2*termsafe.Width(wait) > p.w {
		wait, _, _ = strings.Cut(wait, dot)
	}
	direction := paint.Glyph(look, "→", "->") + " server"
	if !h.ToServer {
		direction = paint.Glyph(look, "←", "<-") + " client"
	}
	name, text := describe(h)
	style := th.Odd
	if late {
		style = th.Failed
	}
	l.Field(th.Text, []byte(direction), targetCells, termsafe.Left)
	l.Field(th.Strong, []byte(name), kit.Between(leastName, p.w/4, mostName), termsafe.Left)
	l.Text(paint.Style{}, " ")
	l.Field(th.Dim, []byte(text), max(l.Room()-termsafe.Width(wait)-2, 0), termsafe.Left)
	l.Text(paint.Style{}, " ")
	l.Text(style, wait)
}

// describe returns the name of a held message, and what it says.
func describe(h *control.Held) (name, text string) {
	line := h.Line[:min(len(h.Line), summary.Limit)]
	if h.Method == "" {
		of := "id " + wording.Clip(string(h.ID), leastName, wording.Dots)
		if h.Tool != "" {
			of = "of " + h.Tool
		}
		return "answer " + of, summary.Response("", line, int64(len(h.Line)))
	}
	if name = summary.Call(h.Method, line); name == "" || h.Method != mcp.MethodToolsCall {
		name = strings.TrimSpace(summary.Short(h.Method) + " " + name)
	}
	return name, summary.Request(h.Method, line)
}

// HeaderParts returns the words of the header about the viewers of a tap, and what is held.
func HeaderParts(c host.Context) []kit.Part {
	t := c.Workspace.Tap
	if t == nil || t.Link == nil {
		return nil
	}
	th := c.Host.Screen().Theme
	var parts []kit.Part
	switch held := t.State.Held; {
	case len(held) > 0:
		oldest, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(first(t), "held "), "waits "), " of ")
		parts = append(parts, kit.Part{Text: fmt.Sprintf(" HELD %d for %s ", len(held), oldest), Short: fmt.Sprintf(" HELD %d ", len(held)), Style: th.Waits, Priority: kit.Must, Action: ActFocus})
	case t.State.Holding != "":
		parts = append(parts, kit.Part{Text: "holds " + wording.Clip(termsafe.String(t.State.Holding), maxFilter/2, wording.Dots), Short: "holds", Style: th.You, Priority: 94, Action: actHold})
	}
	switch pid := t.Steerer(); {
	case pid != 0:
		parts = append(parts, kit.Part{Text: fmt.Sprintf("steered by %d", pid), Short: "steered", Style: th.Odd, Priority: 60})
	case t.Steers():
		parts = append(parts, kit.Part{Text: "you steer", Style: th.You, Priority: 60})
	}
	if n := t.State.Viewers; n > 1 {
		parts = append(parts, kit.Part{Text: fmt.Sprintf("%d viewers", n), Style: th.Text, Priority: 35})
	}
	return parts
}

// first returns for how long the oldest message has been held.
func first(t *workspace.Tap) string {
	const separator = " of "
	text, _ := t.HeldText(&t.State.Held[0], separator)
	return text
}
