package ui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
)

const (
	// maxDraft is how many bytes can be edited; the text field gets slow with
	// long texts.
	maxDraft = 64 << 10
	// maxDraftLines is how many lines can be edited here; a message that would
	// need more is edited in one line.
	maxDraftLines = 200
)

// A textBox is a text of any length. A long one is only shown: it is edited in
// the person's editor.
type textBox struct {
	area textarea.Model
	long string // in place of what is in area
}

func newTextBox(hint string) textBox {
	area := textarea.New()
	area.Prompt = ""
	area.ShowLineNumbers = false
	area.CharLimit = maxDraft
	area.MaxHeight = 0
	area.Placeholder = hint
	area.SetStyles(areaStyles())
	return textBox{area: area}
}

// Value is the text.
func (b *textBox) Value() string {
	if b.long != "" {
		return b.long
	}
	return b.area.Value()
}

// SetValue replaces the text.
func (b *textBox) SetValue(text string) {
	if len(text) > maxDraft || strings.Count(text, "\n") > maxDraftLines {
		b.long = text
		b.area.Reset()
		return
	}
	b.long = ""
	b.area.SetValue(text)
	if strings.Contains(text, "\n") {
		b.area.MoveToBegin() // a text of several lines is read from its top
	}
}

// update takes a key, or what was pasted. The error says why it did not.
func (b *textBox) update(msg tea.Msg) (tea.Cmd, error) {
	_, key := msg.(tea.KeyPressMsg)
	paste, pasted := msg.(tea.PasteMsg)
	switch {
	case b.long != "" && (key || pasted):
		return nil, fmt.Errorf("%s is too long to be typed into", size(int64(len(b.long))))
	case pasted && len(b.area.Value())+len(paste.Content) > maxDraft:
		if strings.TrimSpace(b.area.Value()) == "" {
			b.SetValue(paste.Content)
			return nil, nil
		}
		return nil, fmt.Errorf("%s is too much to be pasted here", size(int64(len(paste.Content))))
	}
	var cmd tea.Cmd
	b.area, cmd = b.area.Update(msg)
	return cmd, nil
}

func (b *textBox) setSize(w, h int) {
	b.area.SetWidth(w)
	b.area.SetHeight(max(h, 1))
}

// paint paints the text into the first h lines of a block.
func (b *textBox) paint(a *App, out *paint.Lines, h int) {
	if b.long != "" {
		rest := b.long[:min(len(b.long), maxDraft)]
		for y := range h {
			line, after, more := strings.Cut(rest, "\n")
			l := out.Line(y)
			if y == h-1 {
				l.Text(a.theme.Warn, "... "+size(int64(len(b.long)))+" in all: ctrl+e opens it in your editor")
				return
			}
			l.Text(a.theme.Dim, line)
			if rest = after; !more {
				rest = ""
			}
		}
		return
	}
	rows := strings.Split(b.area.View(), "\n")
	for y := range min(h, len(rows)) {
		out.Line(y).Rendered(rows[y])
	}
}
