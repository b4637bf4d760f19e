package executor

import "time"

// Limits of delivery on the goroutine that read the pipe. A handler that takes
// longer, or has more than a few events to catch up with, would keep the pipe
// from being read: it goes on on a goroutine of its own until it has caught up.
const (
	inlineEvents = 8
	inlineTime   = time.Millisecond
)

// deliverInline calls the handlers that are idle on this goroutine. The lock is
// given up around each call, and held again when it returns.
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

// deliverAside lets the handlers that are idle catch up elsewhere.
func (j *Journal) deliverAside() {
	for s := j.due(); s != nil; s = j.due() {
		s.busy = true
		go s.run()
	}
}

// due returns a subscription whose handler is idle but has something to hear.
func (j *Journal) due() *Subscription {
	for _, s := range j.subs {
		if s.news && !s.busy && s.opts.Handler != nil {
			return s
		}
	}
	return nil
}

// run calls the handler until there is nothing more to tell.
func (s *Subscription) run() {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	for s.busy {
		s.step()
	}
}

// step calls the handler with the next event; without one it is idle again.
func (s *Subscription) step() {
	e, ok := s.next()
	if !ok || s.closed {
		s.news, s.busy = false, false
		s.idle.Broadcast()
		return
	}
	s.slow = s.call(e) > inlineTime
	s.took()
	if s.ended { // the process is kept for a while: who has heard all is not
		s.j.unsubscribe(s)
	}
}

// call returns how long the handler took. Should it panic, the lock is held
// again, as those who defer its release expect.
func (s *Subscription) call(e Event) time.Duration {
	s.j.mu.Unlock()
	defer s.j.mu.Lock()
	begin := time.Since(s.j.began)
	s.opts.Handler(e)
	return time.Since(s.j.began) - begin
}

// notify says that there is something new for s.
func (s *Subscription) notify() {
	s.news = true
	if s.opts.Handler == nil {
		select {
		case s.bell <- struct{}{}:
		default:
		}
	}
}
