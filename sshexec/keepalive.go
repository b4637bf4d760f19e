package sshexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

// A link is considered dead beatEvery + beatMisses * beatReply after the last
// sign of life, which is 13 seconds: the promise is 15. The kernel gives up
// unacknowledged data after the same time (TCP_USER_TIMEOUT, package link).
const (
	beatEvery  = 5 * time.Second
	beatReply  = 4 * time.Second
	beatMisses = 2
)

var errNoReply = errors.New("no reply")

type heartbeat struct {
	every time.Duration
	beat  func(context.Context) error             // one round trip
	heard func() time.Time                        // when data last came
	tell  func(executor.LinkState, time.Duration) // called when a round trip ends, or is overdue
	lost  func(quiet time.Duration)
}

// run beats until ctx is done or the link is lost.
func (h *heartbeat) run(ctx context.Context) {
	misses := 0
	pause := time.NewTimer(h.every) // the start was a sign of life
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		begin := time.Now()
		switch err := h.once(ctx); {
		case ctx.Err() != nil:
			return
		case err == nil:
			misses = 0
			h.tell(executor.LinkUp, time.Since(begin))
			pause.Reset(h.every)
		case !errors.Is(err, errNoReply):
			return // the connection, or the guard, has ended, which is reported elsewhere
		case h.heard().After(begin):
			misses = 0 // busy, not dead
			pause.Reset(h.every)
		default:
			if misses++; misses == beatMisses {
				h.lost(time.Since(h.heard()))
				return
			}
			h.tell(executor.LinkStalled, 0)
			pause.Reset(0)
		}
	}
}

// once makes one round trip. The beat itself may be stuck in a write until the connection
// is given up; once does not wait for that.
func (h *heartbeat) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, beatReply, errNoReply)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- h.beat(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// keepalive also renews the lease of the guard.
func (p *process) keepalive(ctx context.Context) {
	run := p.running
	every := beatEvery
	if lease := p.ex.opts.Lease; lease > 0 {
		every = min(every, lease/3) // the guard waits no longer than that
	}
	h := heartbeat{
		every: every,
		beat: func(ctx context.Context) error {
			if !p.guarded() {
				// Any reply will do; servers refuse unknown requests.
				_, err := run.run.SendRequest("keepalive@openssh.com", true, nil)
				return err
			}
			_, err := run.charge.Ask(ctx, "B", "")
			return err
		},
		heard: p.guardConn().LastRead,
		tell: func(s executor.LinkState, rtt time.Duration) {
			p.mu.Lock()
			news := p.link.State != s
			p.link.State = s
			if rtt > 0 {
				p.link.RTT = rtt
			}
			told := p.link
			p.mu.Unlock()
			if news {
				told.Heard = p.conn.LastRead()
				p.base.Journal.Emit(executor.Event{Kind: executor.Link, Link: &told})
			}
		},
		lost: func(quiet time.Duration) {
			err := fmt.Errorf("no reply for %s", quiet.Round(time.Second/10))
			if absence := p.away.within(time.Now(), quiet); absence != "" {
				err = fmt.Errorf("%w (%s)", err, absence)
			}
			p.conn.Abort(&executor.LostError{Code: executor.LostKeepalive, Hop: p.conn.Hop(), Err: err})
		},
	}
	h.run(ctx)
}

// lose ends a process whose connection, or channel, ended before its exit was known.
func (p *process) lose() {
	lost := executor.LostError{
		Code: executor.LostClosed, Hop: p.conn.Hop(), Alias: p.conn.Alias(),
		Err: errors.New("the server closed the channel without an exit status"),
	}
	if cause := p.conn.Cause(); cause != nil {
		lost = *cause
	}
	lost.After = time.Since(p.base.Began)
	hint := "there is no guard: the process may still be running"
	if p.running.charge != nil {
		run := p.remember()
		hint = fmt.Sprintf("the process %s; a restart tries to end it first", run.mayLive())
		if p.guarded() {
			hint = fmt.Sprintf("its guard on the host kills the process at once, or it %s; a restart tries to end it first", run.mayLive())
		}
	}
	lost.Hint = strings.TrimSuffix(hint+"\n"+lost.Hint, "\n")
	p.mu.Lock()
	p.link.State, p.link.Err = executor.LinkLost, &lost
	p.mu.Unlock()
	p.abandon()
	p.base.Journal.Fail(&lost)
	p.base.Stdin.Abort()
}

// remember makes the next start on the host look for the process, which had a guard and
// whose connection is lost, and end it.
func (p *process) remember() lostRun {
	run := lostRun{id: p.base.ID, mark: p.base.Mark, stamp: p.running.info.Stamp}
	if clock := p.running.charge.Guard().Capabilities().Lease; clock > 0 && p.guarded() {
		run.lease = clock
		run.until = time.Now().Add(run.lease)
	}
	if !p.base.Swept() && !p.base.Ending() {
		p.ex.addLost(run)
	}
	return run
}
