package kit

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
)

// maxField is the maximum length of a field in characters.
const maxField = 1024

// A Field is one typed line of a question. A secret is edited only at its end, and no
// copy of it remains in memory after Wipe; the widget of the library would keep strings
// that cannot be wiped.
type Field struct {
	Secret bool
	Text   []rune
	input  textinput.Model // of a text that is not secret
}

// NewField returns a field that never moves a secret in memory.
func NewField(secret bool) *Field {
	f := &Field{Secret: secret, input: form.NewInput(maxField, "")}
	if secret {
		f.Text = make([]rune, 0, maxField)
	}
	return f
}

// Update applies a key, or the first line of pasted text.
func (f *Field) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.Add(msg.Content)
	case tea.KeyPressMsg:
		switch {
		case !f.Secret:
			f.take(msg)
		case msg.Code == tea.KeyBackspace:
			f.cut(len(f.Text) - 1)
		case msg.String() == "ctrl+w":
			n := len(f.Text)
			for n > 0 && f.Text[n-1] == ' ' {
				n--
			}
			for n > 0 && f.Text[n-1] != ' ' {
				n--
			}
			f.cut(n)
		case msg.Mod&^tea.ModShift == 0:
			f.Add(msg.Text)
		}
	}
}

func (f *Field) take(msg tea.Msg) {
	f.input, _ = f.input.Update(msg)
	f.Text = []rune(f.input.Value())
}

// cut keeps the first characters of a secret.
func (f *Field) cut(n int) {
	n = max(n, 0)
	clear(f.Text[n:])
	f.Text = f.Text[:n]
}

// Step moves the cursor by n characters.
func (f *Field) Step(n int) { f.input.SetCursor(f.input.Position() + n) }

// Add inserts the printable characters of the first line of a text at the cursor.
func (f *Field) Add(text string) {
	text = strings.TrimLeft(text, "\r\n")
	if end := strings.IndexAny(text, "\r\n"); end >= 0 {
		text = text[:end]
	}
	if !f.Secret {
		f.take(tea.PasteMsg{Content: text})
		return
	}
	for _, r := range text {
		if !unicode.IsControl(r) && len(f.Text) < maxField {
			f.Text = append(f.Text, r)
		}
	}
}

// Wipe empties the field.
func (f *Field) Wipe() {
	clear(f.Text)
	f.Text = f.Text[:0]
	f.input.Reset()
}

// Paint paints the field around its cursor, which is shown if keys go there.
func (f *Field) Paint(l *paint.Line, th *paint.Theme, ascii, keys bool) {
	if f.Secret {
		dot := "•"
		if ascii {
			dot = "*"
		}
		l.Text(th.Text, strings.Repeat(dot, min(len(f.Text), max(l.Room()-1, 0))))
		l.Text(th.Caret.If(keys), " ")
		return
	}
	if f.input.Blur(); keys {
		f.input.Focus()
	}
	form.PaintInput(l, &f.input, l.Room())
	f.input.Focus()
}
