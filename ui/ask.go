package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/tty"
)

type ask struct {
	guard
	app      *App
	question *tty.Question
	behind   int // questions that wait for this one
	fields   []*kit.Field
	at       int // focused field
	text     kit.Text
	wrong    string // the problem with the typed text, "" for none
}

type asked struct{}

func newAsk(a *App, q *tty.Question) *ask {
	k := &ask{app: a, question: q}
	switch p := q.Prompt; p.Kind {
	case executor.PromptHostKey:
		k.fields = []*kit.Field{kit.NewField(false)}
	case executor.PromptChallenge:
		for _, line := range p.Questions {
			k.fields = append(k.fields, kit.NewField(!line.Echo))
		}
	default:
		for range max(len(p.Questions), 1) {
			k.fields = append(k.fields, kit.NewField(true))
		}
	}
	return k
}

func (a *App) nextQuestion() tea.Cmd {
	q, behind := a.opts.Prompter.First()
	a.canvas.stale = true
	if a.front.ask != nil && a.front.ask.question == q {
		a.front.ask.behind = behind
		return nil
	}
	a.closeQuestion()
	if q == nil {
		return nil
	}
	a.front.ask, a.front.menu = newAsk(a, q), nil
	a.front.ask.behind = behind
	return nil
}

func (a *App) closeQuestion() {
	if a.front.ask == nil {
		return
	}
	for _, f := range a.front.ask.fields {
		f.Wipe()
	}
	a.front.ask, a.canvas.stale = nil, true
}

func (k *ask) typed(msg tea.Msg) {
	if len(k.fields) > 0 {
		k.fields[k.at].Update(msg)
	}
	k.wrong, k.app.canvas.stale = "", true
}

func (k *ask) paste(msg tea.PasteMsg) {
	if !k.ready || k.app.panes.layout.mode == tooSmall {
		k.drop()
		return
	}
	k.typed(msg)
}

func (k *ask) step(by int) {
	if n := len(k.fields); n > 0 {
		k.at = (k.at + by + n) % n
	}
}

func (k *ask) clear() {
	if len(k.fields) > 0 {
		k.fields[k.at].Wipe()
		k.wrong = ""
	}
}

// accept moves to the next field; on the last one it submits the answers.
func (k *ask) accept() tea.Cmd {
	if k.at+1 < len(k.fields) {
		k.at++
		return nil
	}
	answer, wrong := k.answer()
	if wrong != "" {
		k.wrong = wrong
		return nil
	}
	return k.reply(tty.Reply{Answer: answer})
}

// decline rejects a host key; any other question has no answer.
func (k *ask) decline() tea.Cmd {
	if k.question.Prompt.Kind == executor.PromptHostKey {
		return k.reply(tty.Reply{})
	}
	return k.reply(tty.Reply{Err: tty.ErrDeclined})
}

func (k *ask) reply(r tty.Reply) tea.Cmd {
	k.app.opts.Prompter.Answer(k.question, r)
	k.app.closeQuestion()
	return k.app.nextQuestion()
}

// answer returns why the typed answer is invalid in wrong.
func (k *ask) answer() (answer executor.Answer, wrong string) {
	if k.question.Prompt.Kind == executor.PromptHostKey {
		return hostKeyAnswer(string(k.fields[0].Text))
	}
	for _, f := range k.fields {
		answer.Values = append(answer.Values, string(f.Text))
	}
	return answer, ""
}

// hostKeyAnswer accepts yes, no or a fingerprint, which the caller checks; an empty text
// means no.
func hostKeyAnswer(text string) (answer executor.Answer, wrong string) {
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "", "n", "no":
		return executor.Answer{}, ""
	case "y", "yes":
		return executor.Answer{Yes: true}, ""
	}
	if strings.HasPrefix(text, "SHA256:") {
		return executor.Answer{Values: []string{text}}, ""
	}
	return executor.Answer{}, "enter yes, no or the fingerprint"
}

func (k *ask) label() string {
	switch n := len(k.fields); {
	case n == 0:
		return "press enter to continue"
	case k.question.Prompt.Kind == executor.PromptHostKey:
		return "yes, no or fingerprint [no]:"
	case n > 1:
		return fmt.Sprintf("answer %d of %d:", k.at+1, n)
	case k.question.Prompt.Kind == executor.PromptChallenge:
		return "answer:"
	}
	return string(k.question.Prompt.Kind) + ":"
}

func asks(kind executor.PromptKind) string {
	switch kind {
	case executor.PromptHostKey:
		return "is this the right host?"
	case executor.PromptPassphrase:
		return "key passphrase"
	case executor.PromptPassword:
		return "password"
	}
	return "questions from the host"
}
