package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"mcpdbg/session/executor"
	"mcpdbg/ui/termsafe"
)

// maxAsked is how often a question is put again that was answered with something
// else.
const maxAsked = 3

// A terminal is where a person can be asked.
type terminal interface {
	io.WriteCloser
	ReadLine(ctx context.Context, ask string, echo bool) (string, error)
}

// A prompter asks on the terminal that controls the process, whatever standard
// input and output are.
type prompter struct {
	open      func() (terminal, error)
	interrupt func() // ends the program, as ctrl+c does where nobody is asked

	mu sync.Mutex // one question at a time
}

// Ask implements executor.Prompter.
func (p *prompter) Ask(ctx context.Context, q executor.Prompt) (executor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tty, err := p.open()
	if err != nil {
		return executor.Answer{}, fmt.Errorf("%w, for want of a terminal: %s", executor.ErrNoPrompter, ownWords(q)[0])
	}
	defer tty.Close()
	answer, err := ask(ctx, tty, q)
	if isInterrupt(err) {
		p.interrupt()
	}
	return answer, err
}

// ask puts one question. Words of the server are marked as such, and made safe.
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

// ownWords are this program's words of a question, at least one line, with the
// host in it.
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

// askHostKey takes yes, no, or the fingerprint, which is compared by who asks.
func askHostKey(ctx context.Context, tty terminal) (executor.Answer, error) {
	for range maxAsked {
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

// askChallenge asks what a server wants to know.
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
