package sshauth

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
)

// ask prompts the user once, with the clocks stopped. short is the text of the prompt in
// errors. If there is no answer, the attempts record why: there was no Prompter, or the
// user declined.
func (a *Authenticator) ask(p executor.Prompt, short string) (executor.Answer, error) {
	p.Hop, p.User = a.hop, a.host.User
	answer, err := a.put(p)
	switch {
	case err == nil:
		return answer, nil
	case a.ctx.Err() != nil:
		return answer, context.Cause(a.ctx)
	case errors.Is(err, executor.ErrNoPrompter):
		if a.history.unanswered == nil {
			a.history.unanswered = &question{kind: p.Kind, text: short}
		}
		return answer, executor.ErrNoPrompter
	default:
		a.history.declined = &declinedError{question: question{kind: p.Kind, text: short}, err: err}
		return answer, a.history.declined
	}
}

func (a *Authenticator) put(p executor.Prompt) (executor.Answer, error) {
	if a.prompter == nil {
		return executor.Answer{}, executor.ErrNoPrompter
	}
	defer executor.Pause(a.ctx)()
	return a.prompter.Ask(a.ctx, p)
}

func (a *Authenticator) askOne(kind executor.PromptKind, text, short string) (string, error) {
	answer, err := a.ask(executor.Prompt{Kind: kind, Text: text}, short)
	if err != nil || len(answer.Values) == 0 {
		return "", err
	}
	secret := answer.Values[0]
	clear(answer.Values)
	return secret, nil
}

// The password is prompted for when it is about to be sent.
func (a *Authenticator) askPassword() ssh.AuthMethod {
	if a.asked >= a.tries || a.history.unansweredIs(executor.PromptPassword) {
		return nil
	}
	a.asked++
	return ssh.PasswordCallback(func() (string, error) {
		text := "Password for " + a.hop
		secret, err := a.askOne(executor.PromptPassword, nth(text, a.asked, a.tries), text)
		if err != nil {
			return "", err
		}
		a.history.passwords++
		return secret, nil
	})
}

// nth adds, from the second try on, that the previous one was not accepted.
func nth(text string, try, tries int) string {
	if try < 2 {
		return text
	}
	return fmt.Sprintf("%s (not accepted; try %d of %d)", text, try, tries)
}

// A question is a prompt without an answer.
type question struct {
	kind executor.PromptKind
	text string // fit for a message
}

type declinedError struct {
	question question
	err      error
}

func (e *declinedError) Error() string {
	return fmt.Sprintf("no answer to %q: %v", e.question.text, e.err)
}

func (e *declinedError) Unwrap() error { return e.err }
