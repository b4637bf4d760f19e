package link

import (
	"context"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

const (
	phaseWait    = "wait" // for a slot
	phaseResolve = "resolve"
	phaseConnect = "connect"
	phaseHostKey = "host-key"
	phaseLogin   = "login"
	phaseOpen    = "open" // of a channel on an existing connection
)

// A trace records what happens while connecting to a hop. Many goroutines write it, and
// every dial that waits for the hop reads it.
type trace struct {
	mu      sync.Mutex
	events  []event
	pauses  int           // prompts, and waits for a slot
	over    bool          // no more events come
	changed chan struct{} // and replaced by every change
}

type event struct {
	ended bool
	phase executor.Phase
}

func newTrace() *trace { return &trace{changed: make(chan struct{})} }

func (t *trace) begin(name, detail string) *step {
	s := &step{trace: t, phase: executor.Phase{Name: name, Detail: detail, Begin: time.Now()}}
	t.update(func() { t.events = append(t.events, event{phase: s.phase}) })
	return s
}

// The time until resume is called is not the fault of the hop.
func (t *trace) pause() (resume func()) {
	t.update(func() { t.pauses++ })
	return func() { t.update(func() { t.pauses-- }) }
}

// No more events come.
func (t *trace) close() { t.update(func() { t.over = true }) }

func (t *trace) update(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	close(t.changed)
	t.changed = make(chan struct{})
}

// after returns the events after the first n.
func (t *trace) after(n int) (events []event, paused, over bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.events[n:], t.pauses > 0, t.over, t.changed
}

// report reports the trace until it is over. When ctx ends first, report ends the open
// phase with ctx's cause, and returns that. During a pause the clocks around ctx are
// stopped.
func (t *trace) report(ctx context.Context, r Reporter) error {
	resume := func() {}
	defer func() { resume() }()
	paused := false
	var open *executor.Phase
	for told := 0; ; {
		events, pause, over, changed := t.after(told)
		told += len(events)
		for _, e := range events {
			if e.ended {
				r.end(e.phase)
				open = nil
			} else {
				r.begin(e.phase)
				open = &e.phase
			}
		}
		if over {
			return nil
		}
		switch {
		case pause && !paused:
			resume, paused = executor.Pause(ctx), true
		case !pause && paused:
			resume()
			paused = false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			err := ended(ctx)
			if open != nil {
				open.End, open.Err = time.Now(), err
				r.end(*open)
			}
			return err
		}
	}
}

// Only one goroutine may use a step at a time.
type step struct {
	trace *trace
	phase executor.Phase
}

// An empty detail keeps that of the begin.
func (s *step) end(detail string, err error) {
	if detail != "" {
		s.phase.Detail = detail
	}
	s.phase.End, s.phase.Err = time.Now(), err
	s.trace.update(func() { s.trace.events = append(s.trace.events, event{ended: true, phase: s.phase}) })
}

// An asker pauses the trace during prompts.
type asker struct {
	prompter executor.Prompter
	trace    *trace
	why      string // of a second prompt
}

// newAsker returns nil if there is no prompter.
func newAsker(p executor.Prompter, t *trace, why string) executor.Prompter {
	if p == nil {
		return nil
	}
	return &asker{prompter: p, trace: t, why: why}
}

// Ask implements executor.Prompter.
func (a *asker) Ask(ctx context.Context, p executor.Prompt) (executor.Answer, error) {
	defer a.trace.pause()()
	if a.why != "" {
		p.Text = a.why + "\n" + p.Text
	}
	return a.prompter.Ask(ctx, p)
}
