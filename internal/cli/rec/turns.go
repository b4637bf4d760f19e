package rec

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"
)

const (
	// maxHeld is how much output waits for its turn. A search that found more waits, too.
	maxHeld = 4 << 20
	// flushAt is from how much output on it is written, and flushEach how often all of it.
	flushAt   = 64 << 10
	flushEach = 100 * time.Millisecond
)

// A turn is the output of one of several goroutines whose outputs are written in order.
type turn struct {
	ctx   context.Context
	begun chan struct{} // closed by its owner when it begins

	mu   sync.Mutex
	out  io.Writer // nil before it begins
	held bytes.Buffer
	err  error
}

func newTurn(ctx context.Context) *turn { return &turn{ctx: ctx, begun: make(chan struct{})} }

// Write implements io.Writer. It waits for its turn if too much is held.
func (t *turn) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out == nil && t.held.Len() >= maxHeld {
		t.mu.Unlock()
		select {
		case <-t.begun:
		case <-t.ctx.Done():
		}
		t.mu.Lock()
	}
	if t.ctx.Err() != nil {
		return 0, context.Cause(t.ctx)
	}
	t.held.Write(p)
	if t.out != nil && t.held.Len() >= flushAt {
		t.flush()
	}
	return len(p), t.err
}

// begin writes what is held; from then on output is passed on.
func (t *turn) begin(out io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = out
	t.flush()
	close(t.begun)
}

// flush requires t.mu.
func (t *turn) flush() {
	if t.err == nil {
		_, t.err = t.held.WriteTo(t.out)
	}
}

// until writes the output until done is closed, and the rest.
func (t *turn) until(done <-chan struct{}) error {
	each := time.NewTicker(flushEach)
	defer each.Stop()
	for over := false; ; {
		select {
		case <-done:
			over = true
		case <-each.C:
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		}
		t.mu.Lock()
		t.flush()
		err := t.err
		t.mu.Unlock()
		if over || err != nil {
			return err
		}
	}
}
