package kit

import (
	"slices"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// maxField is the maximum length of a field in characters.
const maxField = 1024

// A Field is one typed line of a question. A secret is edited only at its end, and no
// copy of it remains in memory after Wipe; the widget of the library would keep strings
// that cannot be wiped.
type Field struct {
	Secret bool
	Text   []rune
	after  int // characters after the cursor
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
		case msg.Code == tea.KeyBackspace:
			f.remove(1)
		case msg.String() == "ctrl+w":
			f.removeWord()
		case msg.Code == tea.KeyHome:
			f.Step(-len(f.Text))
		case msg.Code == tea.KeyEnd:
			f.Step(len(f.Text))
		case msg.Mod&^tea.ModShift == 0:
			f.Add(msg.Text)
		}
	}
}

// Step moves the cursor by n characters.
func (f *Field) Step(n int) {
	if !f.Secret {
		f.after = Between(0, f.after-n, len(f.Text))
	}
}

func (f *Field) remove(n int) {
	at := len(f.Text) - f.after
	rest := append(f.Text[:max(at-n, 0)], f.Text[at:]...)
	clear(f.Text[len(rest):])
	f.Text = rest
}

func (f *Field) removeWord() {
	at := len(f.Text) - f.after
	from := at
	for from > 0 && f.Text[from-1] == ' ' {
		from--
	}
	for from > 0 && f.Text[from-1] != ' ' {
		from--
	}
	f.remove(at - from)
}

// Add inserts printable characters, up to the end of the first line, at the cursor.
func (f *Field) Add(text string) {
	for _, r := range text {
		if r == '\n' || r == '\r' || len(f.Text) == maxField {
			return
		}
		if !unicode.IsControl(r) {
			f.Text = slices.Insert(f.Text, len(f.Text)-f.after, r)
		}
	}
}

// Wipe empties the field.
func (f *Field) Wipe() {
	clear(f.Text)
	f.Text, f.after = f.Text[:0], 0
}

// Paint paints the field around its cursor, which is shown if keys go there.
func (f *Field) Paint(l *paint.Line, th *paint.Theme, ascii, keys bool) {
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
		text := f.Text[:len(f.Text)-f.after]
		for len(text) > 0 && termsafe.Width(string(text)) > room {
			text = text[1:]
		}
		l.Text(th.Text, string(text))
	}
	under, rest := []rune{' '}, f.Text[len(f.Text)-f.after:]
	if f.after > 0 {
		under, rest = rest[:1], rest[1:]
	}
	if keys {
		l.Text(th.Caret, string(under))
	} else if f.after > 0 {
		l.Text(th.Text, string(under))
	}
	l.Text(th.Text, string(rest))
}
