package kit

import (
	"errors"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
)

const (
	// MaxDraft is how many bytes can be edited here; the text field is slow with long
	// texts.
	MaxDraft = 64 << 10
	// MaxDraftLines is how many lines can be edited here; more are edited as one line.
	MaxDraftLines = 200
)

// A TextBox holds any text. One that is long, or that the widget would change, is only
// shown, and edited in the user's editor.
type TextBox struct {
	Area textarea.Model
	Long string // replaces the text in area
}

// NewTextBox returns a text box that shows a hint while it is empty.
func NewTextBox(hint string) TextBox { return TextBox{Area: form.NewArea(MaxDraft, hint)} }

// Value returns the text.
func (b *TextBox) Value() string {
	if b.Long != "" {
		return b.Long
	}
	return b.Area.Value()
}

// SetValue replaces the text.
func (b *TextBox) SetValue(text string) {
	if b.Long = ""; len(text) <= MaxDraft && strings.Count(text, "\n") <= MaxDraftLines {
		b.Area.SetValue(text)
	}
	if b.Area.Value() != text {
		b.Long = text
		b.Area.Reset()
		return
	}
	if strings.Contains(text, "\n") {
		b.Area.MoveToBegin() // long texts are read from the top
	}
}

// Update applies a key or a paste. The error is why it was rejected.
func (b *TextBox) Update(msg tea.Msg) (tea.Cmd, error) {
	_, key := msg.(tea.KeyPressMsg)
	paste, pasted := msg.(tea.PasteMsg)
	switch {
	case b.Long != "" && (key || pasted):
		return nil, errors.New("this text cannot be edited here")
	case pasted && len(b.Area.Value())+len(paste.Content) > MaxDraft:
		if strings.TrimSpace(b.Area.Value()) == "" {
			b.SetValue(paste.Content)
			return nil, nil
		}
		return nil, fmt.Errorf("%s is too long to paste here", wording.Size(int64(len(paste.Content))))
	}
	var cmd tea.Cmd
	b.Area, cmd = b.Area.Update(msg)
	return cmd, nil
}

// SetSize sets the size in cells.
func (b *TextBox) SetSize(w, h int) {
	b.Area.SetWidth(w)
	b.Area.SetHeight(max(h, 1))
}

// Paint paints the text into h lines of a block.
func (b *TextBox) Paint(on *Screen, out *paint.Lines, from, h int) {
	if b.Long != "" {
		rest := b.Long[:min(len(b.Long), MaxDraft)]
		for y := range h {
			line, after, more := strings.Cut(rest, "\n")
			l := out.Line(from + y)
			if y == h-1 {
				l.Text(on.Theme.Odd, "... "+wording.Size(int64(len(b.Long)))+" in all: ctrl+e opens it in your editor")
				return
			}
			l.Text(on.Theme.Dim, line)
			if rest = after; !more {
				rest = ""
			}
		}
		return
	}
	form.PaintArea(out, &b.Area, from, h)
}
