package home

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// InputActions are those on the values that an item needs.
func InputActions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: "input-accept", Keys: []string{"enter"}, Scope: ScopeInputs, Title: "accept", Help: "Go to the next value; after the last one, open.", Priority: 90}, Do: host.On(accept)},
		host.Override(host.Entry{Name: kit.Down, ID: "input-next", Scope: ScopeInputs, Keys: []string{"tab", "down"}, Title: "next", Help: "Go to the next value.", Priority: 60, Now: host.HideIf(func(f *inputs) bool { return len(f.Fields) < 2 })}),
		host.Override(host.Entry{Name: kit.Up, ID: "input-previous", Scope: ScopeInputs, Keys: []string{"shift+tab", "up"}, Title: "previous", Help: "Go to the previous value."}),
		{Entry: host.Entry{ID: "input-option", Keys: []string{"ctrl+n"}, Scope: ScopeInputs, Title: "next option", Help: "Take the next option, if the value has options.", Priority: 50, Enabled: hasOptions}, Do: host.On(nextOption)},
		{Entry: host.Entry{ID: "input-clear", Keys: []string{"ctrl+u"}, Scope: ScopeInputs, Title: "clear", Help: "Clear the value.", Priority: 20}, Do: host.On(clearInput)},
		host.Override(host.Entry{Name: host.CloseName, ID: "input-cancel", Scope: ScopeInputs, Title: "cancel", Help: "Close without opening anything."}),
	}
}

// inputs prompts for the values that a configuration leaves to the user.
// Secrets are not shown, and the fields keep nothing of them.
type inputs struct {
	Fields []*kit.Field
	title  string
	of     []host.Input
	then   func(host.Context, map[string]string) tea.Cmd
	at     int
	wrong  string
	block  paint.Lines
}

// Ask opens a view that asks for values, such as what is needed to open a server; then gets
// them by their ids.
func Ask(c host.Context, to string, of []host.Input, then func(host.Context, map[string]string) tea.Cmd) {
	f := &inputs{title: "Needed to " + to, of: of, then: then}
	for _, in := range of {
		field := kit.NewField(in.Secret)
		field.Add(in.Default)
		f.Fields = append(f.Fields, field)
	}
	c.Host.Open(c.Workspace, f)
}

func (*inputs) Scope() string { return ScopeInputs }

func (f *inputs) Update(_ host.Context, msg tea.Msg) tea.Cmd {
	f.Fields[f.at].Update(msg)
	f.wrong = ""
	return nil
}

func (f *inputs) Move(_ host.Context, way string) tea.Cmd {
	by, _ := kit.LinesOf(way, 1)
	f.at = (f.at + by + len(f.Fields)) % len(f.Fields)
	return nil
}

// accept goes to the next value. After the last one it opens the item, if all
// values are allowed.
func accept(c host.Context, f *inputs) tea.Cmd {
	if f.at+1 < len(f.Fields) {
		return f.Move(c, kit.Down)
	}
	values := make(map[string]string, len(f.Fields))
	for i, in := range f.of {
		text := string(f.Fields[i].Text)
		if len(in.Options) > 0 && !slices.Contains(in.Options, text) {
			f.at, f.wrong = i, "must be one of: "+strings.Join(in.Options, ", ")
			return nil
		}
		values[in.ID] = text
	}
	f.Back(c)
	return f.then(c, values)
}

func hasOptions(c host.Context) (bool, string) {
	f, ok := c.View.(*inputs)
	return ok && len(f.of[f.at].Options) > 0, "this value accepts any text"
}

func nextOption(_ host.Context, f *inputs) tea.Cmd {
	options, field := f.of[f.at].Options, f.Fields[f.at]
	next := (slices.Index(options, string(field.Text)) + 1) % len(options)
	field.Wipe()
	field.Add(options[next])
	return nil
}

func clearInput(_ host.Context, f *inputs) tea.Cmd {
	f.Fields[f.at].Wipe()
	return nil
}

func (f *inputs) Back(c host.Context) tea.Cmd {
	for _, field := range f.Fields {
		field.Wipe()
	}
	c.Host.Close(f)
	return nil
}

type inputRow struct {
	text  string
	style paint.Style
	field int
}

func (f *inputs) rows(th *paint.Theme, width int) (rows []inputRow, at int) {
	add := func(text string, style paint.Style) {
		for _, line := range termsafe.Wrap(text, width) {
			rows = append(rows, inputRow{text: line, style: style})
		}
	}
	for i, in := range f.of {
		label := in.ID
		if in.Description != "" {
			label += ": " + in.Description
		}
		add(label, th.Strong.If(i == f.at))
		if len(in.Options) > 0 {
			add("one of "+strings.Join(in.Options, ", "), th.Dim)
		}
		if i == f.at {
			at = len(rows)
		}
		rows = append(rows, inputRow{field: i + 1})
	}
	return rows, at
}

func (f *inputs) Draw(c host.Context) {
	screen := c.Host.Screen()
	width := min(kit.DialogWidth, screen.Width-2) - 4
	rows, at := f.rows(screen.Theme, width)
	height := min(len(rows)+1, screen.Height-4)
	r := screen.Body().Center(width+4, height+2)
	c.Block(&f.block, r.Inner())
	top := kit.Between(0, at-height/2, max(len(rows)-height+1, 0))
	for y, row := range rows[top:min(top+height-1, len(rows))] {
		l := f.block.Line(y)
		l.PadTo(1)
		if row.field == 0 {
			l.Text(row.style, row.text)
			continue
		}
		mark := "  "
		if row.field == f.at+1 {
			mark = "> "
		}
		l.Text(screen.Theme.Accent, mark)
		f.Fields[row.field-1].Paint(l, screen.Theme, screen.ASCII, row.field == f.at+1)
	}
	last := f.block.Line(height - 1)
	last.PadTo(1)
	switch {
	case f.wrong != "":
		last.Text(screen.Theme.Failed, "x "+f.wrong)
	case f.of[f.at].Secret:
		last.Text(screen.Theme.Dim, "input is not echoed")
	}
	c.Dialog(ScopeInputs, r, f.title, "", &f.block)
}
