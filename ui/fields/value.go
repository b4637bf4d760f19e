package fields

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/form"
)

// Type gives a key or pasted text to a form, and reports whether the form took
// it.
func Type(c host.Context, f *form.Form, msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return f.Key(msg)
	case tea.PasteMsg:
		if !f.Paste(msg.Content) {
			c.Host.Warn("this cannot be pasted here")
		}
		return true
	}
	return false
}

// Value returns the value of a form if it is to be sent. A value that violates
// the schema is sent only when requested twice, as a way to test a server;
// refused holds it until then.
func Value(c host.Context, f *form.Form, refused *string) (value []byte, ok bool) {
	value, err := f.JSON()
	if err != nil {
		f.FirstError()
		c.Host.Warn("not sent: " + err.Error() + "; the JSON view (ctrl+t) accepts any text")
		return nil, false
	}
	problems, err := f.Problems()
	if err == nil && len(problems) > 0 && !SendAnyway(c, refused, string(value), problems[0].String()) {
		f.FirstError()
		return nil, false
	}
	return value, true
}

// SendAnyway reports whether to send an invalid text: only when it is sent a
// second time. The first time it shows the problem and puts the text in refused.
func SendAnyway(c host.Context, refused *string, text, problem string) bool {
	if *refused == text {
		return true
	}
	*refused = text
	c.Host.Warn("not sent, ctrl+s again to send anyway: " + problem)
	return false
}
