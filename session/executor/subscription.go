package executor

import (
	"context"
	"errors"
	"io"
	"sync"
)

// ErrUnsubscribed is what Next and Read of a closed Subscription return.
var ErrUnsubscribed = errors.New("subscription is closed")

// A Subscription is one subscriber's place in the sequence of a process.
//
// A subscriber has taken an event when it asks for the next one: when Next or
// Read is called again, or when its Handler has returned. What a pinned
// subscriber has not taken is kept.
//
// Next and Read are called from one goroutine at a time; a Handler calls Read
// from within, to recover from Lagged, and leaves Next alone. Close may be
// called from any goroutine but not from the Handler.
type Subscription struct {
	j    *Journal
	opts SubscribeOptions
	bell chan struct{} // one slot: something has changed, for Next

	// All below is guarded by j.mu.
	place
	taken  uint64 // what a pinned subscriber has taken
	closed bool

	news bool      // something happened since the handler was last idle
	busy bool      // a goroutine is in the handler, or about to be
	slow bool      // the handler took long: it is not called inline for now
	idle sync.Cond // busy became false
}

func newSubscription(j *Journal, o SubscribeOptions) *Subscription {
	s := &Subscription{
		j:     j,
		opts:  o,
		bell:  make(chan struct{}, 1),
		place: newPlace(j, o.After),
		taken: o.After,
	}
	s.idle.L = &j.mu
	return s
}

// Next waits for the next event and returns it. After Closed or Failed it
// returns io.EOF, after Close ErrUnsubscribed.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	for {
		e, err := s.poll()
		if e.Kind != 0 || err != nil {
			return e, err
		}
		select {
		case <-s.bell:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// poll returns the next event, or the zero Event when there is none yet.
func (s *Subscription) poll() (Event, error) {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	s.took()
	if s.closed {
		return Event{}, ErrUnsubscribed
	}
	e, ok := s.next()
	if !ok && s.ended {
		return Event{}, io.EOF
	}
	return e, nil
}

// Read returns output that is there and was not delivered yet, up to the next
// lifecycle event: at most max bytes (0: no limit) but at least one chunk if
// there is one. It never waits. After Lagged, calling it until it returns no
// chunk recovers all that fell out of the queue and is still retained; what it
// returned is not delivered again. When output was lost Missing tells the
// exact range, and Chunks begin behind it.
func (s *Subscription) Read(ctx context.Context, max int) (ReadResult, error) {
	if err := ctx.Err(); err != nil {
		return ReadResult{}, err
	}
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	s.took()
	if s.closed {
		return ReadResult{}, ErrUnsubscribed
	}
	s.reading()
	r := s.j.result()
	for size := 0; ; {
		rec, lost, ok := s.peek()
		switch {
		case !ok,
			lost && len(r.Chunks) > 0,
			max > 0 && len(r.Chunks) > 0 && size+len(rec.data) > max:
			r.NextSeq = s.last + 1
			return r, nil
		case lost:
			r.Missing = s.lose(rec)
		default:
			size += len(rec.data)
			r.Chunks = append(r.Chunks, Chunk{Seq: rec.seq, Stream: rec.stream, Data: rec.data})
			s.accept(rec)
		}
	}
}

// Close ends the subscription and waits for a Handler that is being called. It
// is safe to call it twice.
func (s *Subscription) Close() {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.j.unsubscribe(s)
		s.notify()
	}
	for s.busy {
		s.idle.Wait()
	}
}

// took notes that all that was delivered so far is taken.
func (s *Subscription) took() {
	if s.opts.Pin && s.taken < s.last {
		s.taken = s.last
		if s.j.pinned == s {
			s.j.settleRetention()
		}
	}
}
