package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/executor"
)

// askPause is how long no key may have come before a question takes any: what
// somebody was typing when it came up is not for it.
const askPause = 300 * time.Millisecond

// An ask is the question that is on the screen. See Prompter for what it looks
// like.
type ask struct {
	question *question
	behind   int // questions that wait for this one
	fields   []*field
	at       int // the field that has the keys
	scroll   scroll
	wrong    string // what is wrong with what was typed

	drawn   bool // it was painted
	ready   bool // keys count
	ignored int  // keys that did not
}

// asked says that there may be another question to show.
type asked struct{}

// quiet says that for askPause no key has come: none after those that were
// ignored then.
type quiet struct {
	ask     *ask
	ignored int
}

func newAsk(q *question) *ask {
	k := &ask{question: q}
	switch p := q.prompt; p.Kind {
	case executor.PromptHostKey:
		k.fields = []*field{newField(false)}
	case executor.PromptChallenge:
		for _, line := range p.Questions {
			k.fields = append(k.fields, newField(!line.Echo))
		}
	default:
		for range max(len(p.Questions), 1) {
			k.fields = append(k.fields, newField(true))
		}
	}
	return k
}

// nextQuestion shows the first question that waits, if that is another one.
func (a *App) nextQuestion() tea.Cmd {
	q, behind := a.opts.Prompter.first()
	a.stale = true
	if a.ask != nil && a.ask.question == q {
		a.ask.behind = behind
		return nil
	}
	a.closeQuestion()
	if q == nil {
		return nil
	}
	a.ask = newAsk(q)
	a.ask.behind = behind
	return a.awaitQuiet()
}

// closeQuestion takes the question off the screen, and what was typed out of
// memory.
func (a *App) closeQuestion() {
	if a.ask == nil {
		return
	}
	for _, f := range a.ask.fields {
		f.wipe()
	}
	a.ask, a.stale = nil, true
}

// awaitQuiet begins a pause, at the end of which the question takes keys.
func (a *App) awaitQuiet() tea.Cmd { return a.later(askPause, quiet{a.ask, a.ask.ignored}) }

// quietNow takes the end of a pause. One in which keys came does not count, and
// neither does one in which the question could not be seen.
func (a *App) quietNow(msg quiet) tea.Cmd {
	if a.ask != msg.ask || a.ask == nil || a.ask.ignored != msg.ignored {
		return nil
	}
	if !a.ask.drawn {
		return a.awaitQuiet()
	}
	a.ask.ready, a.stale = true, true
	return nil
}

// askKey takes a key while a question is open. Until that is ready only what
// can be done everywhere counts, such as to quit.
func (a *App) askKey(msg tea.KeyPressMsg) tea.Cmd {
	action, ok := a.keys.Lookup(scopeAsk, msg.String())
	switch {
	case ok && action.Everywhere:
		return a.Do(action.ID)
	case !a.ask.ready || a.layout.mode == tooSmall:
		return a.ignoreKey()
	case ok:
		return a.Do(action.ID)
	}
	a.askTyped(msg)
	return nil
}

// ignoreKey begins the pause anew.
func (a *App) ignoreKey() tea.Cmd {
	a.ask.ignored++
	if a.ask.ready {
		return nil
	}
	return a.awaitQuiet()
}

// askTyped gives a key, or what was pasted, to the field.
func (a *App) askTyped(msg tea.Msg) {
	k := a.ask
	if len(k.fields) > 0 {
		k.fields[k.at].update(msg)
	}
	k.wrong, a.stale = "", true
}

// askPaste takes what was pasted while a question is open.
func (a *App) askPaste(msg tea.PasteMsg) tea.Cmd {
	if !a.ask.ready || a.layout.mode == tooSmall {
		return a.ignoreKey()
	}
	a.askTyped(msg)
	return nil
}

// otherField goes to another field of the question.
func (a *App) otherField(by int) {
	if n := len(a.ask.fields); n > 0 {
		a.ask.at = (a.ask.at + by + n) % n
	}
}

// clearField empties the field.
func (a *App) clearField() {
	if k := a.ask; len(k.fields) > 0 {
		k.fields[k.at].wipe()
		k.wrong = ""
	}
}

// acceptField goes to the next field, and behind the last one answers.
func (a *App) acceptField() tea.Cmd {
	k := a.ask
	if k.at+1 < len(k.fields) {
		k.at++
		return nil
	}
	answer, wrong := k.answer()
	if wrong != "" {
		k.wrong = wrong
		return nil
	}
	return a.reply(reply{answer: answer})
}

// decline closes the question: a host key is then not accepted, and anything
// else has no answer.
func (a *App) decline() tea.Cmd {
	if a.ask.question.prompt.Kind == executor.PromptHostKey {
		return a.reply(reply{})
	}
	return a.reply(reply{err: ErrDeclined})
}

func (a *App) reply(r reply) tea.Cmd {
	a.opts.Prompter.answer(a.ask.question, r)
	a.closeQuestion()
	return a.nextQuestion()
}

// answer is what was typed; wrong says why that is no answer.
func (k *ask) answer() (answer executor.Answer, wrong string) {
	if k.question.prompt.Kind == executor.PromptHostKey {
		return hostKeyAnswer(string(k.fields[0].text))
	}
	for _, f := range k.fields {
		answer.Values = append(answer.Values, string(f.text))
	}
	return answer, ""
}

// hostKeyAnswer takes yes, no or a fingerprint; nothing means no. Whether it is
// the right fingerprint is for whoever asks.
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
	return executor.Answer{}, "yes, no, or the fingerprint"
}

// label is what stands before the field that has the keys.
func (k *ask) label() string {
	switch n := len(k.fields); {
	case n == 0:
		return "enter goes on"
	case k.question.prompt.Kind == executor.PromptHostKey:
		return "yes, no or its fingerprint [no]:"
	case n > 1:
		return fmt.Sprintf("answer %d of %d:", k.at+1, n)
	case k.question.prompt.Kind == executor.PromptChallenge:
		return "answer:"
	}
	return string(k.question.prompt.Kind) + ":"
}

// asks says in a few words what is asked.
func asks(kind executor.PromptKind) string {
	switch kind {
	case executor.PromptHostKey:
		return "is this the right host?"
	case executor.PromptPassphrase:
		return "the passphrase of a key"
	case executor.PromptPassword:
		return "a password"
	}
	return "what the host wants to know"
}
