package sshauth

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
)

// Limits of keyboard-interactive: far more than any server in use needs.
const (
	maxRounds    = 64 // of one login
	maxQuestions = 16 // of one round
)

var (
	errRounds    = fmt.Errorf("the server asked more than %d rounds of questions", maxRounds)
	errQuestions = fmt.Errorf("the server asked more than %d questions at once", maxQuestions)
	errAnswers   = errors.New("not every question was answered")
)

// rounds is the state of keyboard-interactive.
type rounds struct {
	attempts int    // since the last step that succeeded
	silent   bool   // the attempt under way has not brought a single round
	total    int    // rounds of all attempts
	told     string // text of rounds without a question, for the next one with some
}

// answerRounds returns an attempt with keyboard-interactive. A server that
// refuses without any round will not ask the next time either.
func (a *Authenticator) answerRounds() ssh.AuthMethod {
	r := &a.rounds
	if r.attempts >= a.tries || r.attempts > 0 && r.silent || a.story.unansweredIs(executor.PromptChallenge) {
		return nil
	}
	r.attempts++
	r.silent = true
	a.story.challenges++
	return ssh.KeyboardInteractive(a.answerRound)
}

// answerRound answers one round. One without questions needs no person; what it
// says is kept for the next.
func (a *Authenticator) answerRound(name, instruction string, questions []string, echos []bool) ([]string, error) {
	r := &a.rounds
	r.silent = false
	a.resume()
	if r.total++; r.total > maxRounds {
		return nil, a.story.remark(errRounds)
	}
	if len(questions) > maxQuestions {
		return nil, a.story.remark(errQuestions)
	}
	r.tell(joinLines(name, instruction))
	a.story.said = r.told
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
		p.Questions = append(p.Questions, executor.Question{Text: cut(q, maxQuestion), Echo: echos[i]})
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

// tell adds text; what is older makes room.
func (r *rounds) tell(text string) {
	text = cut(text, maxRemote)
	if all := joinLines(r.told, text); len(all) <= maxRemote {
		text = all
	}
	r.told = text
}

// joinLines puts texts below each other and leaves out those that are empty.
func joinLines(texts ...string) string {
	var lines []string
	for _, text := range texts {
		if text = strings.TrimRight(text, "\r\n"); text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}
