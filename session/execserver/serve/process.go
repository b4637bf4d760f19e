package serve

import (
	"context"
	"sync"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

const (
	// maxBehind and maxChunksBehind are how much output of a process may wait for a client
	// before the process is held at its pipe.
	maxBehind       = 8 << 20
	maxChunksBehind = 20_000
	// catchUpBytes is how much of the journal is read at once.
	catchUpBytes = 256 << 10
	// maxNotes is how many notices wait for a client.
	maxNotes = 64
)

// Journal is how much an executor must retain for a server: what may wait here, and as much
// again that may be lost with a connection.
var Journal = executor.JournalOptions{Retain: 2 * maxBehind, MaxChunks: executor.MaxChunks + maxChunksBehind}

// minRetention is how long a slow client has for the rest of the output of an ended process.
const minRetention = 10 * time.Minute

// Retention is how long an executor must retain ended processes for a server that keeps
// sessions: they may end while the client is away.
func Retention(keep time.Duration) time.Duration { return keep + minRetention }

// A process pushes the events of one process to a client.
type process struct {
	id       string
	proc     executor.Process
	stdin    stdin
	spawn    func(func()) bool // of the session
	sub      *executor.Subscription
	followed chan struct{} // closed when sub is set

	mu       sync.Mutex
	room     sync.Cond
	to       *out // nil without a connection, or until it has read once
	catching bool // a goroutine pushes from the journal
	sent     uint64
	seen     uint64           // the last number that the subscription has delivered
	behind   int              // bytes up to seen that were not pushed
	chunks   int              // the same, in chunks
	released bool             // the process is being ended: never hold it
	ends     []executor.Event // Exited and Closed, once they have happened
	notes    [][]byte         // notifications without a number that were not pushed
}

func newProcess(s *session, id string, proc executor.Process, to *out) *process {
	p := &process{id: id, proc: proc, spawn: s.spawn, followed: make(chan struct{}), to: to}
	p.stdin = stdin{proc: proc, spawn: s.spawn}
	p.room.L = &p.mu
	return p
}

// follow subscribes to the process, from its first event.
func (p *process) follow() error {
	sub, err := p.proc.Subscribe(executor.SubscribeOptions{Pin: true, Handler: p.handle})
	p.sub = sub
	close(p.followed)
	return err
}

func (p *process) handle(e executor.Event) {
	switch e.Kind {
	case executor.Output:
		p.output(executor.Chunk{Seq: e.Seq, Stream: e.Stream, Data: e.Data})
	case executor.Exited, executor.Closed:
		p.end(e)
	case executor.Lagged:
		p.recover()
	case executor.WriteFailed:
		p.note(wire.NoteWriteFailed, wire.WriteFailed{ProcessID: p.id, WriteID: e.WriteID, Bytes: e.N, Error: textOf(e.Err)})
	case executor.Noticed:
		n := e.Notice
		p.note(wire.NoteNotice, wire.Notice{ProcessID: p.id, Code: n.Code, Text: n.Text, Said: n.Said, Hint: n.Hint})
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// recover takes the output that was dropped from the queue of the subscription.
func (p *process) recover() {
	<-p.followed
	for {
		r, err := p.sub.Read(context.Background(), catchUpBytes)
		if err != nil || len(r.Chunks) == 0 && r.Missing == nil {
			return
		}
		for _, c := range r.Chunks {
			p.output(c)
		}
	}
}

func (p *process) message(c executor.Chunk) wire.Output {
	return wire.Output{ProcessID: p.id, Seq: c.Seq, Stream: c.Stream.String(), Chunk: c.Data}
}

// output pushes a chunk, or notes that it is behind. It waits while too much is.
func (p *process) output(c executor.Chunk) {
	if to := p.push(c); to != nil {
		to.flush()
	}
}

func (p *process) push(c executor.Chunk) *out {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = c.Seq
	if c.Seq <= p.sent {
		return nil
	}
	if p.to != nil && !p.catching {
		switch p.to.offer(p.message(c)) {
		case taken:
			p.sent = c.Seq
			return p.to
		case full:
			p.catchUp()
		case gone:
			p.to = nil
		}
	}
	p.behind += len(c.Data)
	p.chunks++
	for (p.behind > maxBehind || p.chunks > maxChunksBehind) && !p.released {
		p.room.Wait()
	}
	return nil
}

// end pushes Exited or Closed.
func (p *process) end(e executor.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends, p.seen = append(p.ends, e), e.Seq
	if p.to != nil && !p.catching {
		p.pushEnds(e.Seq)
		p.to.ring()
	}
}

// pushEnds pushes Exited and Closed if their numbers are not above upTo. The lock is held.
func (p *process) pushEnds(upTo uint64) {
	for _, e := range p.ends {
		if e.Seq > upTo || e.Seq <= p.sent {
			continue
		}
		message, err := notificationOf(p.id, e)
		if err == nil { // they can be marshalled
			p.to.add(message)
		}
		p.sent = e.Seq
	}
}

func notificationOf(id string, e executor.Event) ([]byte, error) {
	if e.Kind == executor.Closed {
		return wire.Notification(wire.NoteClosed, wire.Closed{ProcessID: id, Seq: e.Seq, Cut: e.Cut})
	}
	code, exit := exitOf(e.Exit)
	return wire.Notification(wire.NoteExited, wire.Exited{ProcessID: id, Seq: e.Seq, ExitCode: code, Exit: exit})
}

// note pushes a notification without a number.
func (p *process) note(method string, params any) {
	message, err := wire.Notification(method, params)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
	case p.to != nil:
		p.to.add(message)
		p.to.ring()
	case len(p.notes) < maxNotes:
		p.notes = append(p.notes, message)
	}
}

// release makes the process end without waiting for its client.
func (p *process) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	p.room.Broadcast()
}

// detach stops pushing.
func (p *process) detach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = nil
}

