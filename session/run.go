package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session/executor"
)

// exitGrace is how long pending calls still wait after the leader's exit, if a descendant
// holds the streams open.
const exitGrace = time.Second

// maxPosted bounds the queue of posted messages; further ones are not sent, and a note
// says so.
const maxPosted = 1024

// A run is one process of a session: from its start entry to Closed or Failed.
type run struct {
	s        *Session
	proc     executor.Process
	began    time.Time
	col      *collector
	stdin    Checksum      // guarded by Session.send
	ended    bool          // guarded by Session.send: Closed or Failed was logged
	openLine atomic.Uint64 // entry of the unterminated line of stdin, or 0; stored under Session.send
	killed   atomic.Bool   // it, or a descendant that held its streams, was killed with KILL
	exited   chan struct{}
	done     chan struct{}
	posted   chan write // sent asynchronously: answers, cancellations

	engine  sync.Once      // for lookForContainers
	senders sync.WaitGroup // the goroutines that send them
	tree    treeLog
	notes   repeatedNotes

	broken atomic.Bool // a write found stdin closed

	mu       sync.Mutex
	attempts []*Attempt // to end it, oldest first
	exit     *executor.Exit
	grace    *time.Timer   // for exitGrace, after the exit
	last     executor.Info // at its end; executors forget processes after a while
	failure  error
	lines    tail // for error messages about the start
}

func newRun(s *Session, proc executor.Process) *run {
	r := &run{s: s, proc: proc, began: time.Now(), exited: make(chan struct{}), done: make(chan struct{}), posted: make(chan write, maxPosted)}
	r.notes.init(s.log)
	return r
}

// begin logs the start and attaches the collector. The executor retains output since the
// spawn.
func (r *run) begin() error {
	info := r.proc.Info()
	r.tree.pids = []int{info.PID}
	var argv []string
	for _, word := range r.s.edited {
		argv = append(argv, r.s.redactor.Replace(word))
	}
	if err := r.s.log.Append(StartEntries(info, argv)); err != nil {
		return err
	}
	c := newCollector(r)
	c.notices = len(info.Notices)
	if info.Link != nil {
		c.link = info.Link.State
	}
	r.col = c
	sub, err := r.proc.Subscribe(executor.SubscribeOptions{
		Pin: true, PinLimit: r.s.cfg.PinLimit, Overrun: r.s.cfg.Overrun, Handler: c.handle,
	})
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", r.proc.ID(), err)
	}
	c.subscribed(sub)
	r.senders.Go(r.sendPosted)
	return nil
}

// post sends a line without waiting: the goroutine that reads output must not
// wait for the server to read its input.
func (r *run) post(w write) {
	select {
	case r.posted <- w:
	default:
		r.notes.add(noteUnsent, "message not sent: "+errNotRead.Error(), quoted(w.payload))
	}
}

func (r *run) sendPosted() {
	for {
		select {
		case w := <-r.posted:
			if r.broken.Load() { // the log has the first message that stdin did not take
				r.notes.add(noteClosed, "message not sent: stdin is closed", quoted(w.payload))
				continue
			}
			_, _ = r.write(context.Background(), w) // write logs failures
		case <-r.done:
			return
		}
	}
}

func (r *run) waiting() int {
	r.col.mu.Lock()
	defer r.col.mu.Unlock()
	return r.col.splitter[executor.Stdout].Pending()
}

// info outlives what the executor remembers of the process.
func (r *run) info() executor.Info {
	info := r.proc.Info()
	r.mu.Lock()
	defer r.mu.Unlock()
	if info.State == executor.StateUnknown {
		info = r.last
	}
	if r.exit != nil {
		info.Exit = r.exit // with the party that ended it
	}
	return info
}

// over reports whether Closed or Failed was handled.
func (r *run) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// lost is nil without a lost connection.
func (r *run) lost() *executor.LostError {
	r.mu.Lock()
	defer r.mu.Unlock()
	return lostOf(r.failure)
}

func (r *run) hasExited() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// onExit handles Exited. Responses may still be in the streams or come from a descendant,
// so pending calls fail only after exitGrace.
func (r *run) onExit(exit executor.Exit) {
	r.mu.Lock()
	r.exit = &exit
	r.mu.Unlock()
	close(r.exited)
	r.s.setState(Exited, StateBody{Detail: DescribeEnd(exit)})
	grace := time.AfterFunc(exitGrace, func() {
		if !r.over() {
			r.s.requests.drop(r)
			r.s.calls.failAll(r, r.endError())
		}
	})
	r.mu.Lock()
	r.grace = grace
	r.mu.Unlock()
}

// onEnd handles Closed, or Failed if err is not nil.
func (r *run) onEnd(err error) {
	info := r.proc.Info()
	r.mu.Lock()
	r.failure, r.last = err, info
	if r.grace != nil {
		r.grace.Stop() // it would hold the session and its log in memory
	}
	r.mu.Unlock()
	if !r.hasExited() {
		close(r.exited)
	}
	r.s.requests.drop(r)
	if err != nil {
		r.s.setState(Failed, StateBody{Detail: err.Error()})
	} else {
		r.s.setState(Closed, StateBody{})
	}
	r.s.calls.failAll(r, r.endError())
	close(r.done)
}

// endError returns the error for pending calls. A lost connection says nothing about the
// server, so it is not an ErrEnded.
func (r *run) endError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case lostOf(r.failure) != nil:
		return r.failure
	case r.failure != nil:
		return fmt.Errorf("%w: %w", ErrEnded, r.failure)
	case r.exit != nil:
		return &EndedError{*r.exit}
	}
	return ErrEnded
}
