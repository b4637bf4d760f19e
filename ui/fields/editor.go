package fields

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/form"
)

// EditField opens the field under the cursor in the user's editor. then follows
// when the editor is closed, whether it changed the field or not.
func EditField(c host.Context, f *form.Form, then func(host.Context) tea.Cmd) tea.Cmd {
	path := f.Path()
	text, err := f.Text(path)
	if err != nil {
		c.Host.Warn(err.Error())
		return nil
	}
	suffix := ".txt"
	if !f.Info().Typed {
		suffix = ".json"
	}
	return host.Edit(c, []byte(text), suffix, func(c host.Context, text []byte, err error) tea.Cmd {
		if err == nil {
			err = f.SetText(path, string(text))
		}
		if err != nil {
			c.Host.Warn("editor: " + err.Error())
		}
		c.Host.Redraw()
		return then(c)
	})
}

// EditBox opens a text in the user's editor. then follows when it was changed;
// suffix is that of the file's name, such as ".json".
func EditBox(c host.Context, b *kit.TextBox, suffix string, then func(host.Context) tea.Cmd) tea.Cmd {
	return host.Edit(c, []byte(b.Value()), suffix, func(c host.Context, text []byte, err error) tea.Cmd {
		if err != nil {
			c.Host.Warn("editor: " + err.Error())
			return nil
		}
		b.SetValue(strings.TrimSuffix(string(text), "\n"))
		c.Host.Redraw()
		return then(c)
	})
}
