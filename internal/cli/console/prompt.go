package console

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"mcpdbg/session/executor"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/widget/termsafe"
)

// Then an invalid reply means no.
const maxAttempts = 3

// A terminal can prompt the user.
type terminal interface {
	io.WriteCloser
	ReadLine(ctx context.Context, ask string, echo bool) (string, error)
}

// A prompter asks on the controlling terminal, not on standard input and output.
type prompter struct {
	open      func() (terminal, error)
	interrupt func() // ends the program, as ctrl+c does without a prompt

	mu sync.Mutex // one question at a time
}

// Ask implements executor.Prompter.
func (p *prompter) Ask(ctx context.Context, q executor.Prompt) (executor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tty, err := p.open()
	if err != nil {
		return executor.Answer{}, fmt.Errorf("%w: no terminal available: %s", executor.ErrNoPrompter, ownWords(q)[0])
	}
	defer tty.Close()
	answer, err := ask(ctx, tty, q)
	if isInterrupt(err) {
		p.interrupt()
	}
	return answer, err
}

// Text from the server is marked and sanitized.
func ask(ctx context.Context, tty terminal, q executor.Prompt) (executor.Answer, error) {
	own := ownWords(q)
	last := ""
	if q.Kind == executor.PromptPassphrase || q.Kind == executor.PromptPassword {
		own, last = own[:len(own)-1], own[len(own)-1]
	}
	lead := "mcpdbg: "
	for _, line := range own {
		fmt.Fprintln(tty, lead+termsafe.String(line))
		lead = "        "
	}
	for line := range strings.Lines(strings.TrimSpace(q.Remote)) {
		fmt.Fprintln(tty, "  the server says: "+termsafe.String(strings.TrimRight(line, "\r\n")))
	}
	switch q.Kind {
	case executor.PromptHostKey:
		return askHostKey(ctx, tty)
	case executor.PromptChallenge:
		return askChallenge(ctx, tty, q.Questions)
	default:
		value, err := tty.ReadLine(ctx, "mcpdbg: "+termsafe.String(last)+": ", false)
		if err != nil {
			return executor.Answer{}, err
		}
		return executor.Answer{Yes: true, Values: []string{value}}, nil
	}
}

// ownWords returns this program's part of a question, at least one line, with the host in
// it.
func ownWords(q executor.Prompt) []string {
	lines := strings.Split(strings.TrimSpace(q.Text), "\n")
	if who := strings.TrimPrefix(q.User+"@"+q.Hop, "@"); !strings.Contains(q.Text, q.Hop) {
		if strings.Contains(q.Hop, "@") {
			who = q.Hop
		}
		lines[0] = who + ": " + lines[0]
	}
	return lines
}

// The reply is yes, no, or a fingerprint, which the caller compares.
func askHostKey(ctx context.Context, tty terminal) (executor.Answer, error) {
	for range maxAttempts {
		text, err := tty.ReadLine(ctx, "mcpdbg: yes, no, or the fingerprint: ", true)
		if err != nil {
			return executor.Answer{}, err
		}
		switch text = strings.TrimSpace(text); {
		case strings.EqualFold(text, "yes"):
			return executor.Answer{Yes: true}, nil
		case strings.EqualFold(text, "no"):
			return executor.Answer{}, nil
		case len(text) > len("yes"):
			return executor.Answer{Values: []string{text}}, nil
		}
	}
	return executor.Answer{}, nil
}

func askChallenge(ctx context.Context, tty terminal, questions []executor.Question) (executor.Answer, error) {
	answer := executor.Answer{Yes: true}
	for _, q := range questions {
		value, err := tty.ReadLine(ctx, "  the server asks: "+termsafe.String(strings.TrimSpace(q.Text))+" ", q.Echo)
		if err != nil {
			return executor.Answer{}, err
		}
		answer.Values = append(answer.Values, value)
	}
	return answer, nil
}

// Prompter is for commands without the interface.
func (env *Env) Prompter() executor.Prompter { return env.prompter() }

func (env *Env) prompter() *prompter {
	return &prompter{interrupt: env.Interrupt, open: func() (terminal, error) {
		tty, err := tty.OpenTTY()
		if err != nil {
			return nil, err
		}
		return &promptTerminal{tty, env.Signals.AtExit(tty.Save())}, nil
	}}
}

// AskLine reads a line from the controlling terminal, after a prompt without text of a
// server. The error is executor.ErrNoPrompter without a terminal, or the cause of ctx.
func (env *Env) AskLine(ctx context.Context, prompt string) (string, error) {
	p := env.prompter()
	tty, err := p.open()
	if err != nil {
		return "", fmt.Errorf("%w: no terminal available", executor.ErrNoPrompter)
	}
	defer tty.Close()
	text, err := tty.ReadLine(ctx, prompt, true)
	if isInterrupt(err) {
		p.interrupt()
	}
	return text, err
}

// A promptTerminal is the terminal during a prompt.
type promptTerminal struct {
	*tty.TTY
	done func() // unregisters the restoring of the terminal
}

// Close implements io.Closer.
func (t *promptTerminal) Close() error {
	t.done()
	return t.TTY.Close()
}
