package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mcpdbg/session/executor"
)

// ErrDeclined is the error of Ask when the person closed a question without an
// answer. An unknown host key that nobody wants is no error, but the answer no.
var ErrDeclined = errors.New("the question was closed without an answer")

// A Prompter asks the person in front of the interface: it implements
// executor.Prompter. It serves one Run, by way of Options.Prompter. Questions
// are asked one after another, in the order they came; while the interface has
// not begun yet they wait for it.
//
// # How the person knows that it is the program that asks
//
// Much of what stands on the screen was written by a server, and in a question
// too there are words of the server. A question of this program is told from
// all that a server could paint by what only the program has hold of:
//
//   - the first line of the screen and the last are never a server's. While a
//     question is open the first says so, in reverse, with host and user, and
//     the last has the keys of the question;
//   - everything else on the screen loses its colours and is dimmed, and no pane
//     has the heavy border any more: keys go to the question only;
//   - the question stands over the borders of panes, which no text can leave,
//     in a double frame that nothing else has;
//   - words of the server stand in a box of their own inside of it, under "the
//     server says:", escaped by package termsafe, and cannot leave that box. The
//     labels of the fields are always the program's.
//
// Keys that were typed before the question could be read do not answer it: it
// takes none until it has been on the screen, and after that no key has come,
// for askPause. What is typed as a secret is shown as dots, never logged, and
// wiped when the question is closed.
type Prompter struct {
	news chan struct{} // rings when the first question is another one

	mu      sync.Mutex
	waiting []*question
	ended   bool
}

// NewPrompter returns a Prompter for Options.Prompter.
func NewPrompter() *Prompter { return &Prompter{news: make(chan struct{}, 1)} }

// A question waits for its answer.
type question struct {
	prompt executor.Prompt
	reply  chan reply // has room for the one that comes
}

// A reply is what Ask returns.
type reply struct {
	answer executor.Answer
	err    error
}

// Ask asks, and waits until the person has answered or ctx is done. Its errors
// are ErrDeclined, the cause of ctx, and executor.ErrNoPrompter once the
// interface has ended. It may be called from any goroutine, but not in Update.
func (p *Prompter) Ask(ctx context.Context, prompt executor.Prompt) (executor.Answer, error) {
	q := &question{prompt: prompt, reply: make(chan reply, 1)}
	if !p.add(q) {
		return executor.Answer{}, nobody(prompt)
	}
	select {
	case r := <-q.reply:
		return r.answer, r.err
	case <-ctx.Done():
		p.take(q)
		return executor.Answer{}, context.Cause(ctx)
	}
}

// nobody is the error of a question that nobody can answer.
func nobody(prompt executor.Prompt) error {
	what, _, _ := strings.Cut(strings.TrimSpace(prompt.Text), "\n")
	return fmt.Errorf("%w: %s: %s", executor.ErrNoPrompter, who(prompt), what)
}

// who is the user and the host that a question is about.
func who(prompt executor.Prompt) string {
	if prompt.User == "" || strings.Contains(prompt.Hop, "@") {
		return prompt.Hop
	}
	return prompt.User + "@" + prompt.Hop
}

func (p *Prompter) add(q *question) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.waiting = append(p.waiting, q)
	p.ring()
	return true
}

// take takes a question off the list; it is not ok if it was not there any
// more.
func (p *Prompter) take(q *question) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, q)
	if i < 0 {
		return false
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	p.ring()
	return true
}

// ring wakes listen. The lock is held, or nobody else knows p.
func (p *Prompter) ring() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// first is the question to show, nil if there is none, and how many wait
// behind it.
func (p *Prompter) first() (q *question, behind int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		return nil, 0
	}
	return p.waiting[0], len(p.waiting) - 1
}

// answer ends a question, unless it has ended.
func (p *Prompter) answer(q *question, r reply) {
	if p.take(q) {
		q.reply <- r
	}
}

// listen calls ring whenever there may be another question to show, until ctx
// is done.
func (p *Prompter) listen(ctx context.Context, ring func()) {
	for {
		select {
		case <-p.news:
			ring()
		case <-ctx.Done():
			return
		}
	}
}

// end fails all questions, and those to come.
func (p *Prompter) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, q := range p.waiting {
		q.reply <- reply{err: nobody(q.prompt)}
	}
	p.waiting = nil
}
