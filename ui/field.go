package ui

import (
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// maxField is how many characters can be typed into a field.
const maxField = 1024

// A field is one line that is typed into a question. It is changed at its end
// only, and leaves nothing behind once it is wiped; the widget of the library
// would keep its text in strings that nobody can wipe.
type field struct {
	secret bool
	text   []rune
}

// newField returns a field that never moves what is in it to other memory.
func newField(secret bool) *field { return &field{secret: secret, text: make([]rune, 0, maxField)} }

// update takes a key or what was pasted: of that the first line.
func (f *field) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.add(msg.Content)
	case tea.KeyPressMsg:
		switch {
		case msg.Code == tea.KeyBackspace && len(f.text) > 0:
			f.text[len(f.text)-1] = 0
			f.text = f.text[:len(f.text)-1]
		case msg.Mod&^tea.ModShift == 0:
			f.add(msg.Text)
		}
	}
}

func (f *field) add(text string) {
	for _, r := range text {
		if r == '\n' || r == '\r' || len(f.text) == maxField {
			return
		}
		if !unicode.IsControl(r) {
			f.text = append(f.text, r)
		}
	}
}

// wipe empties the field.
func (f *field) wipe() {
	clear(f.text)
	f.text = f.text[:0]
}

// paint paints the end of the field, and a cursor if keys go there.
func (f *field) paint(l *paint.Line, th *theme.Theme, ascii, keys bool) {
	room := max(l.Room()-1, 0) // the cursor
	if f.secret {
		dot := "•"
		if ascii {
			dot = "*"
		}
		for range min(len(f.text), room) {
			l.Text(th.Text, dot)
		}
	} else {
		text := f.text
		for len(text) > 0 && termsafe.Width(string(text)) > room {
			text = text[1:]
		}
		l.Text(th.Text, string(text))
	}
	if keys {
		l.Text(th.Selected, " ")
	}
}
