package execserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/execserver/wire"
)

const (
	// stdinPiece is the largest write, and stdinWindow how many bytes may be on their way.
	stdinPiece  = 64 << 10
	stdinWindow = 1 << 20
	// The pauses between questions how far the pump is.
	firstLook = time.Millisecond
	maxLook   = 500 * time.Millisecond
)

var errStdinGone = errors.New("the process does not take input any more")

// A stdin writes to a remote process. The bytes on their way are limited, so that a process that does
// not read does not fill the queue of the server, which then would handle no other request.
type stdin struct {
	r      *remote
	window int // writes without a response
	// pumped asks how many bytes have passed the pump, if it is known. end ends it after the last.
	// It is nil without a pump.
	pumped func(ctx context.Context, all uint64, end bool) (passed uint64, known bool, err error)
	begin  func(func()) // starts a goroutine
	living context.Context

	mu         sync.Mutex
	last       int // number of the latest write
	unanswered int
	flying     int // bytes without a response
	sent       uint64
	ends       []uint64 // in sent, of the writes that may not have passed the pump
	asking     bool
	closed     bool
	err        error
	room       chan struct{} // closed when there may be room
}

func newStdin(r *remote) *stdin {
	w := &stdin{r: r, window: 1}
	if r.s.opts.Concurrency == 1 || r.s.env.Capabilities.OrderedWrites {
		w.window = wire.CodexUnanswered
	}
	return w
}

// try writes as much as has room.
func (w *stdin) try(p []byte) (n int, err error) {
	for n < len(p) {
		part := p[n:min(len(p), n+stdinPiece)]
		wrote, err := w.post(part)
		if err != nil || !wrote {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}

// Write waits for room.
func (w *stdin) Write(p []byte) (n int, err error) {
	for n < len(p) {
		wrote, err := w.try(p[n:])
		n += wrote
		if err != nil {
			return n, err
		}
		if n < len(p) {
			w.wait()
		}
	}
	return n, nil
}

func (w *stdin) post(part []byte) (ok bool, err error) {
	w.mu.Lock()
	switch {
	case w.err != nil:
		err = w.err
	case w.closed:
		err = errStdinGone
	default:
		ok = w.hasRoom()
	}
	if !ok {
		w.mu.Unlock()
		return false, err
	}
	w.last++
	params := wire.WriteParams{ProcessID: w.r.id, Chunk: bytes.Clone(part), WriteID: fmt.Sprintf("w%d", w.last)}
	w.unanswered++
	w.flying += len(part)
	w.sent += uint64(len(part))
	if w.pumped != nil {
		w.ends = append(w.ends, w.sent)
	}
	ask := w.pumped != nil && !w.asking && w.half()
	w.asking = w.asking || ask
	w.mu.Unlock()
	if ask {
		w.begin(w.follow)
	}
	_, err = w.r.s.send(nil, &call{again: true, write: true, done: func(m wire.Message, err error) { w.answered(len(part), m, err) }},
		func(dst []byte, id uint64) []byte { return wire.AppendWrite(dst, id, params) })
	return err == nil, err
}

// hasRoom reports whether another write may be sent. The lock is held.
func (w *stdin) hasRoom() bool {
	return w.unanswered < w.window && w.flying < stdinWindow &&
		(len(w.ends) == 0 || len(w.ends) < wire.CodexUnanswered && w.sent-w.ends[0] < stdinWindow)
}

// half reports whether half of the room before the pump is used. The lock is held.
func (w *stdin) half() bool {
	return len(w.ends) >= wire.CodexUnanswered/2 || len(w.ends) > 0 && w.sent-w.ends[0] >= stdinWindow/2
}

func (w *stdin) answered(n int, m wire.Message, err error) {
	var r wire.WriteResult
	if err == nil {
		err = framing.Unmarshal(m.Result, &r)
	}
	if err == nil && r.Status != wire.Accepted {
		err = errStdinGone
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unanswered--
	w.flying -= n
	if w.err == nil {
		w.err = err
	}
	w.wake()
}

func (w *stdin) wake() {
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// wait waits until there may be room.
func (w *stdin) wait() {
	w.mu.Lock()
	if w.err != nil || w.closed || w.hasRoom() {
		w.mu.Unlock()
		return
	}
	if w.room == nil {
		w.room = make(chan struct{})
	}
	room := w.room
	w.mu.Unlock()
	<-room
}

// follow asks how far the pump is, until there is enough room again.
func (w *stdin) follow() {
	for pause := firstLook; ; pause = min(2*pause, maxLook) {
		passed, known, err := w.pumped(w.living, 0, false)
		w.mu.Lock()
		if err == nil && !known {
			w.pumped, w.ends = nil, nil // the place does not count
		}
		for len(w.ends) > 0 && w.ends[0] <= passed {
			w.ends = w.ends[1:]
		}
		w.asking = w.half() && w.living.Err() == nil
		more := w.asking
		w.wake()
		w.mu.Unlock()
		if !more {
			return
		}
		select {
		case <-time.After(pause):
		case <-w.living.Done():
		}
	}
}

// Close ends standard input once all was written. It does not wait.
func (w *stdin) Close() error {
	w.mu.Lock()
	first, pumped := !w.closed, w.pumped != nil
	w.closed = true
	w.wake()
	w.mu.Unlock()
	switch {
	case !first:
	case w.r.s.env.Capabilities.CloseStdin:
		w.closeThere()
	case pumped:
		w.begin(w.endPump)
	}
	return nil
}

func (w *stdin) closeThere() {
	body, err := marshal(wire.Process{ProcessID: w.r.id})
	if err != nil {
		return // a string never fails
	}
	// Like a write, it is sent again after those before it.
	_, _ = w.r.s.send(nil, &call{again: true, write: true, done: func(wire.Message, error) {}},
		func(dst []byte, id uint64) []byte { return wire.AppendRequest(dst, id, wire.MethodCloseStdin, body) })
}

// endPump ends the pump once all has passed it.
func (w *stdin) endPump() {
	for pause := firstLook; w.living.Err() == nil; pause = min(2*pause, maxLook) {
		w.mu.Lock()
		pumped, all := w.pumped, w.sent
		w.mu.Unlock()
		if pumped == nil {
			return
		}
		if passed, known, err := pumped(w.living, all, true); err == nil && (!known || passed >= all) {
			return
		}
		select {
		case <-time.After(pause):
		case <-w.living.Done():
		}
	}
}
