package link

import (
	"context"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// The phases of a dial.
const (
	phaseWait    = "wait" // for a turn
	phaseResolve = "resolve"
	phaseConnect = "connect"
	phaseHostKey = "host-key"
	phaseLogin   = "login"
	phaseOpen    = "open" // of a channel, when the connection is there
)

// A trace is what happens while a hop is being connected to, in order. Many
// goroutines write it, and every dial that waits for the hop reads it.
type trace struct {
	mu      sync.Mutex
	events  []event
	pauses  int           // questions that wait for a person, and waits for a turn
	over    bool          // nothing more comes
	changed chan struct{} // closed and replaced by every change
}

// An event is the begin of a phase, or its end.
type event struct {
	ended bool
	phase executor.Phase
}

func newTrace() *trace { return &trace{changed: make(chan struct{})} }

// begin tells that a phase begins.
func (t *trace) begin(name, detail string) *step {
	s := &step{trace: t, phase: executor.Phase{Name: name, Detail: detail, Begin: time.Now()}}
	t.update(func() { t.events = append(t.events, event{phase: s.phase}) })
	return s
}

// pause begins a time that is not the fault of the hop, until resume is called.
func (t *trace) pause() (resume func()) {
	t.update(func() { t.pauses++ })
	return func() { t.update(func() { t.pauses-- }) }
}

// close tells that nothing more comes.
func (t *trace) close() { t.update(func() { t.over = true }) }

func (t *trace) update(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	close(t.changed)
	t.changed = make(chan struct{})
}

// after returns what comes after the first n events.
func (t *trace) after(n int) (events []event, paused, over bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.events[n:], t.pauses > 0, t.over, t.changed
}

// tell reports the trace until it is over. When ctx ends first, tell ends the
// phase that is open with ctx's cause, and returns that. During a pause the clocks
// around ctx stand still.
func (t *trace) tell(ctx context.Context, r Reporter) error {
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

// A step is a phase that has begun. It is for one goroutine at a time.
type step struct {
	trace *trace
	phase executor.Phase
}

// end tells that the phase has ended; an empty detail leaves the one of the
// begin.
func (s *step) end(detail string, err error) {
	if detail != "" {
		s.phase.Detail = detail
	}
	s.phase.End, s.phase.Err = time.Now(), err
	s.trace.update(func() { s.trace.events = append(s.trace.events, event{ended: true, phase: s.phase}) })
}

// An asker passes questions on to a person, and lets the trace know that one is
// being asked.
type asker struct {
	prompter executor.Prompter
	trace    *trace
	why      string // it is asked a second time; empty: it is not
}

// newAsker returns nil when there is nobody to ask.
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
