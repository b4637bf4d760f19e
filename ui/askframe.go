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
	said  bool // by the server
}

func (k *ask) paint() {
	const below = 3 // the question, the field and the line below it
	screen := &k.app.screen
	header := func(l *paint.Line) {
		l.Begin(screen.Theme.PromptTitle)
		l.Text(paint.Style{}, " mcpdbg asks, for "+tty.PromptSubject(k.question.Prompt)+": "+asks(k.question.Prompt.Kind))
		l.Fill()
		l.End(screen.Theme.PromptTitle)
	}
	width := min(kit.DialogWidth, screen.Width) - 4
	rows := k.rows(width)
	body := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}
	r := body.Center(width+4, len(rows)+2+below)
	c := k.app.visible.context()
	block := c.Block(&paint.Lines{}, r.Inner())
	end := r.H - 2
	shown := k.text.Paint(block, 0, end-below, len(rows), func(l *paint.Line, i int) {
		l.PadTo(1)
		if rows[i].said {
			l.Text(screen.Theme.Rule, paint.Glyph(screen.Look(), "┆ ", "| "))
		}
		l.Text(rows[i].style, rows[i].text)
	})
	if question := k.asked(); question != "" {
		l := block.Line(end - below)
		l.PadTo(1)
		l.Text(screen.Theme.Odd, "the server asks: ")
		l.Text(screen.Theme.Text, question)
	}
	k.paintAnswer(block.Line(end-2), block.Line(end-1), shown)
	d := kit.Dialog{Title: "mcpdbg asks", Asks: true, Keys: c.Keys(scopeAsk, r)}
	if n := k.behind; n > 0 {
		d.Right = fmt.Sprintf("%d more after this", n)
	}
	screen.Dialog(r, d, block)
	k.app.canvas.line(0, k.app.panes.layout.header, header)
	k.drawn = true
}

func (k *ask) asked() string {
	if questions := k.question.Prompt.Questions; k.at < len(questions) {
		return strings.TrimSpace(questions[k.at].Text)
	}
	return ""
}

func (k *ask) paintAnswer(l, below *paint.Line, shown string) {
	l.PadTo(1)
	l.Text(k.app.screen.Theme.Strong, k.label())
	if len(k.fields) > 0 {
		l.Text(paint.Style{}, " ")
		k.fields[k.at].Paint(l, k.app.screen.Theme, k.app.screen.ASCII, k.ready)
	}
	below.PadTo(1)
	switch {
	case k.wrong != "":
		below.Text(k.app.screen.Theme.Failed, "x "+k.wrong)
	case !k.ready:
		below.Text(k.app.screen.Theme.Dim, kit.DropsKeys)
	case shown != "":
		below.Text(k.app.screen.Theme.Odd, shown+": up, down, pgup, pgdown")
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
		rows = append(rows, askRow{}, askRow{text: "the server says:", style: k.app.screen.Theme.Odd})
		for line := range strings.Lines(said) {
			for _, text := range termsafe.Wrap(strings.TrimRight(line, "\r\n"), width-2) {
				rows = append(rows, askRow{text, k.app.screen.Theme.Text, true})
			}
		}
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
