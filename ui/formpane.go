package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/form"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/theme"
)

// This file is what the composer and the answers to a server share: a form, or
// the same as JSON, that a person edits.

// The actions of fields; before each stands the name of their scope.
const (
	fieldNext     = "next"
	fieldPrev     = "previous"
	fieldTab      = "complete"
	fieldPageDown = "page-down"
	fieldPageUp   = "page-up"
	fieldAdd      = "add"
	fieldRemove   = "remove"
	fieldClear    = "leave-out"
	fieldNull     = "null"
)

// fields says which form the actions of a scope are about.
type fields struct {
	scope   string // the names of its actions begin with it
	form    func(*App) *form.Form
	tab     func(*App) tea.Cmd
	changed func(*App) tea.Cmd    // after something was moved or changed
	scroll  func(a *App, way int) // what moving does where there is no form; may be nil
}

// actions are those that move about in the fields, and change them.
func (f fields) actions() []action {
	id := func(name string) string { return f.scope + "-" + name }
	can := func(has func(form.Info) bool, reason string) func(*App) (bool, string) {
		return func(a *App) (bool, string) {
			of := f.form(a)
			return of != nil && has(of.Info()), reason
		}
	}
	canAdd := can(func(i form.Info) bool { return i.CanAdd }, "the field is not in a list")
	canDrop := can(func(i form.Info) bool { return i.CanDrop }, "the field is part of the schema: ctrl+g leaves it out")
	return []action{
		{entry{ID: id(fieldTab), Keys: []string{"tab"}, Scope: f.scope, Title: "complete, next", Help: "Take the next suggestion; without any go to the next field.", Priority: 60}, f.tab},
		{entry{ID: id(fieldNext), Keys: []string{"down", "enter"}, Scope: f.scope, Title: "next field", Help: "Go to the next field.", Priority: 50, Hint: keymap.Hint{Keys: "up/down", Title: "field"}}, f.move(lineDown, func(f *form.Form) { f.Next() })},
		{entry{ID: id(fieldPrev), Keys: []string{"up", "shift+tab"}, Scope: f.scope, Title: "previous field", Help: "Go to the field before."}, f.move(lineUp, func(f *form.Form) { f.Prev() })},
		{entry{ID: id(fieldPageDown), Keys: []string{"pgdown"}, Scope: f.scope, Title: "page down", Help: "Go down by a screen."}, f.move(pageDown, func(f *form.Form) { f.Page(1) })},
		{entry{ID: id(fieldPageUp), Keys: []string{"pgup"}, Scope: f.scope, Title: "page up", Help: "Go up by a screen."}, f.move(pageUp, func(f *form.Form) { f.Page(-1) })},
		{entry{ID: id(fieldAdd), Keys: []string{"ctrl+n", "insert"}, Scope: f.scope, Title: "add item", Help: "Add an item to the list.", Priority: 75, Enabled: canAdd}, f.do(func(f *form.Form) { f.Add() })},
		{entry{ID: id(fieldRemove), Keys: []string{"f8", "ctrl+delete"}, Scope: f.scope, Title: "remove item", Help: "Take the item out of its list, or a member that the schema does not know out of its object.", Priority: 74, Enabled: canDrop}, f.do(func(f *form.Form) { f.Remove() })},
		{entry{ID: id(fieldClear), Keys: []string{"ctrl+g"}, Scope: f.scope, Title: "leave out", Help: "Do not send the field; again: send it empty.", Priority: 45}, f.do(func(f *form.Form) { f.Clear() })},
		{entry{ID: id(fieldNull), Keys: []string{"f9"}, Scope: f.scope, Title: "null", Help: "Send null in the field, whether the schema allows it or not."}, f.do(func(f *form.Form) { f.Null() })},
	}
}

// do adapts what is done to the form.
func (f fields) do(do func(*form.Form)) func(*App) tea.Cmd { return f.move(-1, do) }

// move adapts what moves about in the form; without one, it scrolls.
func (f fields) move(way int, do func(*form.Form)) func(*App) tea.Cmd {
	return func(a *App) tea.Cmd {
		of := f.form(a)
		switch {
		case of != nil:
			do(of)
			a.mark(composerID)
			return f.changed(a)
		case f.scroll != nil && way >= 0:
			f.scroll(a, way)
		}
		return nil
	}
}

// typeField takes a key, or what was pasted, into a form, and tells whether it
// was for that.
func (a *App) typeField(f *form.Form, msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return f.Key(msg)
	case tea.PasteMsg:
		if !f.Paste(msg.Content) {
			a.complain("this can't be pasted here")
		}
		return true
	}
	return false
}

// fieldsValue is what the fields hold, if it is to be sent. What the schema does
// not allow is sent only when it is asked for twice: it is how a server is tried.
func (a *App) fieldsValue(f *form.Form, refused *string) (value []byte, ok bool) {
	value, err := f.JSON()
	if err != nil {
		f.FirstError()
		a.complain("not sent: " + err.Error() + "; in the JSON view (ctrl+t) anything can be written")
		return nil, false
	}
	problems, err := f.Problems()
	if err == nil && len(problems) > 0 && !a.insisted(refused, string(value), problems[0].String()) {
		f.FirstError()
		return nil, false
	}
	return value, true
}

// insisted tells whether something wrong is to be sent all the same: it is when
// the same is sent again.
func (a *App) insisted(refused *string, text, problem string) bool {
	if *refused == text {
		return true
	}
	*refused = text
	a.complain(refusal + problem)
	return false
}

// jsonSays is what there is to know of a text that is to be JSON, with the
// problems that were found in it.
func jsonSays(th *theme.Theme, text []byte, problems []form.Problem, err error) (string, theme.Style) {
	switch {
	case len(problems) > 0:
		more := ""
		if n := len(problems) - 1; n > 0 {
			more = fmt.Sprintf("  (and %d more)", n)
		}
		return "x " + placed(text, problems[0]) + more, th.Error
	case err != nil:
		return "! it can't be checked: " + err.Error(), th.Warn
	}
	return "valid", th.OK
}

// placed is a problem with its place in a text.
func placed(text []byte, p form.Problem) string {
	line, col := form.Locate(text, p.Path)
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); errors.As(err, &syntax) {
		line, col = lineOf(text, int(syntax.Offset))
		return fmt.Sprintf("%d:%d: %s", line, col, syntax.Error())
	}
	return fmt.Sprintf("%d:%d: %s", line, col, p.String())
}

// editField opens the field under the cursor in the person's editor.
func (a *App) editField(f *form.Form, then func(*App) tea.Cmd) tea.Cmd {
	path := f.Path()
	text, err := f.Text(path)
	if err != nil {
		a.complain(err.Error())
		return nil
	}
	suffix := ".txt"
	if !f.Info().Typed {
		suffix = ".json"
	}
	return a.edit([]byte(text), suffix, func(a *App, text []byte, err error) tea.Cmd {
		if err == nil {
			err = f.SetText(path, string(text))
		}
		if err != nil {
			a.complain("editor: " + err.Error())
		}
		a.mark(composerID)
		return then(a)
	})
}

// editBox opens a text in the person's editor.
func (a *App) editBox(b *textBox, suffix string, then func(*App) tea.Cmd) tea.Cmd {
	return a.edit([]byte(b.Value()), suffix, func(a *App, text []byte, err error) tea.Cmd {
		if err != nil {
			a.complain("editor: " + err.Error())
			return nil
		}
		b.SetValue(strings.TrimSuffix(string(text), "\n"))
		a.mark(composerID)
		return then(a)
	})
}
