package form

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// NewInput returns a text field of one line, of at most so many characters. It never
// reads the clipboard, for which it would run programs. Its cursor does not blink: that
// would be an endless tick.
func NewInput(limit int, hint string) textinput.Model {
	input := textinput.New()
	input.Prompt, input.CharLimit, input.Placeholder = "", limit, hint
	input.KeyMap.Paste = key.Binding{}
	state := textinput.StyleState{Placeholder: lipgloss.NewStyle().Faint(true)}
	input.SetStyles(textinput.Styles{Focused: state, Blurred: state})
	input.Focus()
	return input
}

// PaintInput paints a text field in a number of cells, around its cursor.
func PaintInput(l *paint.Line, input *textinput.Model, cells int) {
	input.SetWidth(max(cells-1, 1)) // the cursor
	input.SetCursor(input.Position())
	l.Rendered(input.View())
}

// NewArea returns a text field of many lines, of at most so many bytes.
func NewArea(limit int, hint string) textarea.Model {
	area := textarea.New()
	area.Prompt, area.ShowLineNumbers = "", false
	area.CharLimit, area.MaxHeight, area.Placeholder = limit, 0, hint
	keys := &area.KeyMap
	keys.Paste = key.Binding{}
	for _, k := range []*key.Binding{ // a selection would not be seen
		&keys.SelectCharacterForward, &keys.SelectCharacterBackward, &keys.SelectWordForward, &keys.SelectWordBackward,
		&keys.SelectLineUp, &keys.SelectLineDown, &keys.SelectAll, &keys.CopySelection,
	} {
		*k = key.Binding{}
	}
	state := textarea.StyleState{Placeholder: lipgloss.NewStyle().Faint(true)}
	area.SetStyles(textarea.Styles{Focused: state, Blurred: state})
	return area
}

// PaintArea paints a text field of many lines into some rows of a block.
func PaintArea(out *paint.Lines, area *textarea.Model, from, rows int) {
	lines := strings.Split(area.View(), "\n")
	w, _ := out.Size()
	for y := range min(rows, len(lines)) {
		l := out.Line(from + y)
		l.PadTo((w - area.Width()) / 2)
		l.Rendered(lines[y])
	}
}

const (
	// maxLine is the longest line that is edited in one row, in bytes; a longer one is
	// edited like several lines.
	maxLine = 4 << 10
	// maxLines and maxArea limit the text of several lines that is edited here.
	maxLines, maxArea = 100, 64 << 10
)

// A writing is a text in the widget that can hold it.
type writing struct {
	field *field
	text  string
	in    holder
	line  textinput.Model
	area  textarea.Model
}

// A holder is where a text is edited. A text that a widget would change, such as one with
// control characters, is in none: only another program can edit it.
type holder uint8

const (
	inEditor holder = iota
	inLine
	inArea
)

// write puts the text of a field into the widget that can hold it.
func (f *Form) write(fl *field) holder {
	w := &f.writing
	if w.field == fl && w.text == fl.text {
		return w.in
	}
	w.field, w.text, w.in = fl, fl.text, inEditor
	if !holdable(fl.text) {
		return w.in
	}
	if len(fl.text) <= maxLine && !strings.Contains(fl.text, "\n") {
		w.in = inLine
		w.line.SetValue(fl.text)
		w.line.CursorEnd()
	} else if strings.Count(fl.text, "\n") < maxLines {
		w.in = inArea
		w.area.SetValue(fl.text)
	}
	if w.in != inEditor && w.value() != fl.text {
		w.in = inEditor
	}
	return w.in
}

// holdable reports whether a widget shows each character of a text as it is.
func holdable(text string) bool {
	for _, r := range text {
		if _, printable := termsafe.RuneWidth(r); r != '\n' && (!printable || r == utf8.RuneError) {
			return false
		}
	}
	return len(text) <= maxArea
}

func (w *writing) value() string {
	if w.in == inArea {
		return w.area.Value()
	}
	return w.line.Value()
}

// at returns the offset of the cursor.
func (w *writing) at() int {
	rows, row, col := []string{w.text}, 0, w.line.Position()
	if w.in == inArea {
		rows, row, col = strings.SplitAfter(w.text, "\n"), w.area.Line(), w.area.Column()
	}
	n := 0
	for _, text := range rows[:row] {
		n += len(text)
	}
	return n + len(string([]rune(rows[row])[:col]))
}

// moveTo moves the cursor to an offset.
func (w *writing) moveTo(at int) {
	head := w.text[:at]
	if w.in == inLine {
		w.line.SetCursor(utf8.RuneCountInString(head))
		return
	}
	w.area.MoveToBegin()
	for range strings.Count(head, "\n") {
		w.area.CursorEnd()
		w.area.CursorDown()
	}
	w.area.SetCursorColumn(utf8.RuneCountInString(head[strings.LastIndexByte(head, '\n')+1:]))
}

