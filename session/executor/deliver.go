package executor

import "time"

// Limits of delivery on the goroutine that read the pipe. A handler that takes
// longer, or is more than a few events behind, would keep the pipe from being
// read: it continues on its own goroutine until it has caught up.
const (
	inlineEvents = 8
	inlineTime   = time.Millisecond
)

// deliverInline calls the idle handlers on this goroutine. It releases the lock during
// each call.
func (j *Journal) deliverInline() {
	for s := j.due(); s != nil; s = j.due() {
		s.busy = true
		for n := 0; s.busy && n < inlineEvents && !s.slow; n++ {
			s.step()
		}
		if s.busy {
			go s.run()
		}
	}
}

func (j *Journal) deliverAsync() {
	for s := j.due(); s != nil; s = j.due() {
		s.busy = true
		go s.run()
	}
}

// due is nil if no idle handler has undelivered events.
func (j *Journal) due() *Subscription {
	for _, s := range j.subs {
		if s.hasEvents && !s.busy && s.opts.Handler != nil {
			return s
		}
	}
	return nil
}

func (s *Subscription) run() {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	for s.busy {
		s.step()
	}
}

// step calls the handler with the next event; without one the handler becomes idle.
func (s *Subscription) step() {
	e, ok := s.next()
	if !ok || s.closed {
		s.hasEvents, s.busy = false, false
		s.idle.Broadcast()
		return
	}
	s.slow = s.call(e) > inlineTime
	s.markTaken()
	if s.ended { // drained subscribers are dropped; the process is retained
		s.j.unsubscribe(s)
	}
}

// call returns how long the handler took. If it panics, the lock is held again, as the
// deferred unlock of the caller expects.
func (s *Subscription) call(e Event) time.Duration {
	s.j.mu.Unlock()
	defer s.j.mu.Lock()
	begin := time.Since(s.j.began)
	s.opts.Handler(e)
	return time.Since(s.j.began) - begin
}

func (s *Subscription) notify() {
	s.hasEvents = true
	if s.opts.Handler == nil {
		select {
		case s.bell <- struct{}{}:
		default:
		}
	}
}
