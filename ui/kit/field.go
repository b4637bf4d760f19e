package kit

import (
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/widget/theme"
)

// maxField is how many characters can be typed into a field.
const maxField = 1024

// A Field is one line typed into a question. It is edited only at its end, and no
// copy of the text remains in memory after Wipe; the widget of the library would
// keep its text in strings that cannot be wiped.
type Field struct {
	Secret bool
	Text   []rune
}

// NewField returns a field that never moves its text in memory.
func NewField(secret bool) *Field { return &Field{Secret: secret, Text: make([]rune, 0, maxField)} }

// Update applies a key, or the first line of pasted text.
func (f *Field) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.Add(msg.Content)
	case tea.KeyPressMsg:
		switch {
		case msg.Code == tea.KeyBackspace && len(f.Text) > 0:
			f.Text[len(f.Text)-1] = 0
			f.Text = f.Text[:len(f.Text)-1]
		case msg.Mod&^tea.ModShift == 0:
			f.Add(msg.Text)
		}
	}
}

// Add appends printable characters, up to the end of the first line.
func (f *Field) Add(text string) {
	for _, r := range text {
		if r == '\n' || r == '\r' || len(f.Text) == maxField {
			return
		}
		if !unicode.IsControl(r) {
			f.Text = append(f.Text, r)
		}
	}
}

// Wipe empties the field.
func (f *Field) Wipe() {
	clear(f.Text)
	f.Text = f.Text[:0]
}

// Paint paints the end of the field, and a cursor if keys go there.
func (f *Field) Paint(l *paint.Line, th *theme.Theme, ascii, keys bool) {
	room := max(l.Room()-1, 0) // the cursor
	if f.Secret {
		dot := "•"
		if ascii {
			dot = "*"
		}
		for range min(len(f.Text), room) {
			l.Text(th.Text, dot)
		}
	} else {
		text := f.Text
		for len(text) > 0 && termsafe.Width(string(text)) > room {
			text = text[1:]
		}
		l.Text(th.Text, string(text))
	}
	if keys {
		l.Text(th.Selected, " ")
	}
}
