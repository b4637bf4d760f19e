package ui

import (
	"fmt"
	"strings"

	"mcpdbg/session/executor"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// maxServerText is how much of the server's words a question shows, in bytes.
const maxServerText = 16 << 10

// An askRow is one line of a question.
type askRow struct {
	text  string
	style theme.Style
	box   boxPart // of the box around the server's words
}

// A boxPart says which part of that box a row is.
type boxPart uint8

// The parts of the box.
const (
	boxNone boxPart = iota
	boxTop
	boxText
	boxBottom
)

// paintAsk paints the question over a screen that steps back for it.
func (a *App) paintAsk() {
	k := a.ask
	a.canvas.Veil(a.theme.Behind)
	a.line(0, a.layout.header, func(l *paint.Line) {
		l.Begin(a.theme.Asking)
		l.Text(theme.Style{}, " mcpdbg asks, for "+who(k.question.prompt)+": "+asks(k.question.prompt.Kind))
		l.Fill()
		l.End(a.theme.Asking)
	})
	a.line(2, a.layout.footer, a.paintFooter)

	const around = 2 // the border
	below := 2       // the field and the line below it
	question := k.asked()
	if question != "" {
		below++ // it stands right above the field
	}
	width := min(dialogWidth, a.width) - 4
	rows := k.rows(a, width)
	room := a.height - 2 // header and footer
	r := paint.Rect{Y: 1, W: a.width, H: room}.Center(width+4, len(rows)+around+below)
	k.scroll.fit(r.H-around-below, len(rows))

	block := &paint.Lines{Options: a.look()}
	block.Resize(r.W-2, r.H-2)
	from, to := k.scroll.shown()
	for y, row := range rows[from:to] {
		a.paintAskRow(block.Line(y), row, width)
	}
	end := r.H - around
	if question != "" {
		l := block.Line(end - below)
		l.PadTo(1)
		l.Text(a.theme.Warn, "the server asks: ")
		l.Text(a.theme.Text, question)
	}
	a.paintAnswer(block.Line(end-2), block.Line(end-1))
	a.canvas.Box(r, a.askBorder(), block)
	k.drawn = true
}

// asked is the server's question that the field answers, if there is one.
func (k *ask) asked() string {
	if questions := k.question.prompt.Questions; k.at < len(questions) {
		return strings.TrimSpace(questions[k.at].Text)
	}
	return ""
}

// askBorder is the frame that only questions have.
func (a *App) askBorder() paint.Frame {
	f := paint.Frame{Border: paint.Double, Style: a.theme.Strong, Title: "mcpdbg asks", TitleStyle: a.theme.Strong, RightStyle: a.theme.Text}
	if a.opts.ASCII {
		f.Border = paint.DoubleASCII
	}
	if n := a.ask.behind; n > 0 {
		f.Right = fmt.Sprintf("%d more after this", n)
	}
	return f
}

// paintAnswer paints the field, and below it what is wrong with what is in it,
// or what else is to be known.
func (a *App) paintAnswer(l, below *paint.Line) {
	k := a.ask
	l.PadTo(1)
	l.Text(a.theme.Strong, k.label())
	if len(k.fields) > 0 {
		l.Text(theme.Style{}, " ")
		k.fields[k.at].paint(l, a.theme, a.opts.ASCII, k.ready)
	}
	below.PadTo(1)
	from, to := k.scroll.shown()
	switch {
	case k.wrong != "":
		below.Text(a.theme.Error, "x "+k.wrong)
	case !k.ready:
		below.Text(a.theme.Dim, "takes keys once you stop typing")
	case !k.scroll.all():
		below.Text(a.theme.Warn, fmt.Sprintf("lines %d-%d of %d: up, down, pgup, pgdown", from+1, to, k.scroll.lines))
	case len(k.fields) > 0 && k.fields[k.at].secret:
		below.Text(a.theme.Dim, "what you type is not shown")
	}
}

// rows are the lines of the question: who asks, what is to be known, and the
// server's words.
func (k *ask) rows(a *App, width int) []askRow {
	p := k.question.prompt
	rows := ours(nil, "for "+who(p), a.theme.Strong, width)
	rows = ours(rows, p.Text, a.theme.Text, width)
	if said := serverText(p); said != "" {
		rows = append(rows, askRow{}, askRow{text: "the server says:", style: a.theme.Warn}, askRow{box: boxTop})
		for line := range strings.Lines(said) {
			for _, text := range wrap(strings.TrimRight(line, "\r\n"), width-4) {
				rows = append(rows, askRow{text: text, box: boxText})
			}
		}
		rows = append(rows, askRow{box: boxBottom})
	}
	return append(rows, askRow{})
}

// ours adds words of the program.
func ours(rows []askRow, text string, style theme.Style, width int) []askRow {
	if text == "" {
		return rows
	}
	for line := range strings.Lines(text) {
		for _, row := range wrap(strings.TrimRight(line, "\n"), width) {
			rows = append(rows, askRow{text: row, style: style})
		}
	}
	return rows
}

// serverText is all that the server has to say: its questions too are its
// words.
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
	if len(text) > maxServerText {
		text = cutText(text, maxServerText) + "\n(more is not shown)"
	}
	return text
}

// paintAskRow paints one row. The right side of the server's box is painted at
// its place, whatever the text is: wrap has left room for it.
func (a *App) paintAskRow(l *paint.Line, row askRow, width int) {
	g := [...]string{"┌", "─", "┐", "│", "└", "┘"}
	if a.opts.ASCII {
		g = [...]string{"+", "-", "+", "|", "+", "+"}
	}
	l.PadTo(1)
	switch row.box {
	case boxTop:
		l.Text(a.theme.Border, g[0]+strings.Repeat(g[1], max(width-2, 0))+g[2])
	case boxBottom:
		l.Text(a.theme.Border, g[4]+strings.Repeat(g[1], max(width-2, 0))+g[5])
	case boxText:
		l.Text(a.theme.Border, g[3])
		l.Text(theme.Style{}, " ")
		l.Text(a.theme.Text, row.text)
		l.PadTo(width)
		l.Text(a.theme.Border, g[3])
	default:
		l.Text(row.style, row.text)
	}
}
