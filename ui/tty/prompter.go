package tty

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mcpdbg/session/executor"
)

// ErrDeclined is the error of Ask when the user closes a question without an answer.
// Rejecting an unknown host key is not an error: the answer is no.
var ErrDeclined = errors.New("question closed without an answer")

// A Prompter asks the user questions in the interface. It implements
// executor.Prompter and serves one Run, through Options.Prompter. Questions are
// shown one at a time, in the order of the calls of Ask; those asked before the
// interface has started wait for it.
//
// # How the user recognizes a question of the program
//
// Much of the text on the screen comes from a server, even in a question. A
// question of this program differs from anything a server could imitate by what
// only the program controls:
//
//   - The first and the last line of the screen never show text of a server.
//     While a question is open the first announces it, in reverse video, with
//     host and user, and the last lists the keys of the question.
//   - Everything else on the screen loses its colours and is dimmed, and no pane
//     has the heavy border: keys go to the question only.
//   - The question overlaps the borders of panes, which no text can leave, in a
//     double frame that nothing else has.
//   - Text of the server is inside the question in a box of its own, under "the
//     server says:", escaped by package termsafe, and cannot leave that box. The
//     labels of the fields are always the program's.
//
// Keys typed before the question could be read do not answer it: it accepts keys
// only after it has been on the screen for askPause, and after askPause without
// a key. A secret is shown as dots while it is typed, never logged, and wiped
// when the question is closed.
type Prompter struct {
	news chan struct{} // rings when the first question has changed

	mu      sync.Mutex
	waiting []*Question
	ended   bool
}

// NewPrompter returns a Prompter for Options.Prompter.
func NewPrompter() *Prompter { return &Prompter{news: make(chan struct{}, 1)} }

// A Question is waiting for its answer.
type Question struct {
	Prompt executor.Prompt
	reply  chan Reply // with room for one
}

// A Reply is what Ask returns.
type Reply struct {
	Answer executor.Answer
	Err    error
}

// Ask shows a question and waits for the user's answer or until ctx is done. Its errors
// are ErrDeclined, the cause of ctx, and executor.ErrNoPrompter once the interface has
// ended. Any goroutine may call it, but not in Update.
func (p *Prompter) Ask(ctx context.Context, prompt executor.Prompt) (executor.Answer, error) {
	q := &Question{Prompt: prompt, reply: make(chan Reply, 1)}
	if !p.add(q) {
		return executor.Answer{}, unanswered(prompt)
	}
	select {
	case r := <-q.reply:
		return r.Answer, r.Err
	case <-ctx.Done():
		p.take(q)
		return executor.Answer{}, context.Cause(ctx)
	}
}

// unanswered is the error of an open question when the interface ends.
func unanswered(prompt executor.Prompt) error {
	what, _, _ := strings.Cut(strings.TrimSpace(prompt.Text), "\n")
	return fmt.Errorf("%w: %s: %s", executor.ErrNoPrompter, PromptSubject(prompt), what)
}

// PromptSubject returns the user and the host that a question is about.
func PromptSubject(prompt executor.Prompt) string {
	if prompt.User == "" || strings.Contains(prompt.Hop, "@") {
		return prompt.Hop
	}
	return prompt.User + "@" + prompt.Hop
}

func (p *Prompter) add(q *Question) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.waiting = append(p.waiting, q)
	p.ring()
	return true
}

// take removes a question from the list; ok is false if it is no longer there.
func (p *Prompter) take(q *Question) (ok bool) {
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

// ring wakes listen. The caller holds the lock, or is alone.
func (p *Prompter) ring() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// First returns the question to show, or nil, and the number of questions queued behind
// it.
func (p *Prompter) First() (q *Question, behind int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		return nil, 0
	}
	return p.waiting[0], len(p.waiting) - 1
}

// Answer ends a question, unless it has already ended.
func (p *Prompter) Answer(q *Question, r Reply) {
	if p.take(q) {
		q.reply <- r
	}
}

// Listen calls ring whenever there may be another question to show, until ctx is done.
func (p *Prompter) Listen(ctx context.Context, ring func()) {
	for {
		select {
		case <-p.news:
			ring()
		case <-ctx.Done():
			return
		}
	}
}

// End fails all current and later questions.
func (p *Prompter) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, q := range p.waiting {
		q.reply <- Reply{Err: unanswered(q.Prompt)}
	}
	p.waiting = nil
}
