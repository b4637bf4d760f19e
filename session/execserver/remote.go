package execserver

import (
	"fmt"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

const (
	// maxAhead and maxAheadBytes are how much of a process is held that is ahead of its sequence.
	// Later steps are dropped, and read again.
	maxAhead      = 16 * wire.MaxAhead
	maxAheadBytes = 8 * wire.MaxAheadBytes
	// gapTime is how long the sequence may have a gap before that is read.
	gapTime = time.Second
	// maxQueued is how many bytes may wait for one process before the connection is not read.
	maxQueued = 16 << 20
)

// A step is one thing that has happened to a remote process.
type step struct {
	kind   executor.EventKind // Output, Exited, Closed, Failed or Noticed
	stream executor.Stream
	data   []byte
	exit   executor.Exit
	cut    bool
	event  executor.Event // Noticed
	err    error          // Failed
}

// A remote is a process of a session. It queues its steps in the order of their sequence.
type remote struct {
	s  *session
	id string

	mu       sync.Mutex
	started  bool
	next     uint64 // the number of the step to come
	ahead    map[uint64]step
	held     int  // bytes in ahead
	dropped  bool // a step that was too far ahead
	exitSeen bool // queued, or held
	over     bool // Closed or Failed was queued
	gap      *time.Timer
	queue    []step
	queued   int
	more     sync.Cond // of mu: the queue is not empty
	room     sync.Cond // of mu: the queue has room
}

// register makes a remote that is known to the session from now on: what happens to a process
// may be reported before its start is answered.
func (s *session) register(id string) (*remote, error) {
	r := &remote{s: s, id: id, next: 1, ahead: make(map[uint64]step)}
	r.more.L, r.room.L = &r.mu, &r.mu
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	s.remotes[id] = r
	return r, nil
}

// forget makes the session ignore the process.
func (s *session) forget(r *remote) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remotes[r.id] == r {
		delete(s.remotes, r.id)
	}
}

func (s *session) remote(id string) *remote {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remotes[id]
}

func (s *session) output(o wire.Output) {
	if r := s.remote(o.ProcessID); r != nil {
		r.offer(o.Seq, outputStep(o.Stream, o.Chunk))
	}
}

func outputStep(stream string, data []byte) step {
	e := step{kind: executor.Output, data: data}
	if stream == wire.Stderr {
		e.stream = executor.Stderr
	}
	return e
}

// notified handles a notification. Others are ignored: NoteWriteFailed names a piece of a write,
// whose status reports the failure, too.
func (s *session) notified(m wire.Message) {
	var named wire.Process
	if framing.Unmarshal(m.Params, &named) != nil {
		return
	}
	r := s.remote(named.ProcessID)
	if r == nil {
		return
	}
	var err error
	switch m.Method {
	case wire.NoteOutput:
		var o wire.Output
		if err = framing.Unmarshal(m.Params, &o); err == nil {
			r.offer(o.Seq, outputStep(o.Stream, o.Chunk))
		}
	case wire.NoteExited:
		var e wire.Exited
		if err = framing.Unmarshal(m.Params, &e); err == nil {
			r.offer(e.Seq, step{kind: executor.Exited, exit: exitOf(e.ExitCode, e.Exit)})
		}
	case wire.NoteClosed:
		var c wire.Closed
		if err = framing.Unmarshal(m.Params, &c); err == nil {
			r.offer(c.Seq, step{kind: executor.Closed, cut: c.Cut})
		}
	case wire.NoteNotice:
		var n wire.Notice
		if err = framing.Unmarshal(m.Params, &n); err == nil {
			r.add(step{kind: executor.Noticed, event: executor.Event{Kind: executor.Noticed, Notice: &executor.Notice{Code: n.Code, Text: n.Text, Said: n.Said, Hint: n.Hint}}})
		}
	}
	if err != nil {
		r.fail(fmt.Errorf("unexpected message of the exec server: %s: %w", m.Method, err))
	}
}

// exitOf returns how a process ended. Codex tells only a code.
func exitOf(code *int, detail *wire.Exit) executor.Exit {
	switch {
	case detail != nil:
		e := executor.Exit{Code: detail.Code, Signal: detail.Signal, Core: detail.Core, Why: detail.Why, By: executor.ParseEndedBy(detail.By)}
		switch detail.Kind {
		case "code":
			e.Kind = executor.ExitCode
		case "signal":
			e.Kind = executor.ExitSignal
		}
		return e
	case code == nil:
		return executor.Exit{}
	}
	return executor.Exit{Kind: executor.ExitCode, Code: *code}
}

// offer adds the step with a number: now, once its turn comes, or never if it was there.
func (r *remote) offer(seq uint64, e step) {
	r.mu.Lock()
	for r.queued > maxQueued && !r.over {
		r.room.Wait()
	}
	closed := r.place(seq, e)
	r.mu.Unlock()
	if closed {
		r.s.forget(r)
	}
}

// place reports whether Closed was queued.
func (r *remote) place(seq uint64, e step) (closed bool) {
	if r.over || seq < r.next {
		return false
	}
	if seq > r.next {
		r.hold(seq, e)
		return false
	}
	r.publish(e)
	for !r.over && len(r.ahead) > 0 {
		e, ok := r.ahead[r.next]
		if !ok {
			break
		}
		delete(r.ahead, r.next)
		r.held -= len(e.data)
		r.publish(e)
	}
	if r.gap != nil && len(r.ahead) == 0 && !r.dropped {
		r.gap.Stop()
		r.gap = nil
	}
	return r.over
}

func (r *remote) hold(seq uint64, e step) {
	if _, known := r.ahead[seq]; known {
		return
	}
	if r.gap == nil {
		r.gap = time.AfterFunc(gapTime, r.mind)
	}
	if len(r.ahead) >= maxAhead || r.held+len(e.data) > maxAheadBytes {
		r.dropped = true
		return
	}
	r.ahead[seq] = e
	r.held += len(e.data)
	r.exitSeen = r.exitSeen || e.kind == executor.Exited
}

// publish queues the next step.
func (r *remote) publish(e step) {
	r.next++
	r.exitSeen = r.exitSeen || e.kind == executor.Exited
	r.over = e.kind == executor.Closed
	r.push(e)
}

func (r *remote) push(e step) {
	r.queue = append(r.queue, e)
	r.queued += len(e.data)
	r.more.Signal()
}

// add queues a step without a number.
func (r *remote) add(e step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.push(e)
	}
}

// fail ends the process: how it ended is unknown.
func (r *remote) fail(err error) {
	r.mu.Lock()
	if !r.over {
		r.over = true
		r.ahead = nil
		r.push(step{kind: executor.Failed, err: err})
		r.room.Broadcast()
	}
	r.mu.Unlock()
	r.s.forget(r)
}

// steps waits for steps. spare is reused.
func (r *remote) steps(spare []step) []step {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) == 0 {
		r.more.Wait()
	}
	clear(spare)
	got := r.queue
	r.queue, r.queued = spare[:0], 0
	r.room.Broadcast()
	return got
}

func (r *remote) isStarted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started && !r.over
}
