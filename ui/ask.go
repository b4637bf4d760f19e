package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/prompter"
)

// askPause is how long no key must have been pressed before a question accepts
// keys, so that it does not take keys meant for something else.
const askPause = 300 * time.Millisecond

// An ask is the question on the screen. See Prompter for its appearance.
type ask struct {
	question *prompter.Question
	behind   int // questions that wait for this one
	fields   []*kit.Field
	at       int // the field that has the keys
	scroll   kit.Scroll
	wrong    string // the problem with the typed text, "" for none

	drawn   bool // it has been painted
	ready   bool // keys are accepted
	ignored int  // number of keys pressed before that
}

// asked reports that there may be another question to show.
type asked struct{}

// quiet reports that no key was pressed for askPause: none after the first
// ignored ones.
type quiet struct {
	ask     *ask
	ignored int
}

func newAsk(q *prompter.Question) *ask {
	k := &ask{question: q}
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

// nextQuestion shows the first queued question, if that is another one.
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
	a.front.ask = newAsk(q)
	a.front.ask.behind = behind
	return a.awaitQuiet()
}

// closeQuestion removes the question from the screen, and the typed text from
// memory.
func (a *App) closeQuestion() {
	if a.front.ask == nil {
		return
	}
	for _, f := range a.front.ask.fields {
		f.Wipe()
	}
	a.front.ask, a.canvas.stale = nil, true
}

// awaitQuiet starts a pause; when it ends, the question accepts keys.
func (a *App) awaitQuiet() tea.Cmd {
	return a.outside.later(askPause, quiet{a.front.ask, a.front.ask.ignored})
}

// quietNow handles the end of a pause. It does not count if keys were pressed
// during it, or if the question was not visible.
func (a *App) quietNow(msg quiet) tea.Cmd {
	if a.front.ask != msg.ask || a.front.ask == nil || a.front.ask.ignored != msg.ignored {
		return nil
	}
	if !a.front.ask.drawn {
		return a.awaitQuiet()
	}
	a.front.ask.ready, a.canvas.stale = true, true
	return nil
}

// askKey handles a key while a question is open. Until the question is ready,
// only actions that work everywhere, such as quit, are accepted.
func (sc *sessionScreen) askKey(msg tea.KeyPressMsg) tea.Cmd {
	action, ok := sc.app.actions.keys.Lookup(scopeAsk, msg.String())
	switch {
	case ok && action.Everywhere:
		return sc.Do(action.ID)
	case !sc.app.front.ask.ready || sc.app.panes.layout.mode == tooSmall:
		return sc.app.ignoreKey()
	case ok:
		return sc.Do(action.ID)
	}
	sc.app.askTyped(msg)
	return nil
}

// ignoreKey restarts the pause.
func (a *App) ignoreKey() tea.Cmd {
	a.front.ask.ignored++
	if a.front.ask.ready {
		return nil
	}
	return a.awaitQuiet()
}

// askTyped gives a key or pasted text to the field.
func (a *App) askTyped(msg tea.Msg) {
	k := a.front.ask
	if len(k.fields) > 0 {
		k.fields[k.at].Update(msg)
	}
	k.wrong, a.canvas.stale = "", true
}

// askPaste handles text pasted while a question is open.
func (a *App) askPaste(msg tea.PasteMsg) tea.Cmd {
	if !a.front.ask.ready || a.panes.layout.mode == tooSmall {
		return a.ignoreKey()
	}
	a.askTyped(msg)
	return nil
}

// otherField moves to another field of the question.
func (a *App) otherField(by int) {
	if n := len(a.front.ask.fields); n > 0 {
		a.front.ask.at = (a.front.ask.at + by + n) % n
	}
}

// clearField empties the field.
func (sc *sessionScreen) clearField() {
	if k := sc.app.front.ask; len(k.fields) > 0 {
		k.fields[k.at].Wipe()
		k.wrong = ""
	}
}

// acceptField moves to the next field; on the last one it submits the answers.
func (sc *sessionScreen) acceptField() tea.Cmd {
	k := sc.app.front.ask
	if k.at+1 < len(k.fields) {
		k.at++
		return nil
	}
	answer, wrong := k.answer()
	if wrong != "" {
		k.wrong = wrong
		return nil
	}
	return sc.app.reply(prompter.Reply{Answer: answer})
}

// decline closes the question: a host key is then rejected, and any other
// question has no answer.
func (sc *sessionScreen) decline() tea.Cmd {
	if sc.app.front.ask.question.Prompt.Kind == executor.PromptHostKey {
		return sc.app.reply(prompter.Reply{})
	}
	return sc.app.reply(prompter.Reply{Err: prompter.ErrDeclined})
}

func (a *App) reply(r prompter.Reply) tea.Cmd {
	a.opts.Prompter.Answer(a.front.ask.question, r)
	a.closeQuestion()
	return a.nextQuestion()
}

// answer returns the typed answer; wrong is why it is not valid.
func (k *ask) answer() (answer executor.Answer, wrong string) {
	if k.question.Prompt.Kind == executor.PromptHostKey {
		return hostKeyAnswer(string(k.fields[0].Text))
	}
	for _, f := range k.fields {
		answer.Values = append(answer.Values, string(f.Text))
	}
	return answer, ""
}

// hostKeyAnswer accepts yes, no or a fingerprint; an empty text means no. The
// caller checks the fingerprint.
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

// label returns the label of the focused field.
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

// asks describes a kind of question in a few words.
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
