package form

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/widget/termsafe"
)

// Key handles a key for the row under the cursor: characters and cursor movement in a
// text; space, letters, left and right for options and folds. It reports whether it did.
// The embedding view checks its own bindings first.
func (f *Form) Key(msg tea.KeyPressMsg) (handled bool) {
	fl := f.current().field
	if fl == nil {
		return false
	}
	if msg.Text != "" && msg.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock) == 0 {
		return f.typeText(msg.Text)
	}
	if fl.typed() {
		if !f.moveOrDelete(fl, msg.String()) {
			return false
		}
		fl.preset = false // typing no longer replaces the text
		return true
	}
	switch msg.String() {
	case "left":
		return f.sideways(-1)
	case "right":
		return f.sideways(1)
	}
	return false
}

func (f *Form) typeText(text string) bool {
	if fl := f.typing(); fl != nil {
		return f.insert(fl, text)
	}
	if text == " " {
		return f.Toggle()
	}
	return f.jump(text)
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

// insert inserts text before the cursor. It replaces a default, null or absence.
func (f *Form) insert(fl *field, text string) bool {
	replaces := fl.state != given || fl.preset
	if len(text) > maxText || !replaces && len(fl.text)+len(text) > maxText {
		return false
	}
	if replaces {
		fl.setText("", nil)
	}
	f.give(fl)
	fl.text = fl.text[:fl.cursor] + text + fl.text[fl.cursor:]
	fl.cursor += len(text)
	f.typedInto(fl)
	return true
}

// remove removes the text between two offsets. An empty number or JSON text makes the
// field absent; a string stays empty.
func (f *Form) remove(fl *field, from, to int) bool {
	if from >= to {
		return true
	}
	fl.text = fl.text[:from] + fl.text[to:]
	fl.cursor = from
	if fl.text == "" && fl.is() != kindText {
		f.clear(fl)
	}
	f.typedInto(fl)
	return true
}

func (f *Form) typedInto(fl *field) {
	fl.raw = nil
	f.recall = recall{}
	f.changed()
}

func (f *Form) moveOrDelete(fl *field, key string) bool {
	text, at := fl.text, fl.cursor
	switch key {
	case "left", "ctrl+b":
		fl.cursor = before(text, at)
	case "right", "ctrl+f":
		fl.cursor = after(text, at)
	case "home", "ctrl+a":
		fl.cursor = 0
	case "end", "ctrl+e":
		fl.cursor = len(text)
	case "ctrl+left", "alt+left", "alt+b":
		fl.cursor = wordBefore(text, at)
	case "ctrl+right", "alt+right", "alt+f":
		fl.cursor = wordAfter(text, at)
	case "backspace":
		return f.remove(fl, before(text, at), at)
	case "delete", "ctrl+d":
		return f.remove(fl, at, after(text, at))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		return f.remove(fl, wordBefore(text, at), at)
	case "ctrl+u":
		return f.remove(fl, 0, at)
	case "ctrl+k":
		return f.remove(fl, at, len(text))
	default:
		return false
	}
	return true
}

// before returns the offset of the character before at, including its combining marks.
func before(text string, at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
		if !isMark(r) {
			break
		}
	}
	return at
}

func after(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	at += size
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isMark(r) {
			break
		}
		at += size
	}
	return at
}

func isMark(r rune) bool {
	cells, printable := termsafe.RuneWidth(r)
	return printable && cells == 0
}

func wordBefore(text string, at int) int {
	head := strings.TrimRightFunc(text[:at], isGap)
	return strings.LastIndexFunc(head, isGap) + gapSize(head)
}

// gapSize is the size of the last gap in head, after which a word begins; 1 without a
// gap, so that the index -1 becomes 0.
func gapSize(head string) int {
	i := strings.LastIndexFunc(head, isGap)
	if i < 0 {
		return 1
	}
	_, size := utf8.DecodeRuneInString(head[i:])
	return size
}

func wordAfter(text string, at int) int {
	tail := strings.TrimLeftFunc(text[at:], isGap)
	if i := strings.IndexFunc(tail, isGap); i >= 0 {
		return len(text) - len(tail) + i
	}
	return len(text)
}

func isGap(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && !unicode.IsMark(r)
}
