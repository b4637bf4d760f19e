package ui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/filter"
	"mcpdbg/ui/grid"
)

// A prompt is a line of text that is written in the place of the footer.
type prompt struct {
	label  string
	input  textinput.Model
	accept func(a *App, text string) (tea.Cmd, error)
	wrong  string // what is wrong with the text
}

func newPrompt(label, hint, text string, accept func(*App, string) (tea.Cmd, error)) *prompt {
	input := textinput.New()
	input.Prompt = ""
	input.CharLimit = filter.MaxLength
	input.Placeholder = hint
	input.SetStyles(inputStyles())
	input.SetValue(text)
	input.CursorEnd()
	input.Focus()
	return &prompt{label: label, input: input, accept: accept}
}

func (p *prompt) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	p.wrong = ""
	return cmd
}

// paint paints the prompt into one line.
func (p *prompt) paint(l *grid.Line, a *App) {
	l.Text(a.theme.Key, " "+p.label+" ")
	wrong := ""
	if p.wrong != "" {
		wrong = "  x " + p.wrong
	}
	p.input.SetWidth(max(l.Room()-len(wrong)-1, l.Room()/3))
	l.Rendered(p.input.View())
	l.Text(a.theme.Error, wrong)
}

// acceptPrompt uses what was written; with something wrong about it the prompt
// stays and says so.
func (a *App) acceptPrompt() tea.Cmd {
	p := a.prompt
	cmd, err := p.accept(a, p.input.Value())
	if err != nil {
		p.wrong = err.Error()
		return nil
	}
	a.prompt = nil
	return cmd
}

func (a *App) askFilter() {
	text := ""
	if a.traffic.shown != nil {
		text = a.traffic.shown.String()
	}
	a.prompt = newPrompt("filter", filterHint, text, func(a *App, text string) (tea.Cmd, error) {
		f, err := filter.Parse(text)
		if err != nil {
			return nil, err
		}
		a.mark(trafficID)
		return a.traffic.setFilter(f), nil
	})
}

func (a *App) askSearch() {
	a.prompt = newPrompt("search", searchHint, "", func(a *App, text string) (tea.Cmd, error) {
		if text == "" {
			a.setSearch(nil)
			return nil, nil
		}
		return a.startSearch(text)
	})
}
