package executor

import (
	"context"
	"errors"
	"io"
	"sync"
)

// ErrUnsubscribed is the error of Next and Read of a closed Subscription.
var ErrUnsubscribed = errors.New("subscription is closed")

// A Subscription is one subscriber's position in the sequence of a process.
//
// A subscriber has taken an event when it asks for the next one: when Next or
// Read is called again, or when its Handler has returned. Output that a pinned
// subscriber has not taken is retained.
//
// Next and Read are called from one goroutine at a time; a Handler may call
// Read, to recover from Lagged, but not Next. Close may be called from any
// goroutine but not from the Handler.
type Subscription struct {
	j    *Journal
	opts SubscribeOptions
	bell chan struct{} // one slot: signals a change to Next

	// The fields below are guarded by j.mu.
	cursor
	taken  uint64 // the last number that a pinned subscriber has taken
	closed bool

	hasEvents bool      // there were changes since the handler was last idle
	busy      bool      // a goroutine is in the handler, or about to be
	slow      bool      // the last call was slow: do not call the handler inline
	idle      sync.Cond // signalled when busy becomes false
}

func newSubscription(j *Journal, o SubscribeOptions) *Subscription {
	s := &Subscription{
		j:      j,
		opts:   o,
		bell:   make(chan struct{}, 1),
		cursor: newCursor(j, o.After),
		taken:  o.After,
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

// poll returns the zero Event if there is none yet.
func (s *Subscription) poll() (Event, error) {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	s.markTaken()
	if s.closed {
		return Event{}, ErrUnsubscribed
	}
	e, ok := s.next()
	if !ok && s.ended {
		return Event{}, io.EOF
	}
	return e, nil
}

// Read returns available output that was not delivered yet, up to the next
// lifecycle event: at most max bytes (0: no limit) but at least one chunk if
// there is one. It never waits. After Lagged, calling it until it returns no
// chunk recovers all output that was dropped from the queue and is still
// retained; the returned output is not delivered again. If output was lost,
// Missing is the exact range, and Chunks begin after it.
func (s *Subscription) Read(ctx context.Context, max int) (ReadResult, error) {
	if err := ctx.Err(); err != nil {
		return ReadResult{}, err
	}
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	s.markTaken()
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

// Close ends the subscription and waits for a running Handler. It is safe to
// call it twice.
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

func (s *Subscription) markTaken() {
	if s.opts.Pin && s.taken < s.last {
		s.taken = s.last
		if s.j.pinned == s {
			s.j.settleRetention()
		}
	}
}
