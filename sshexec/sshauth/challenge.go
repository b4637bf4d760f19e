package sshauth

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

// Far above what real servers need.
const (
	maxRounds    = 64 // of one login
	maxQuestions = 16 // of one round
)

var (
	errRounds    = fmt.Errorf("the server sent more than %d rounds of questions", maxRounds)
	errQuestions = fmt.Errorf("the server sent more than %d questions at once", maxQuestions)
	errAnswers   = errors.New("not every question was answered")
)

type rounds struct {
	attempts int    // since the last step that succeeded
	silent   bool   // the current attempt has not had a single round
	total    int    // rounds of all attempts
	told     string // text of rounds without questions, shown in the next round with some
}

// If a server refuses the attempt without any round, it is not tried again.
func (a *Authenticator) answerRounds() ssh.AuthMethod {
	r := &a.rounds
	if r.attempts >= a.tries || r.attempts > 0 && r.silent || a.history.unansweredIs(executor.PromptChallenge) {
		return nil
	}
	r.attempts++
	r.silent = true
	a.history.challenges++
	return ssh.KeyboardInteractive(a.answerRound)
}

// A round without questions needs no prompt; its text is shown in the next one.
func (a *Authenticator) answerRound(name, instruction string, questions []string, echos []bool) ([]string, error) {
	r := &a.rounds
	r.silent = false
	a.resume()
	if r.total++; r.total > maxRounds {
		return nil, a.history.remark(errRounds)
	}
	if len(questions) > maxQuestions {
		return nil, a.history.remark(errQuestions)
	}
	r.addText(joinLines(name, instruction))
	a.history.said = r.told
	if len(questions) == 0 {
		a.expectPerson()
		return nil, nil
	}
	return a.askRound(questions, echos)
}

func (a *Authenticator) askRound(questions []string, echos []bool) ([]string, error) {
	r := &a.rounds
	p := executor.Prompt{
		Kind:   executor.PromptChallenge,
		Text:   nth("Questions from the server "+a.hop, r.attempts, a.tries),
		Remote: r.told,
	}
	for i, q := range questions {
		p.Questions = append(p.Questions, executor.Question{Text: wording.Cut(q, maxQuestion), Echo: echos[i]})
	}
	r.told = ""
	answer, err := a.ask(p, plain(questions[0]))
	if err != nil {
		return nil, err
	}
	if len(answer.Values) != len(questions) {
		clear(answer.Values)
		return nil, errAnswers
	}
	a.expectPerson()
	return answer.Values, nil
}

// addText drops the oldest text if there is too much.
func (r *rounds) addText(text string) {
	text = wording.Cut(text, maxRemote)
	if all := joinLines(r.told, text); len(all) <= maxRemote {
		text = all
	}
	r.told = text
}

func joinLines(texts ...string) string {
	var lines []string
	for _, text := range texts {
		if text = strings.TrimRight(text, "\r\n"); text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}
