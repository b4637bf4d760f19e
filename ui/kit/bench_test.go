package kit

import (
	"fmt"
	"testing"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"mcpdbg/ui/widget/paint"
)

// paintRows paints rows as those of a list, each with a few styles.
func paintRows(s *Screen, b *paint.Lines, w, h int) {
	b.Options = s.Look()
	b.Resize(w, h)
	for y := range h {
		l := b.Line(y)
		l.Text(s.Theme.Dim, fmt.Sprintf("%6d:%02d.%02d  ", y, y, y))
		l.Text(s.Theme.Tool, "book-room")
		l.PadTo(40)
		l.Text(s.Theme.Text, `guests=2 date="2026-06-12"`)
		l.PadTo(w - 20)
		l.Text(s.Theme.Good, "30 ms")
	}
}

// BenchmarkPainting compares what is painted by hand with what the libraries paint:
// docs/dev/decisions.md has the results.
func BenchmarkPainting(b *testing.B) {
	const w, h = 200, 60
	s := &Screen{Width: w, Height: h, Theme: paint.NewTheme(paint.Options{Profile: paint.TrueColor})}
	var rows, inside paint.Lines
	frame := func() string {
		s.Begin()
		paintRows(s, &rows, w, h)
		s.Canvas.Draw(paint.Rect{W: w, H: h}, &rows)
		return s.Canvas.String()
	}
	dialog := func(title string) {
		frame()
		r := paint.Rect{W: w, H: h}.Center(100, 42)
		paintRows(s, &inside, r.W-2, r.H-2)
		s.Dialog(r, Dialog{Title: title, Keys: []key.Binding{key.NewBinding(key.WithHelp("enter", "run")), key.NewBinding(key.WithHelp("esc", "close"))}}, &inside)
	}
	text := &Text{}
	for _, of := range []struct {
		name string
		do   func(i int)
	}{
		{"rows on the canvas, 200x60", func(int) { frame() }},
		{"the same through a compositor", func(int) {
			lipgloss.NewCompositor(lipgloss.NewLayer(frame()), lipgloss.NewLayer("above").X(9).Z(1)).Render()
		}},
		{"the same under a dialog, unchanged", func(int) { dialog("title") }},
		{"the same under a dialog, another title", func(i int) { dialog(fmt.Sprint(i)) }},
		{"40 rows painted by hand", func(int) { paintRows(s, &inside, 98, 40) }},
		{"40 rows of 400 in a viewport", func(int) {
			inside.Resize(98, 40)
			text.Paint(&inside, 0, 40, 400, func(l *paint.Line, i int) { l.Text(s.Theme.Text, "a line of a text") })
		}},
		{"a style of Lip Gloss", func(int) { s.Theme.Lipgloss(s.Theme.Tool).Render("book-room") }},
		{"the same compiled", func(int) { s.Theme.Tool.Append(nil, "book-room") }},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				of.do(i)
			}
		})
	}
}
