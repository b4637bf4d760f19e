package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcpdbg/session/executor"
)

// exitGrace is how long after the leader's exit an answer may still come, if a
// descendant holds the streams open, before those who wait are told.
const exitGrace = time.Second

// maxPosted is how many messages may wait in a run's post; further ones are
// not sent, and an entry says so.
const maxPosted = 1024

// A run is one process of a session: from its start entry to Closed or Failed.
type run struct {
	s     *Session
	proc  executor.Process
	began time.Time
	col   *collector
	stdin sum  // guarded by Session.send
	ended bool // guarded by Session.send: Closed or Failed is logged
	// openLine is the entry that left a line of stdin without an end, 0 for none.
	openLine uint64      // guarded by Session.send
	killed   atomic.Bool // its end, or that of a descendant that held its streams, took a KILL
	exited   chan struct{}
	done     chan struct{}
	posted   chan write // what is sent without anybody waiting: answers, cancellations

	engine  sync.Once      // container engines were looked for
	postmen sync.WaitGroup // the one who sends it
	tree    treeLog
	notes   repeatedNotes

	broken atomic.Bool // a write found stdin closed

	mu       sync.Mutex
	attempts []*attempt // to end it, oldest first
	exit     *executor.Exit
	grace    *time.Timer   // of exitGrace, once it has exited
	last     executor.Info // as it ended; executors forget processes after a while
	failure  error
	lines    tail // what an error about the start quotes
}

func newRun(s *Session, proc executor.Process) *run {
	r := &run{s: s, proc: proc, began: time.Now(), exited: make(chan struct{}), done: make(chan struct{}), posted: make(chan write, maxPosted)}
	r.notes.init(s.log)
	return r
}

// begin logs the start and attaches the collector. Output since the spawn is
// retained by the executor, so none is missed.
func (r *run) begin() error {
	info := r.proc.Info()
	r.tree.pids = []int{info.PID}
	entries := []Entry{
		NewEntry(KindStart, 0, startBody(info)),
		NewEntry(KindEnv, 0, envBody(info.Env)),
	}
	entries = append(entries, placeEntries(info)...)
	if err := r.s.log.Append(entries); err != nil {
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
	r.postmen.Go(r.postman)
	return nil
}

// post sends a line without waiting: where output is read nobody may wait for
// the server to read its input.
func (r *run) post(w write) {
	select {
	case r.posted <- w:
	default:
		r.notes.add(noteUnsent, "message not sent: "+errNotRead.Error(), quoted(w.payload))
	}
}

// postman sends what was posted, until the process has ended.
func (r *run) postman() {
	for {
		select {
		case w := <-r.posted:
			_, _ = r.s.write(context.Background(), r, w) // what happens to it is in the log
		case <-r.done:
			return
		}
	}
}

// waiting is how many stdout bytes wait for a newline.
func (r *run) waiting() int {
	r.col.mu.Lock()
	defer r.col.mu.Unlock()
	return r.col.splitter[executor.Stdout].Pending()
}

// info is what is known of the process, also when its executor has forgotten it.
func (r *run) info() executor.Info {
	info := r.proc.Info()
	r.mu.Lock()
	defer r.mu.Unlock()
	if info.State == executor.StateUnknown {
		info = r.last
	}
	if r.exit != nil {
		info.Exit = r.exit // which says who ended it
	}
	return info
}

// over tells whether Closed or Failed was taken.
func (r *run) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// lost is the loss of the connection to the process, nil if there was none.
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

// onExit takes Exited: answers may still be in the streams, or come from a
// descendant, so those who wait are told only after a grace.
func (r *run) onExit(exit executor.Exit) {
	r.mu.Lock()
	r.exit = &exit
	r.mu.Unlock()
	close(r.exited)
	r.s.setState(Exited, StateBody{Detail: DescribeEnd(exit)})
	grace := time.AfterFunc(exitGrace, func() {
		if !r.over() {
			r.s.dropAsks(r)
			r.s.calls.failAll(r, r.endError())
		}
	})
	r.mu.Lock()
	r.grace = grace
	r.mu.Unlock()
}

// onEnd takes Closed, or Failed if err is not nil.
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
	r.s.dropAsks(r)
	if err != nil {
		r.s.setState(Failed, StateBody{Detail: err.Error()})
	} else {
		r.s.setState(Closed, StateBody{})
	}
	r.s.calls.failAll(r, r.endError())
	close(r.done)
}

// endError says how the process ended, for those who wait for an answer. A lost
// connection says nothing about the server's end: it is no ErrEnded.
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