// resume begins to push to a connection whose client has everything up to a number, unless
// it does already.
func (p *process) resume(to *out, has uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to == to {
		return
	}
	p.to, p.sent = to, has
	for _, n := range p.notes {
		to.add(n)
	}
	p.notes = nil
	p.catchUp()
}

// catchUp pushes from the journal until nothing is behind. The lock is held.
func (p *process) catchUp() {
	to := p.to
	p.catching = p.spawn(func() {
		for p.pushKept(to) {
			to.flush()
		}
		to.flush()
	})
}

// pushKept pushes a part of the journal, and reports whether more may follow.
func (p *process) pushKept(to *out) bool {
	p.mu.Lock()
	after := p.sent
	p.mu.Unlock()
	r, err := p.proc.Read(context.Background(), after, catchUpBytes, 0)
	for _, c := range r.Chunks {
		switch p.pushOne(to, c) {
		case gone:
			return false
		case full:
			return !to.await()
		}
	}
	return len(r.Chunks) > 0 || !p.caughtUp(to, r.NextSeq, err != nil)
}

// pushOne pushes a chunk; gone also if to is no longer the connection.
func (p *process) pushOne(to *out, c executor.Chunk) verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != to {
		return gone
	}
	p.pushEnds(c.Seq)
	switch v := to.offer(p.message(c)); v {
	case gone:
		p.to = nil
		return gone
	case full:
		return full
	}
	p.sent = c.Seq
	if c.Seq <= p.seen {
		p.behind, p.chunks = max(0, p.behind-len(c.Data)), max(0, p.chunks-1)
		p.room.Broadcast()
	}
	return taken
}

// caughtUp reports whether nothing is behind after a read that had no output below next;
// from then on events are pushed as they happen.
func (p *process) caughtUp(to *out, next uint64, gone bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != to {
		return true
	}
	if p.seen >= next && !gone {
		return false
	}
	p.pushEnds(p.seen)
	p.sent = max(p.sent, p.seen) // output that was evicted is a gap for the client
	p.catching, p.behind, p.chunks = false, 0, 0
	p.room.Broadcast()
	return true
}
