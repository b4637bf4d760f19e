package serve

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"time"

	"mcpdbg/session/execserver/wire"
)

const (
	// outLimit is how many bytes of output may wait for a connection.
	outLimit = 1 << 20
	// maxOut is how many bytes may wait for a client that sends requests, and does not read.
	maxOut = 32 << 20
	// maxRuns is how many times a goroutine that has other work writes before it leaves the
	// rest to the writer.
	maxRuns = 2
	// lazyTime is how long the response to an accepted write may wait for output, to be sent
	// with it, and lazyCount is how many may wait.
	lazyTime  = time.Millisecond
	lazyCount = 16
)

// An out collects the messages of a connection, and writes as many as there are at once.
type out struct {
	lines *wire.Lines
	bell  chan struct{} // one slot: there is something for the writer

	mu         sync.Mutex
	room       sync.Cond
	buf, spare []byte
	writing    bool
	broken     bool
	lazy       int  // responses in buf that wait for output
	due        bool // a timer will ring for them
}

func newOut(lines *wire.Lines) *out {
	o := &out{lines: lines, bell: make(chan struct{}, 1)}
	o.room.L = &o.mu
	return o
}

// A verdict is the outcome of a chunk.
type verdict uint8

const (
	taken verdict = iota
	full          // too much waits
	gone          // the connection is broken
)

// offer adds a chunk of output, unless too much waits.
func (o *out) offer(chunk wire.Output) verdict {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.broken:
		return gone
	case len(o.buf) > outLimit:
		return full
	}
	o.buf = append(wire.AppendOutput(o.buf, chunk), '\n')
	return taken
}

// accepted adds the response to a write, which is sent with the next output, or soon.
func (o *out) accepted(id json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open() {
		return
	}
	o.buf = append(wire.AppendAccepted(o.buf, id), '\n')
	if o.lazy++; o.lazy >= lazyCount {
		o.ring()
	} else if !o.due {
		o.due = true
		time.AfterFunc(lazyTime, func() {
			o.mu.Lock()
			o.due = false
			o.mu.Unlock()
			o.ring()
		})
	}
}

// add adds a message.
func (o *out) add(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open() {
		o.buf = append(append(o.buf, message...), '\n')
	}
}

// open reports whether messages are taken. The connection ends if too many wait. The lock is
// held.
func (o *out) open() bool {
	if len(o.buf) > maxOut {
		_ = o.lines.Close() // it is of no use any more
		o.breakOff()
	}
	return !o.broken
}

// await waits until a chunk is taken, or the connection is broken, which it reports.
func (o *out) await() (broken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.buf) > outLimit && !o.broken {
		o.room.Wait()
	}
	return o.broken
}

// flush writes what waits, unless another goroutine does already.
func (o *out) flush() {
	if !o.write(maxRuns) {
		o.ring()
	}
}

func (o *out) ring() {
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// write reports whether nothing is left to write, or another goroutine writes it.
func (o *out) write(runs int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing {
		return true
	}
	o.writing = true
	defer func() {
		o.writing = false
		o.room.Broadcast()
	}()
	for ; len(o.buf) > 0 && runs > 0; runs-- {
		full := o.buf
		o.buf, o.lazy = o.spare[:0], 0
		o.mu.Unlock()
		err := o.lines.WriteBatch(context.Background(), full)
		o.mu.Lock()
		if o.spare = full; cap(full) > 2*outLimit {
			o.spare = nil
		}
		if err != nil {
			o.breakOff()
		}
		o.room.Broadcast()
	}
	return len(o.buf) == 0
}

// breakOff drops everything, also from now on. The lock is held.
func (o *out) breakOff() {
	o.broken, o.buf = true, nil
	o.room.Broadcast()
}

// finish writes what waits and ends the connection.
func (o *out) finish() {
	o.write(maxRuns)
	o.mu.Lock()
	for (o.writing || len(o.buf) > 0) && !o.broken {
		o.room.Wait()
	}
	o.mu.Unlock()
	o.close()
}

// close ends the connection, and every wait.
func (o *out) close() {
	_ = o.lines.Close()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.breakOff()
}

// run is the writer: it writes what goroutines with other work have left, until done is
// closed.
func (o *out) run(done <-chan struct{}) {
	for {
		select {
		case <-o.bell:
			o.write(math.MaxInt)
		case <-done:
			return
		}
	}
}
