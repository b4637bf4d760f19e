package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

const scopeInputs = "inputs"

// The names of the actions on inputs.
const (
	actAcceptInput = "input-accept"
	actNextInput   = "input-next"
	actPrevInput   = "input-previous"
	actNextOption  = "input-option"
	actClearInput  = "input-clear"
	actCloseInputs = "input-cancel"
)

func inputActions() []action {
	return []action{
		{entry{ID: actAcceptInput, Keys: []string{"enter"}, Scope: scopeInputs, Title: "accept", Help: "Go to the next value; behind the last one, open.", Priority: 90}, on((*App).acceptInput)},
		{entry{ID: actNextInput, Keys: []string{"tab", "down"}, Scope: scopeInputs, Title: "next", Help: "Go to the next value.", Priority: 60}, on(func(_ *App, f *inputs) tea.Cmd { return f.step(1) })},
		{entry{ID: actPrevInput, Keys: []string{"shift+tab", "up"}, Scope: scopeInputs, Title: "previous", Help: "Go to the value before."}, on(func(_ *App, f *inputs) tea.Cmd { return f.step(-1) })},
		{entry{ID: actNextOption, Keys: []string{"ctrl+n"}, Scope: scopeInputs, Title: "next option", Help: "Take the next of the options, where there are some.", Priority: 50, Enabled: inputHasOptions}, on((*App).nextOption)},
		{entry{ID: actClearInput, Keys: []string{"ctrl+u"}, Scope: scopeInputs, Title: "clear", Help: "Empty the value.", Priority: 20}, on((*App).clearInput)},
		{entry{ID: actCloseInputs, Keys: []string{"esc"}, Scope: scopeInputs, Title: "cancel", Help: "Open nothing.", Priority: 80}, on((*App).closeInputs)},
	}
}

// inputs asks for the values that a configuration leaves to the person. What is
// secret is not shown, and nothing of it stays behind in the fields.
type inputs struct {
	home   *home
	item   Item
	fields []*field
	at     int
	wrong  string
	block  paint.Lines
}

func newInputs(h *home, item Item) *inputs {
	f := &inputs{home: h, item: item}
	for _, in := range item.Inputs {
		field := newField(in.Secret)
		field.add(in.Default)
		f.fields = append(f.fields, field)
	}
	return f
}

func (*inputs) scope() string { return scopeInputs }

func (f *inputs) typed(_ *App, msg tea.Msg) tea.Cmd {
	f.fields[f.at].update(msg)
	f.wrong = ""
	return nil
}

func (f *inputs) step(by int) tea.Cmd {
	f.at = (f.at + by + len(f.fields)) % len(f.fields)
	return nil
}

func (a *App) acceptInput(f *inputs) tea.Cmd {
	if f.at+1 < len(f.fields) {
		return f.step(1)
	}
	values := make(map[string]string, len(f.fields))
	for i, in := range f.item.Inputs {
		text := string(f.fields[i].text)
		if len(in.Options) > 0 && !slices.Contains(in.Options, text) {
			f.at, f.wrong = i, "must be one of: "+strings.Join(in.Options, ", ")
			return nil
		}
		values[in.ID] = text
	}
	a.closeInputs(f)
	return a.launchItem(f.home, f.item, values)
}

func inputHasOptions(a *App) (bool, string) {
	f, ok := a.top().(*inputs)
	return ok && len(f.item.Inputs[f.at].Options) > 0, "any text will do here"
}

// nextOption takes the option after the one that is written, or the first.
func (a *App) nextOption(f *inputs) tea.Cmd {
	options, field := f.item.Inputs[f.at].Options, f.fields[f.at]
	next := (slices.Index(options, string(field.text)) + 1) % len(options)
	field.wipe()
	field.add(options[next])
	return nil
}

func (a *App) clearInput(f *inputs) tea.Cmd {
	f.fields[f.at].wipe()
	return nil
}

func (a *App) closeInputs(f *inputs) tea.Cmd {
	for _, field := range f.fields {
		field.wipe()
	}
	a.remove(f)
	return nil
}

// An inputRow is one line of the question.
type inputRow struct {
	text  string
	style theme.Style
	field int // that is painted here, counted from 1
}

func (f *inputs) rows(a *App, width int) (rows []inputRow, at int) {
	add := func(text string, style theme.Style) {
		for _, line := range wrap(text, width) {
			rows = append(rows, inputRow{text: line, style: style})
		}
	}
	for i, in := range f.item.Inputs {
		label := in.ID
		if in.Description != "" {
			label += ": " + in.Description
		}
		add(label, a.theme.Strong.If(i == f.at))
		if len(in.Options) > 0 {
			add("one of "+strings.Join(in.Options, ", "), a.theme.Dim)
		}
		if i == f.at {
			at = len(rows)
		}
		rows = append(rows, inputRow{field: i + 1})
	}
	return rows, at
}

func (f *inputs) paint(a *App) {
	width := min(dialogWidth, a.width-2) - 4
	rows, at := f.rows(a, width)
	height := min(len(rows)+1, a.height-4)
	r := a.below().Center(width+4, height+2)
	f.block.Options = a.look()
	f.block.Resize(width+2, height)
	top := between(0, at-height/2, max(len(rows)-height+1, 0))
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
		l.Text(a.theme.Key, mark)
		f.fields[row.field-1].paint(l, a.theme, a.opts.ASCII, row.field == f.at+1)
	}
	last := f.block.Line(height - 1)
	last.PadTo(1)
	switch {
	case f.wrong != "":
		last.Text(a.theme.Error, "x "+f.wrong)
	case f.item.Inputs[f.at].Secret:
		last.Text(a.theme.Dim, "what you type is not shown")
	}
	a.canvas.Box(r, a.border("Needed to open "+f.item.Name, "", true), &f.block)
}
