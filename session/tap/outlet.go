package tap

import (
	"io"
	"sync"
	"time"
)

// outletLimit is how many bytes may wait for the client, of each stream, before the server
// is not read.
const outletLimit = 16 << 20

// An outlet writes on a goroutine of its own, so that a client that writes before it reads
// does not stop the tap.
type outlet struct {
	w      io.Writer
	failed chan struct{} // closed when a write has failed; all later bytes are dropped
	done   chan struct{}
	room   chan struct{} // one slot: bytes were written

	mu     sync.Mutex
	change sync.Cond
	queue  [][]byte
	bytes  int
	closed bool
	given  bool // offer does not wait
	broken bool
}

func newOutlet(w io.Writer) *outlet {
	o := &outlet{w: w, failed: make(chan struct{}), done: make(chan struct{}), room: make(chan struct{}, 1)}
	o.change.L = &o.mu
	failed := o.failed
	go func() {
		defer close(o.done)
		o.run(failed)
	}()
	return o
}

// waiting returns how many bytes are not written.
func (o *outlet) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// write queues bytes, which must not change.
func (o *outlet) write(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken {
		o.queue = append(o.queue, b)
		o.bytes += len(b)
		o.change.Broadcast()
	}
}

// offer queues bytes, and waits first while as many wait as a server may be ahead. After
// giveUp it drops them instead.
func (o *outlet) offer(b []byte) {
	for o.waiting() > outletLimit {
		if o.gaveUp() {
			return
		}
		select {
		case <-o.room:
		case <-o.done:
		}
	}
	o.write(b)
}

func (o *outlet) gaveUp() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.given
}

// giveUp ends the waits of offer.
func (o *outlet) giveUp() {
	o.mu.Lock()
	o.given = true
	o.mu.Unlock()
	select {
	case o.room <- struct{}{}:
	default:
	}
}

func (o *outlet) run(failed chan struct{}) {
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.change.Wait()
		}
		if len(o.queue) == 0 {
			o.mu.Unlock()
			return
		}
		b := o.queue[0]
		o.queue = o.queue[1:]
		o.mu.Unlock()
		_, err := o.w.Write(b)
		o.mu.Lock()
		o.bytes -= len(b)
		if err != nil {
			o.broken, o.queue, o.bytes = true, nil, 0
			close(failed)
		}
		o.mu.Unlock()
		select {
		case o.room <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// end ends the goroutine once everything is written.
func (o *outlet) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.change.Broadcast()
}

// close waits until everything is written, or with brief as long as after a step.
func (o *outlet) close(brief bool) {
	o.end()
	var late <-chan time.Time
	if brief {
		late = time.After(hurryTime)
	}
	select {
	case <-o.done:
	case <-late:
	}
}
