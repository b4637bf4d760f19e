package send

import (
	"encoding/json"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/form"
)

// ScopeFields is the scope that the scopes of forms inherit from.
const ScopeFields = "fields"

// A filling is a view in which the user fills in a form.
type filling interface {
	host.View
	// Form is the form, nil if there is none.
	Form() *form.Form
	// Edited follows a change of the form, or a move to another field.
	Edited(host.Context) tea.Cmd
	// Suggested follows a suggestion that the user took.
	Suggested(host.Context) tea.Cmd
	// Beyond goes to what follows the last field, if anything.
	Beyond(host.Context)
	// Finish sends the form, or warns why it cannot.
	Finish(host.Context) tea.Cmd
}

func fieldActions() []host.Action {
	can := func(has func(form.Info) bool, reason string) func(host.Context) (bool, string) {
		return func(c host.Context) (bool, string) {
			v, ok := c.View.(filling)
			return ok && v.Form() != nil && has(v.Form().Info()), reason
		}
	}
	canAdd := can(func(i form.Info) bool { return i.CanAdd }, "the field is not in a list")
	canDrop := can(func(i form.Info) bool { return i.CanRemove }, "the field is part of the schema: ctrl+g omits it")
	return []host.Action{
		{Entry: host.Entry{Name: "complete", Keys: []string{"tab"}, Scope: ScopeFields, Title: "complete, next", Help: "Take the next suggestion; if there is none, go to the next field.", Priority: 60}, Do: host.On(completeField)},
		host.Override(host.Entry{Name: kit.Down, ID: "next", Keys: []string{"down"}, Scope: ScopeFields, Title: "next field", Help: "Go to the next field.", Priority: 50, Hint: key.Help{Key: "up/down", Desc: "field"}}),
		{Entry: host.Entry{Name: "forward", Keys: []string{"enter"}, Scope: ScopeFields, Title: "next field or send", Help: "Go to the next field; after the last one, send, or go to the buttons of a question and press one.", Priority: 96, Yields: true, Now: forwardTitle}, Do: host.On(nextOrFinish)},
		host.Override(host.Entry{Name: kit.Up, ID: "previous", Keys: []string{"up", "shift+tab"}, Scope: ScopeFields, Title: "previous field", Help: "Go to the previous field."}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: ScopeFields}),
		{Entry: host.Entry{Name: "add", Keys: []string{"ctrl+n", "insert"}, Scope: ScopeFields, Title: "add item", Help: "Add an item to the list.", Priority: 75, Enabled: canAdd}, Do: changeForm(func(f *form.Form) { f.Add() })},
		{Entry: host.Entry{Name: "remove", Keys: []string{"f8", "ctrl+delete"}, Scope: ScopeFields, Title: "remove item", Help: "Remove the item from its list, or a member unknown to the schema from its object.", Priority: 74, Enabled: canDrop}, Do: changeForm(func(f *form.Form) { f.Remove() })},
		{Entry: host.Entry{Name: "leave-out", Keys: []string{"ctrl+g"}, Scope: ScopeFields, Title: "omit", Help: "Omit the field; press again to send it empty.", Priority: 45}, Do: changeForm(func(f *form.Form) { f.Clear() })},
		{Entry: host.Entry{Name: "null", Keys: []string{"f9"}, Scope: ScopeFields, Title: "null", Help: "Send null, whether the schema allows it or not."}, Do: changeForm(func(f *form.Form) { f.Null() })},
	}
}

func forwardTitle(c host.Context) (title string, priority int) {
	switch v, asks := c.View.(*answerView); {
	case !asks:
		return "next field, on the last one: send", 0
	case v.button == noButton:
		return "next, then Accept", 0
	default:
		return v.buttons()[v.button].title, 0
	}
}

func changeForm(do func(*form.Form)) func(host.Context) tea.Cmd {
	return host.On(func(c host.Context, v filling) tea.Cmd {
		f := v.Form()
		if f == nil {
			return nil
		}
		do(f)
		c.Host.Redraw()
		return v.Edited(c)
	})
}

// moveField moves between the fields of the focused view: way is the name of a
// movement action of package kit.
func moveField(c host.Context, way string) tea.Cmd {
	return changeForm(func(f *form.Form) {
		switch way {
		case kit.Down:
			f.Down(1)
		case kit.Up:
			f.Down(-1)
		case kit.PageDown:
			f.Page(1)
		case kit.PageUp:
			f.Page(-1)
		}
	})(c)
}

func nextOrFinish(c host.Context, v filling) tea.Cmd {
	if f := v.Form(); f == nil || f.AtEnd() {
		return v.Finish(c)
	}
	return changeForm(func(f *form.Form) { f.Next() })(c)
}

func completeField(c host.Context, v filling) tea.Cmd {
	f := v.Form()
	switch {
	case f == nil, f.AtEnd() && !f.Suggests():
		v.Beyond(c)
		return nil
	case !f.Suggest(1):
		return changeForm(func(f *form.Form) { f.Next() })(c)
	}
	c.Host.Redraw()
	return v.Suggested(c)
}

// typeInForm gives a key or pasted text to a form, and reports whether that took it.
func typeInForm(c host.Context, f *form.Form, msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if changed := f.Key(msg); changed || !f.Info().InEditor || msg.Text == "" {
			return changed
		}
		c.Host.Warn("this text is edited only in your editor: ctrl+e")
	case tea.PasteMsg:
		if !f.Paste(msg.Content) {
			c.Host.Warn("this cannot be pasted here")
		}
		return true
	}
	return false
}

// formValue returns the value of a form if it is to be sent. An invalid value is sent only
// when requested twice, as a way to test a server; refused holds it until then.
func formValue(c host.Context, f *form.Form, refused *string) (value []byte, ok bool) {
	value, err := f.JSON()
	if err != nil {
		f.FirstError()
		c.Host.Warn("not sent: " + err.Error() + "; the JSON view (ctrl+t) accepts any text")
		return nil, false
	}
	problems, err := f.Problems()
	if err == nil && len(problems) > 0 && !sendAnyway(c, refused, string(value), problems[0].String()) {
		f.FirstError()
		return nil, false
	}
	return value, true
}

// newForm returns a form for a schema, in a scope whose actions have a prefix.
func newForm(c host.Context, schema json.RawMessage, prefix, send string, brief bool) *form.Form {
	return form.New(schema, form.Options{
		Theme: c.Host.Screen().Theme, Text: c.Host.Screen().Look(), Brief: brief, Anyway: c.Host.Key(send) + " twice sends it as it is",
		Adds: c.Host.Key(prefix+"add") + " adds one", Removes: c.Host.Key(prefix+"remove") + " removes it",
	})
}

// sendAnyway reports whether to send an invalid text: only the second time. The first
// time it shows the problem and puts the text in refused.
func sendAnyway(c host.Context, refused *string, text, problem string) bool {
	if *refused == text {
		return true
	}
	*refused = text
	c.Host.Warn("not sent, ctrl+s again to send anyway: " + problem)
	return false
}
