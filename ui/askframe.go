package ui

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

type askRow struct {
	text  string
	style paint.Style
	box   boxPart // of the box around the server's text
}

type boxPart uint8

const (
	boxNone boxPart = iota
	boxTop
	boxText
	boxBottom
)

func (k *ask) paint() {
	k.app.screen.Canvas.Dim(k.app.screen.Theme.Backdrop)
	k.app.canvas.line(0, k.app.panes.layout.header, func(l *paint.Line) {
		l.Begin(k.app.screen.Theme.PromptTitle)
		l.Text(paint.Style{}, " mcpdbg asks, for "+tty.PromptSubject(k.question.Prompt)+": "+asks(k.question.Prompt.Kind))
		l.Fill()
		l.End(k.app.screen.Theme.PromptTitle)
	})
	k.app.canvas.line(2, k.app.panes.layout.footer, func(l *paint.Line) { k.app.canvas.paintHints(k.app.visible, l) })

	const around = 2 // the border
	below := 2       // the field and the line below it
	question := k.asked()
	if question != "" {
		below++ // it is right above the field
	}
	width := min(kit.DialogWidth, k.app.screen.Width) - 4
	rows := k.rows(width)
	room := k.app.screen.Height - 2 // header and footer
	r := paint.Rect{Y: 1, W: k.app.screen.Width, H: room}.Center(width+4, len(rows)+around+below)
	k.scroll.Fit(r.H-around-below, len(rows))

	block := &paint.Lines{Options: k.app.screen.Look()}
	block.Resize(r.W-2, r.H-2)
	from, to := k.scroll.Shown()
	for y, row := range rows[from:to] {
		paintAskRow(k.app, block.Line(y), row, width)
	}
	end := r.H - around
	if question != "" {
		l := block.Line(end - below)
		l.PadTo(1)
		l.Text(k.app.screen.Theme.Odd, "the server asks: ")
		l.Text(k.app.screen.Theme.Text, question)
	}
	k.paintAnswer(block.Line(end-2), block.Line(end-1))
	k.app.screen.Canvas.Box(r, k.border(), block)
	k.drawn = true
}

func (k *ask) asked() string {
	if questions := k.question.Prompt.Questions; k.at < len(questions) {
		return strings.TrimSpace(questions[k.at].Text)
	}
	return ""
}

func (k *ask) border() paint.Frame {
	f := paint.Frame{Border: paint.Double, Style: k.app.screen.Theme.Strong, Title: "mcpdbg asks", TitleStyle: k.app.screen.Theme.Strong, RightStyle: k.app.screen.Theme.Text}
	if k.app.screen.ASCII {
		f.Border = paint.DoubleASCII
	}
	if n := k.behind; n > 0 {
		f.Right = fmt.Sprintf("%d more after this", n)
	}
	return f
}

func (k *ask) paintAnswer(l, below *paint.Line) {
	l.PadTo(1)
	l.Text(k.app.screen.Theme.Strong, k.label())
	if len(k.fields) > 0 {
		l.Text(paint.Style{}, " ")
		k.fields[k.at].Paint(l, k.app.screen.Theme, k.app.screen.ASCII, k.ready)
	}
	below.PadTo(1)
	from, to := k.scroll.Shown()
	switch {
	case k.wrong != "":
		below.Text(k.app.screen.Theme.Failed, "x "+k.wrong)
	case !k.ready:
		below.Text(k.app.screen.Theme.Dim, dropsKeys)
	case !k.scroll.All():
		below.Text(k.app.screen.Theme.Odd, fmt.Sprintf("lines %d-%d of %d: up, down, pgup, pgdown", from+1, to, k.scroll.Lines))
	case len(k.fields) > 0 && k.fields[k.at].Secret:
		below.Text(k.app.screen.Theme.Dim, "input is not echoed")
	}
}

// rows returns the source of the question, the facts about it, and the server's text.
func (k *ask) rows(width int) []askRow {
	p := k.question.Prompt
	rows := ours(nil, "for "+tty.PromptSubject(p), k.app.screen.Theme.Strong, width)
	rows = ours(rows, p.Text, k.app.screen.Theme.Text, width)
	if said := serverText(p); said != "" {
		rows = append(rows, askRow{}, askRow{text: "the server says:", style: k.app.screen.Theme.Odd}, askRow{box: boxTop})
		for line := range strings.Lines(said) {
			for _, text := range termsafe.Wrap(strings.TrimRight(line, "\r\n"), width-4) {
				rows = append(rows, askRow{text: text, box: boxText})
			}
		}
		rows = append(rows, askRow{box: boxBottom})
	}
	return append(rows, askRow{})
}

func ours(rows []askRow, text string, style paint.Style, width int) []askRow {
	if text == "" {
		return rows
	}
	for line := range strings.Lines(text) {
		for _, row := range termsafe.Wrap(strings.TrimRight(line, "\n"), width) {
			rows = append(rows, askRow{text: row, style: style})
		}
	}
	return rows
}

// serverText returns all text from the server; this includes its questions.
func serverText(p executor.Prompt) string {
	parts := []string{strings.Trim(p.Remote, "\r\n")}
	for i, q := range p.Questions {
		text := q.Text
		if len(p.Questions) > 1 {
			text = fmt.Sprintf("%d. %s", i+1, text)
		}
		parts = append(parts, text)
	}
	text := strings.Trim(strings.Join(parts, "\n"), "\r\n")
	if len(text) > kit.MaxServerText {
		text = wording.Cut(text, kit.MaxServerText) + "\n(truncated)"
	}
	return text
}

// paintAskRow paints the right side of the server's box at its place, whatever the text
// is: wrap has left room for it.
func paintAskRow(a *App, l *paint.Line, row askRow, width int) {
	g := [...]string{"┌", "─", "┐", "│", "└", "┘"}
	if a.screen.ASCII {
		g = [...]string{"+", "-", "+", "|", "+", "+"}
	}
	l.PadTo(1)
	switch row.box {
	case boxTop:
		l.Text(a.screen.Theme.Rule, g[0]+strings.Repeat(g[1], max(width-2, 0))+g[2])
	case boxBottom:
		l.Text(a.screen.Theme.Rule, g[4]+strings.Repeat(g[1], max(width-2, 0))+g[5])
	case boxText:
		l.Text(a.screen.Theme.Rule, g[3])
		l.Text(paint.Style{}, " ")
		l.Text(a.screen.Theme.Text, row.text)
		l.PadTo(width)
		l.Text(a.screen.Theme.Rule, g[3])
	default:
		l.Text(row.style, row.text)
	}
}
