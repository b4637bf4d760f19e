package kit

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/paint"
)

const (
	// MaxDraft is how many bytes can be edited here; the text field is slow with long
	// texts.
	MaxDraft = 64 << 10
	// MaxDraftLines is how many lines can be edited here; more are edited as one line.
	MaxDraftLines = 200
)

// A TextBox holds a text of any length. A long one is only shown, and edited in the
// user's editor.
type TextBox struct {
	Area textarea.Model
	Long string // replaces the text in area
}

// NewTextBox returns a text box that shows a hint while it is empty.
func NewTextBox(hint string) TextBox {
	area := textarea.New()
	area.Prompt = ""
	area.ShowLineNumbers = false
	area.CharLimit = MaxDraft
	area.MaxHeight = 0
	area.Placeholder = hint
	area.KeyMap.Paste = key.Binding{} // it would run programs of the clipboard
	state := textarea.StyleState{Placeholder: hintStyle()}
	area.SetStyles(textarea.Styles{Focused: state, Blurred: state})
	return TextBox{Area: area}
}

// Value returns the text.
func (b *TextBox) Value() string {
	if b.Long != "" {
		return b.Long
	}
	return b.Area.Value()
}

// SetValue replaces the text.
func (b *TextBox) SetValue(text string) {
	if len(text) > MaxDraft || strings.Count(text, "\n") > MaxDraftLines {
		b.Long = text
		b.Area.Reset()
		return
	}
	b.Long = ""
	b.Area.SetValue(text)
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
		return nil, fmt.Errorf("%s is too long to edit here", wording.Size(int64(len(b.Long))))
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

// Paint paints the text into the first h lines of a block.
func (b *TextBox) Paint(on *Screen, out *paint.Lines, h int) {
	if b.Long != "" {
		rest := b.Long[:min(len(b.Long), MaxDraft)]
		for y := range h {
			line, after, more := strings.Cut(rest, "\n")
			l := out.Line(y)
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
	rows := strings.Split(b.Area.View(), "\n")
	for y := range min(h, len(rows)) {
		out.Line(y).Rendered(rows[y])
	}
}

// hintStyle is faint, which needs no colour. The cursor of both fields does not blink:
// that would be an endless tick.
func hintStyle() lipgloss.Style { return lipgloss.NewStyle().Faint(true) }