// Key handles a key for the row under the cursor: characters and cursor movement in a
// text; space, letters, left and right for options and folds. It reports whether it
// changed anything. The embedding view checks its own bindings first.
func (f *Form) Key(msg tea.KeyPressMsg) (changed bool) {
	fl := f.current().field
	if fl == nil {
		return false
	}
	typed := msg.Text != "" && msg.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock) == 0
	switch key := msg.String(); {
	case fl.typed():
		return f.typeKey(fl, msg, typed)
	case typed && msg.Text == " ":
		return f.Toggle()
	case typed:
		return f.jump(msg.Text)
	case key == "left":
		return f.sideways(-1)
	case key == "right":
		return f.sideways(1)
	}
	return false
}

func (f *Form) typeKey(fl *field, msg tea.KeyPressMsg, typed bool) bool {
	switch key := msg.String(); {
	case typed:
		return f.insert(fl, msg.Text)
	case key == "alt+enter" || key == "ctrl+j":
		return (fl.is() == kindText || fl.is() == kindJSON) && f.insert(fl, "\n")
	case key == "ctrl+u":
		f.writing.field = nil
		return f.written(fl, "")
	}
	fl.preset = false // typing no longer replaces the text
	w := &f.writing
	switch f.write(fl) {
	case inLine:
		at := w.line.Position()
		w.line, _ = w.line.Update(msg)
		w.skipMarks(at)
		return f.written(fl, w.line.Value()) || at != w.line.Position()
	case inArea:
		at := w.at()
		w.area, _ = w.area.Update(msg)
		return f.written(fl, w.area.Value()) || at != w.at()
	}
	return false
}

// skipMarks keeps the cursor, which was at a character, out of the middle of one that
// combines with the next.
func (w *writing) skipMarks(was int) {
	text, at, by := []rune(w.line.Value()), w.line.Position(), 1
	if at < was {
		by = -1
	}
	for at > 0 && at < len(text) && unicode.IsMark(text[at]) {
		at += by
	}
	w.line.SetCursor(at)
}

func (f *Form) sideways(by int) bool {
	r := f.current()
	if r.field.chosen() {
		return f.Choose(by)
	}
	return f.Fold(by < 0) || by < 0
}

// Paste inserts pasted text and reports whether there was room for it. A number loses
// surrounding blanks; in a field with options, the text selects the option of that name.
func (f *Form) Paste(text string) bool {
	fl := f.current().field
	if fl == nil {
		return false
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch fl.is() {
	case kindInteger, kindNumber:
		text = strings.TrimSpace(text)
	case kindBool, kindChoice:
		i := fl.option(strings.TrimSpace(text))
		return i >= 0 && f.choose(fl, i)
	}
	return fl.typed() && f.insert(fl, text)
}

// insert inserts text at the cursor. It replaces a default, null or absence.
func (f *Form) insert(fl *field, text string) bool {
	old, at := "", 0
	if fl.state == given && (!fl.preset || f.write(fl) != inLine) {
		if f.write(fl) == inEditor {
			return false
		}
		old, at = fl.text, f.writing.at()
	}
	if len(old)+len(text) > maxText {
		return false
	}
	if area := &f.writing.area; old != "" && f.writing.in == inArea && holdable(text) && !strings.Contains(text, "\n") {
		area.InsertString(text)
		return f.written(fl, area.Value())
	}
	f.give(fl)
	fl.setText(old[:at]+text+old[at:], nil)
	if f.write(fl) != inEditor {
		f.writing.moveTo(at + len(text))
	}
	f.changed()
	return true
}

// written takes over the text of a widget, and reports whether it changed. An empty
// number or JSON text makes the field absent; a string stays empty.
func (f *Form) written(fl *field, text string) bool {
	if text == fl.text {
		return false
	}
	f.give(fl)
	fl.setText(text, nil)
	if f.writing.text = text; text == "" && fl.is() != kindText {
		f.clear(fl)
	}
	f.changed()
	return true
}

// Down moves by a line, within a text of several lines, or else to another row, and reports
// whether there is one.
func (f *Form) Down(by int) bool {
	area := &f.writing.area
	fl := f.typing()
	switch {
	case fl == nil || f.write(fl) != inArea:
	case by < 0 && area.Line() > 0:
		area.CursorUp()
		return true
	case by > 0 && area.Line() < area.LineCount()-1:
		area.CursorDown()
		return true
	}
	return f.step(by)
}
