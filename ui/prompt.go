package ui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/filter"
	"mcpdbg/ui/paint"
)

// A prompt is a line of text that is written in the place of the footer.
type prompt struct {
	label    string
	input    textinput.Model
	check    func(text string) error    // says while it is written what is wrong
	complete func(text string) []string // what the text can go on to; nil if nothing is known
	accept   func(a *App, text string) (tea.Cmd, error)
	closed   func()   // takes back what was done while the text was written; nil for nothing
	wrong    string   // what is wrong with the text
	offers   []string // the last words that completion knows, if there are several
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
	return &prompt{label: label, input: input, check: func(string) error { return nil }, accept: accept}
}

func (p *prompt) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	p.changed()
	return cmd
}

// changed looks at the text anew.
func (p *prompt) changed() {
	p.wrong, p.offers = "", nil
	if err := p.check(p.input.Value()); err != nil {
		p.wrong = err.Error()
	}
}

// completeWord completes the text as far as only one way goes on, or says which
// ways there are.
func (p *prompt) completeWord() {
	text := p.input.Value()
	ways := p.complete(text)
	if len(ways) == 0 {
		return
	}
	common := ways[0]
	for _, way := range ways[1:] {
		for !strings.HasPrefix(way, common) {
			common = common[:len(common)-1]
		}
	}
	p.input.SetValue(common)
	p.input.CursorEnd()
	p.changed()
	if len(ways) > 1 {
		for _, way := range ways {
			p.offers = append(p.offers, way[strings.LastIndexByte(way, ' ')+1:])
		}
	}
}

// paint paints the prompt into one line, and behind it whether the text is
// right.
func (p *prompt) paint(l *paint.Line, a *App) {
	l.Text(a.theme.Key, " "+p.label+" ")
	style, says := a.theme.OK, "  ok"
	switch {
	case len(p.offers) > 0:
		style, says = a.theme.Dim, "  "+strings.Join(p.offers, " ")
	case p.wrong != "":
		style, says = a.theme.Error, "  x "+p.wrong
	case p.input.Value() == "":
		says = ""
	}
	p.input.SetWidth(max(l.Room()-len(says)-1, l.Room()/3))
	l.Rendered(p.input.View())
	l.Text(style, says)
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

// closePrompt leaves things as they were.
func (a *App) closePrompt() {
	if undo := a.prompt.closed; undo != nil {
		undo()
	}
	a.prompt = nil
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
		return a.setFilter(f), nil
	})
	a.prompt.check, a.prompt.complete = valid(filter.Parse), filter.Complete
}

func (a *App) askSearch() {
	a.prompt = newPrompt("search", searchHint, "", func(a *App, text string) (tea.Cmd, error) {
		if text == "" {
			a.setSearch(nil)
			return nil, nil
		}
		return a.startSearch(text)
	})
	a.prompt.check = valid(filter.Text)
}

// valid tells what is wrong with a text that parse takes.
func valid(parse func(string) (*filter.Filter, error)) func(string) error {
	return func(text string) error {
		_, err := parse(text)
		return err
	}
}
