package ui

import (
	"cmp"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
)

type prompt struct {
	asked  host.Prompt
	screen *sessionScreen // that it is about
	input  textinput.Model
	wrong  string
	offers []string // completions of the last word, if there are several
	past   *kit.History
}

func (sc *sessionScreen) ask(p host.Prompt) {
	input := form.NewInput(cmp.Or(p.Limit, filter.MaxLength), p.Hint)
	input.SetValue(p.Text)
	input.CursorEnd()
	past := sc.app.typed[p.Label]
	if past == nil {
		past = &kit.History{}
		sc.app.typed[p.Label] = past
	}
	past.Add("")
	sc.app.front.prompt, sc.app.canvas.stale = &prompt{asked: p, screen: sc, input: input, past: past}, true
}

func (p *prompt) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	p.changed()
	return cmd
}

func (p *prompt) changed() {
	p.wrong, p.offers = "", nil
	if p.asked.Check == nil {
		return
	}
	if err := p.asked.Check(p.input.Value()); err != nil {
		p.wrong = err.Error()
	}
}

func (p *prompt) set(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
	p.changed()
}

// completeWord completes the text as far as it is unambiguous, or lists the completions.
func (p *prompt) completeWord() {
	text := p.input.Value()
	ways := p.asked.Complete(text)
	if len(ways) == 0 {
		return
	}
	common := ways[0]
	for _, way := range ways[1:] {
		for !strings.HasPrefix(way, common) {
			common = common[:len(common)-1]
		}
	}
	p.set(common)
	if len(ways) > 1 {
		for _, way := range ways {
			p.offers = append(p.offers, way[strings.LastIndexByte(way, ' ')+1:])
		}
	}
}

func (p *prompt) paint(l *paint.Line, th *paint.Theme) {
	l.Text(th.Accent, " "+p.asked.Label+" ")
	style, says := th.Good, "  ok"
	switch {
	case len(p.offers) > 0:
		style, says = th.Dim, "  "+strings.Join(p.offers, " ")
	case p.wrong != "":
		style, says = th.Failed, "  x "+p.wrong
	case p.input.Value() == "":
		says = ""
	}
	p.input.SetWidth(max(l.Room()-len(says)-1, l.Room()/3))
	valid := th.Good.If(p.asked.Check != nil && p.input.Value() != "")
	if p.wrong != "" {
		valid = th.Failed
	}
	l.Rendered(inStyle(valid, p.input.View()))
	l.Text(style, says)
}

// inStyle puts a style around the plain parts of a widget's output.
func inStyle(s paint.Style, rendered string) string {
	const reset = "\x1b[m" // ends every attribute, as widgets do after theirs
	return s.On + strings.ReplaceAll(rendered, reset, reset+s.On) + s.Off
}

// accept keeps the prompt open if the text has an error.
func (p *prompt) accept() tea.Cmd {
	cmd, err := p.asked.Accept(p.screen.context(), p.input.Value())
	if err != nil {
		p.wrong = err.Error()
		return nil
	}
	p.past.Add(p.input.Value())
	p.screen.app.front.prompt = nil
	return p.screen.tagged(cmd)
}

// cancel closes the line; its text can be recalled.
func (p *prompt) cancel() {
	if text := p.input.Value(); text != p.asked.Text {
		p.past.Add(text)
	}
	if undo := p.asked.Cancelled; undo != nil {
		undo()
	}
	p.screen.app.front.prompt = nil
}

// askFilter sets the given filter, or asks for one: it begins with the filter in force, or
// without one with the text that is searched for.
func (sc *sessionScreen) askFilter(text string) tea.Cmd {
	if f, err := filter.Parse(text); text != "" && err == nil {
		return sc.rows.SetFilter(f)
	}
	if shown := sc.rows.Traffic.Shown; shown != nil {
		text = shown.String()
	} else if sc.rows.Search != nil {
		text = filter.TextWord(sc.rows.Search.Text)
	}
	sc.ask(host.Prompt{
		Label: "filter", Hint: filterHint, Text: text, Check: valid(filter.Parse), Complete: filter.Complete,
		Accept: func(_ host.Context, text string) (tea.Cmd, error) {
			f, err := filter.Parse(text)
			if err != nil {
				return nil, err
			}
			return sc.rows.SetFilter(f), nil
		},
	})
	return nil
}

func (sc *sessionScreen) askSearch() {
	sc.ask(host.Prompt{Label: "search", Hint: searchHint, Check: valid(filter.Text), Accept: func(_ host.Context, text string) (tea.Cmd, error) {
		if text == "" {
			sc.endSearch()
			return nil, nil
		}
		return sc.startSearch(text)
	}})
}

func valid(parse func(string) (*filter.Filter, error)) func(string) error {
	return func(text string) error {
		_, err := parse(text)
		return err
	}
}

func promptActions(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: "prompt-clear", Keys: []string{"ctrl+u"}, Scope: scopePrompt, Title: "empty", Help: "Empty the line.", Yields: true}, Do: of.run(func(s *sessionScreen) { s.app.front.prompt.set("") })},
		{Entry: host.Entry{ID: "prompt-earlier", Keys: []string{"up"}, Scope: scopePrompt, Title: "earlier", Help: "Recall an earlier text of this line.", Yields: true}, Do: of.run(func(s *sessionScreen) {
			s.app.front.prompt.set(s.app.front.prompt.past.Step(-1, s.app.front.prompt.input.Value()))
		})},
		{Entry: host.Entry{ID: "prompt-later", Keys: []string{"down"}, Scope: scopePrompt, Title: "later", Help: "Recall a later text of this line.", Yields: true}, Do: of.run(func(s *sessionScreen) {
			s.app.front.prompt.set(s.app.front.prompt.past.Step(1, s.app.front.prompt.input.Value()))
		})},
		{Entry: host.Entry{ID: actComplete, Keys: []string{"tab"}, Scope: scopePrompt, Title: "complete", Help: "Complete the last word, or list its completions.", Priority: 85, Enabled: of.can(completes)}, Do: of.run(func(s *sessionScreen) { s.app.front.prompt.completeWord() })},
	}
}

func completes(s *sessionScreen) (bool, string) {
	return s.app.front.prompt != nil && s.app.front.prompt.asked.Complete != nil, "there is nothing to complete"
}

// The placeholders of empty text fields.
const (
	filterHint = `tool:echo err >100ms k=3 text /regexp/ !not or method: dir:in kind: n:10-20`
	searchHint = `text or /regexp/`
)
